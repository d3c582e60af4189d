"""Families of instances of a claim, drawn by choices."""
