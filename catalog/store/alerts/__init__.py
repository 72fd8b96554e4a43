"""Routes of alerts, and what was delivered by them."""
