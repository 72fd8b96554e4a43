"""Tables as jobs write them in lakes."""
