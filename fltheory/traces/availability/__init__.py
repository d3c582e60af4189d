"""OPEN FOLDER: who is available in each round; a file that defines MEMBERS adds a model."""

ROLE = ("num_clients", "declares", "matrix")
"""What every model has (`fltheory.traces.availability.base.Availability`)."""
