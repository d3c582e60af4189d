"""Teaching: the page of five scenes in one file, and the numbers that it and the terminal demos
show."""
