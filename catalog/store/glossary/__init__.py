"""What people say of the lake: terms of a glossary, descriptions of sources, tables and columns, and their exchange."""
