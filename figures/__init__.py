"""The gallery: `compute` turns exact runs and the ledger into plain numbers in `data`, `draw` turns
those numbers into pictures.

Nothing flows back: a drawing imports nothing of fltheory, so it cannot run a simulation.
"""
