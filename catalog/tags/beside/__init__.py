"""What columns mean by what stands beside them: the days of a row, the halves of a name, values of masked columns."""
