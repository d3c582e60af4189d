"""The variables of a rate (clients, local steps, rounds, staleness) and the sizes of their runs."""

from collections.abc import Sequence
from dataclasses import replace

from fltheory.analysis.regimes import Regime
from fltheory.analysis.sizes import RunSize
from fltheory.core.errors import InvalidInput

FIELDS = {
    "N": "num_clients",
    "M": "num_clients",
    "K": "local_steps",
    "T": "num_rounds",
    "m": "clients_per_round",
}
"""The field of a RunSize that each variable stands for; for staleness it is the regime's
`stale_by`."""


def check_variable(regime: Regime, versus: str) -> None:
    """Refuse a variable in which the regime claims no exponent."""
    if versus not in regime.claimed:
        raise InvalidInput(
            "variable of a rate",
            f"be one that {regime.claim} speaks of ({', '.join(regime.claimed)})",
            repr(versus),
        )


def sizes_on_grid(regime: Regime, versus: str, grid: Sequence[int], base: RunSize) -> list[RunSize]:
    """The base size with one variable set to each value of a grid."""
    if versus != "staleness" and versus not in FIELDS:
        raise InvalidInput(
            "variable of a rate", f"be one of {', '.join(FIELDS)}, staleness", repr(versus)
        )
    name = regime.stale_by if versus == "staleness" else FIELDS[versus]
    return [replace(base, **{name: value}) for value in grid]


def sizes_for(
    regime: Regime, versus: str, values: Sequence[int], arrivals: int | None
) -> list[RunSize]:
    """The sizes of rule 1 of `fltheory.analysis.rates`, apart from the rounds."""
    base = RunSize(
        num_clients=values[-1] if versus == "m" else RunSize.num_clients,
        clients_per_round=arrivals,
        local_steps=regime.local_steps,
    )
    return sizes_on_grid(regime, versus, values, base)


def as_claimed(regime: Regime, versus: str, values: Sequence[int]) -> tuple[float, ...]:
    """The variable as the claim counts it."""
    return tuple(
        regime.staleness(value) if versus == "staleness" else float(value) for value in values
    )
