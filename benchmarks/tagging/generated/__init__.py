"""Columns made to measure tagging on: how their values are drawn, of which kinds, under which names."""
