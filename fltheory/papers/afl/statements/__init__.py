"""What the paper states."""
