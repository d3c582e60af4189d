"""How the claims of MIFA are decided."""
