"""What the JSON interface takes, and what it answers beside the nouns of `catalog.store.schemas`."""
