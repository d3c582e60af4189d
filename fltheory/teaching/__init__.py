"""Teaching: the page of five scenes in one file, the terminal demos, and their numbers."""
