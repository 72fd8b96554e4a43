"""From states to proposals: the index, replays, tags and rules."""
