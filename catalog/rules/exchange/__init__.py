"""Rules for other tools: taken apart into demands, and written in their formats."""
