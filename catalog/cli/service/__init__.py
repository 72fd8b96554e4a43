"""Nouns about the service itself: processes, runs, set-up."""
