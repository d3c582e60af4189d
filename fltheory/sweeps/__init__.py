"""Grids of commands: a file names a command and a grid, each cell is run once, and nothing is lost
under faults."""
