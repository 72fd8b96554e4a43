"""What is expected of tables and what broke: rules, declared checks, incidents, alerts."""
