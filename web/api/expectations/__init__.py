"""What is expected of tables and what broke, for programs: rules, declared checks, verdicts, alerts."""
