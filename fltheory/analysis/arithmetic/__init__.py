"""Identities and inequalities between formulas, proved by substitution and coefficients."""
