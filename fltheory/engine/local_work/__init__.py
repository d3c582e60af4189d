"""Local work done at once: what a problem may offer instead of K separate steps, for the clients
that deliver and for no others."""
