"""Readers of the tables of later lists, by what the tables are about."""
