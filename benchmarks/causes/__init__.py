"""How often the cause of a damaged version is named."""
