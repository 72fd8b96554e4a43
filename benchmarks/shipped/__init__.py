"""Scripts whose results the product ships."""
