"""What programs are told of each noun: one schema, made in one place, for the API and for ``--json`` of commands."""
