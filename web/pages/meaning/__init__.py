"""What columns mean: the review of tags, the workbench of domains, the glossary."""
