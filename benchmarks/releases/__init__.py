"""Histories of the data that packages carry, release by release."""
