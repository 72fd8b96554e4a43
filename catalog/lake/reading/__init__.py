"""Reading data files as their table means them, and nothing outside it."""
