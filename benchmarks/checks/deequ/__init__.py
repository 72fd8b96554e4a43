"""The real deequ in an environment of its own: what is built there, asked there, and what it costs."""
