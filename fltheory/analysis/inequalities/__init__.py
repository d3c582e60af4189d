"""Inequalities between quantities of a run that hold for a whole class of functions, with proofs by
exact multipliers."""
