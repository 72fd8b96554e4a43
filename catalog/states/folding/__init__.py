"""From Arrow batches to states."""
