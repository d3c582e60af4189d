"""Decide the claims, keep the record, tell what was found."""
