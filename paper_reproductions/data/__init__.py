"""Data sets: two small ones inside the package, others from a folder or from their public homes,
each checked by its content."""
