"""Nouns about the service itself: processes, runs, reports, set-up."""
