"""Queries behind the pages and the JSON interface: what is looked at together, counted and cut into pages.

Each function takes a Session and never writes. Lists come with the number of rows there are in all.
"""
