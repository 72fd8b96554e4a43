"""Rules from history of our learner and of its rivals, on real and generated series."""
