"""The tables inside the releases of packages, each by a reader of the files of a release."""
