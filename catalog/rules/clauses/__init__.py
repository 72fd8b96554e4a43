"""What rules demand, one thing each: clauses of bands and clauses of strings."""
