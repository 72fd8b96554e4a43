"""What may be demanded of a column of strings."""
