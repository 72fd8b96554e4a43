"""What the columns of the lake look like, kept on disk."""
