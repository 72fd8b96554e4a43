"""What columns mean: tags and their review, and what is hidden because of them."""
