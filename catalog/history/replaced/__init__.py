"""What a rewrite made of the rows that it replaced: the same rows, before and after."""
