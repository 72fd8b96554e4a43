"""Pages for people, one module per subject."""
