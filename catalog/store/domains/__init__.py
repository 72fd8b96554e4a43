"""The lake's own domains: found, named, made by example, and how many patterns a survey counted."""
