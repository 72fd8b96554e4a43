"""What pages show of profiles, rules, drills and patterns."""
