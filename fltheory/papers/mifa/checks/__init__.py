"""How each statement is decided."""
