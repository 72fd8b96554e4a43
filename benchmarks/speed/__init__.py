"""What things cost, as a ratio to something else in the same run."""
