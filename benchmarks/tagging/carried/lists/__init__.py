"""The lists of tables, each labelled later than the one before it, and their labels."""
