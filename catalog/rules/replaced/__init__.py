"""What rules from history say of rows that were rewritten."""
