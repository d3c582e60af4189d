"""Compiled loops for small problems (numba, optional). Only this folder imports numba."""

from importlib.util import find_spec

NUMBA = find_spec("numba") is not None
"""Whether compiled loops can be had: pip install 'fltheory[fast]'."""
