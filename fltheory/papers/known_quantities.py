"""The quantities that a claim file may use, with their kinds and meanings."""

from collections.abc import Mapping

from fltheory.claims.measures import MEASURES
from fltheory.core.vocabulary import CLIENT_WORDS, MEASURED, WORDS, quantity

KINDS: Mapping[str, dict[str, bool]] = {
    "real": {"real": True},
    "positive": {"positive": True},
    "nonnegative": {"nonnegative": True},
    "count": {"integer": True, "positive": True},
    "index": {"integer": True, "nonnegative": True},
}
"""What may be said of a symbol of one's own."""


def quantities(*, runs: bool) -> dict[str, str]:
    """Every name that a claim may use, with its meaning; with `runs`, those that a claim about runs
    may use.

    >>> quantities(runs=True)["max_staleness"]
    'largest staleness'
    >>> "update_time" in quantities(runs=True), "update_time" in quantities(runs=False)
    (False, True)
    """
    known = {word.name: word.says for word in (*WORDS, *MEASURED)}
    return {name: says for name, says in known.items() if not runs or name in MEASURES}


def kind_of(name: str) -> str:
    """The kind of a quantity that needs no declaration.

    >>> kind_of("num_clients"), kind_of("limit")
    ('count', 'real')
    """
    return quantity(name).kind.name.lower()


def quantities_of_clients() -> dict[str, str]:
    """Names and meanings for formulas over clients.

    >>> quantities_of_clients()["client_importance"]
    'its weight in the global loss'
    """
    return {word.name: word.says for word in CLIENT_WORDS}
