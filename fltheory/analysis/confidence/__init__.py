"""Confidence sequences that hold at every sample size."""
