"""Sweeps: run a command over a grid of options, each cell once, safe against faults."""
