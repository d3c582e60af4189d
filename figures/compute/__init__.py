"""One module per figure; its `numbers()` gives all that the drawing needs, with a title and a
caption, as plain JSON values."""
