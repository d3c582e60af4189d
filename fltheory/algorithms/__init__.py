"""OPEN FOLDER: methods, each a server step and a worker; a file that defines MEMBERS adds some."""

ROLE = ("worker", "start", "step")
"""What every method has (`fltheory.engine.roles.Algorithm`)."""
