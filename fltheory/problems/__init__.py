"""OPEN FOLDER: clients' losses; a file that defines MEMBERS adds some."""

ROLE = ("num_clients", "dimension", "gradients")
"""What every problem has (`fltheory.engine.roles.Problem`)."""
