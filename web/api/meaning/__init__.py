"""What columns mean, for programs: the review of tags."""
