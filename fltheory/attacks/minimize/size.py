"""The size of a counterexample: clients, rounds, local steps and denominators; a small one can be
checked by hand."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from fltheory.attacks.entries import SizeEntry
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.core.types import Json, JsonValue

MOST_CLIENTS, MOST_ROUNDS, MOST_DENOMINATOR = 3, 4, 4
"""A counterexample within these limits is small."""

INPUTS = ("problem", "settings", "start", "local_step_size", "server_step_size", "parameters")
"""The parts of a run that are chosen; the others follow from them."""


@dataclass(frozen=True)
class CounterexampleSize:
    """Sizes of an instance, 0 if it has no such size; `denominator` is the largest one of its
    numbers.

    The numbers are the inputs of a run if there is one, else all values of the claim's symbols,
    computed ones too; `drawn` is the largest denominator of the numbers that were chosen freely.
    """

    clients: int
    rounds: int
    local_steps: int
    denominator: int
    digits: int
    drawn: int = 1

    @property
    def small(self) -> bool:
        return not self.exceeded

    @property
    def exceeded(self) -> list[str]:
        """The exceeded limits, in words."""
        told = [
            (self.clients, MOST_CLIENTS, "clients"),
            (self.rounds, MOST_ROUNDS, "rounds"),
            (self.denominator, MOST_DENOMINATOR, "as largest denominator"),
        ]
        return [f"{_shown(value)} {what}" for value, most, what in told if value > most]

    @property
    def weight(self) -> tuple[int, ...]:
        """A smaller instance has a smaller weight: first what exceeds the limits, then
        everything."""
        over = (
            max(self.clients, MOST_CLIENTS),
            max(self.rounds, MOST_ROUNDS),
            max(self.denominator, MOST_DENOMINATOR),
        )
        return *over, self.clients, self.rounds, self.local_steps, self.denominator, self.digits

    def to_json(self) -> SizeEntry:
        """Plain data."""
        return {
            "clients": self.clients,
            "rounds": self.rounds,
            "local_steps": self.local_steps,
            "denominator": self.denominator,
            "drawn_denominator": self.drawn,
        }


def size_of(claim: Claim, instance: Instance, drawn: Iterable[Fraction] = ()) -> CounterexampleSize:
    """The size of an instance; `drawn` are the numbers that were chosen freely.

    >>> from fltheory.papers import find_claim
    >>> instance = Instance({"num_rounds": 5, "smoothness": "1/3"})
    >>> size_of(find_claim("afl.thm2c"), instance).exceeded
    ['5 rounds']
    """
    run: Json = (instance.scenario or {}).get("run") or {}
    rows = [str(row) for row in _trace_table(run, "delivers")]
    values = {
        s.name: str(instance.values[s.name]) for s in claim.symbols if s.name in instance.values
    }
    text = (
        json.dumps({part: run.get(part) for part in INPUTS}) if run else " ".join(values.values())
    )
    whole = {
        name: int(value) for name, value in values.items() if value.isdecimal() and len(value) < 10
    }
    steps = max(
        (
            int(str(step))
            for row in _trace_table(run, "local_steps")
            for step in (row if isinstance(row, list) else [])
        ),
        default=whole.get("local_steps", 0),
    )
    return CounterexampleSize(
        (
            len(rows[0])
            if rows
            else max(whole.get("num_clients", 0), _counted(instance.says, "client"))
        ),
        len(rows) or max(whole.get("num_rounds", 0), _counted(instance.says, "round")),
        steps,
        max((int(part) for part in re.findall(r"/(\d{1,4000})", text)), default=1),
        len(re.findall(r"\d", text)),
        max((number.denominator for number in drawn), default=1),
    )


def _trace_table(run: Json, name: str) -> list[JsonValue]:
    """The rows of a table of the trace of a run; none without a run."""
    trace = run.get("trace")
    rows = trace.get(name) if isinstance(trace, dict) else None
    return rows if isinstance(rows, list) else []


def _shown(value: int) -> str:
    """A whole number, rounded if it is long."""
    if value < 10**9:
        return str(value)
    return f"{float(value):.0e}" if value < 10**300 else "over 10^300"


def _counted(says: str, what: str) -> int:
    """The number before a word in a description, such as 97 in `97 rounds`."""
    return max((int(number) for number in re.findall(rf"\b(\d{{1,9}}) {what}", says)), default=0)
