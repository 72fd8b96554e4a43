"""The product as a whole: the home page, runs, reports."""
