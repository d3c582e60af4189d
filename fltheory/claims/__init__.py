"""Claims, evidence, scenarios, and the means to decide and to attack them."""
