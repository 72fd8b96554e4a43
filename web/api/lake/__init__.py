"""What the lake holds, for programs: tables, columns, tags, domains, owners."""
