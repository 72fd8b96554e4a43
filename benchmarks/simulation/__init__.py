"""A month of a small company, then a hundred things that go wrong."""
