"""One module per figure; its `draw(data)` renders recorded numbers and computes nothing but
positions on the page."""
