"""Who may do what, and what was decided: people, sessions, the audit log, taking decisions back."""
