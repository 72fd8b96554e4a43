"""People and what they may see: accounts, signing on, approvals, the audit log, values unmasked."""
