"""All regimes of the papers, and quantities whose rates are known."""

from functools import cache

from fltheory.analysis.rates import Rate, measure_rate
from fltheory.analysis.sizes import RunSize
from fltheory.analysis.variables import FIELDS
from fltheory.papers import find_regime, regimes

REGIMES = regimes()
MIFA = find_regime("mifa.thm5.1")
VARIABLES = [(regime, variable) for regime in REGIMES for variable in regime.claimed]


@cache
def measured(variable: str) -> Rate:
    """The rate of MIFA's Theorem 5.1, measured once."""
    return measure_rate(MIFA, variable)


def law(variable, exponent, correction=lambda size: 1.0):
    """A quantity that is a power of one variable, and 1/T, times a correction."""

    def quantity(size: RunSize) -> float:
        value = (
            size.num_rounds**exponent
            if variable == "T"
            else getattr(size, FIELDS[variable]) ** exponent / size.num_rounds
        )
        return 3 * value * correction(size)

    return quantity
