"""What another version of Assay would tag and learn otherwise, before it takes effect."""
