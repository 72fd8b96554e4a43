"""People's decisions for programs: approvals, the audit log, values unmasked."""
