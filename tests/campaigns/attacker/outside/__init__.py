"""Claims that were not written with the attacker in mind."""
