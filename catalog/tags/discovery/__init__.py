"""What the lake's own columns say of meaning: domains found, the census of patterns, samples."""
