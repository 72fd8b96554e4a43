"""What names of columns say, learned from labelled columns and published sources: the programs that write the words."""
