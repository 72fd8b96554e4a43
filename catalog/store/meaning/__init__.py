"""What columns mean: tags, domains of the lake, and what is hidden because of them."""
