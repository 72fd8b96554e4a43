"""Numbers of another size than before: by which factor, how that is said, what it may be."""
