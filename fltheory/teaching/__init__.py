"""Teaching: the page of seven scenes in one file, the terminal demos, and their numbers."""
