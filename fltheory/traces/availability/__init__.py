"""OPEN FOLDER: who is available in each round; a file that defines MEMBERS adds a model."""
