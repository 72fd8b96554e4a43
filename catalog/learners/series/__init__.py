"""Learning bands of metrics from a table's past."""
