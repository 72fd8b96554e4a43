"""String rules of our learner, of Auto-Validate and of its rivals, on real columns."""
