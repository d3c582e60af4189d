"""Fast local work: what a problem may offer instead of K separate local steps, computed only for
clients that deliver."""
