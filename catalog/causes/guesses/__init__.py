"""What may have happened: to numbers, strings, times, whole rows."""
