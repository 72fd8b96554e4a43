"""Telling people of incidents: where to, in which words, and by a process that can reach nothing else."""
