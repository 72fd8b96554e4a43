"""The parts that a column's state is made of, each mergeable."""
