"""Compiled loops for small problems (numba, optional). Only this folder imports numba."""

from fltheory.core.extras import available

NUMBA = available("fast")
"""Whether compiled loops can be used."""
