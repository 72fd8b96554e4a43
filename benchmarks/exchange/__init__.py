"""Contracts that Assay writes are run in the tools they are written for, and contracts of tools beside what is read."""
