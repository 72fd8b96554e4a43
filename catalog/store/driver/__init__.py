"""The lists that are asked for most, by the driver alone: quick to load."""
