"""What the names of columns ask and of whom: in full, shortened, as codebooks call it."""
