"""The attacker: search the region that a claim's printed conditions leave for an instance that
contradicts it, decide exactly, shrink."""
