"""Inequalities that hold for a whole class of functions, proved by exact multipliers."""
