"""When batches come: places in the month, times of the day and the week, and how many rows usually come then."""
