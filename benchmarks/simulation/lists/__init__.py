"""Lists of faults, each made up before its figures were seen."""
