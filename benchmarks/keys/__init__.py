"""Keys and references between tables: how often healthy versions break what was learned, and what is found."""
