"""People's decisions for programs: approvals, the audit log, tokens, values unmasked."""
