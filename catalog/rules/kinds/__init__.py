"""One kind of rule a file."""
