"""What is expected of tables: rules in their revisions, decisions about clauses, the budget of false alarms."""
