"""Runs that stay on a device: the trace is there before the first round, and nothing comes back
before the last."""
