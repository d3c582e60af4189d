"""Measure the attacker's power on planted falsehoods."""
