"""One module a format: what is read and what is written of it stand together. By their documentation."""
