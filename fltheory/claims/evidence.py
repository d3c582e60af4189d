"""Evidence: what a check found out about a claim, no stronger than what it did."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fltheory.core.errors import InvalidInput


class Verdict(Enum):
    """The outcome of a check; the value is the sentence that the reader sees."""

    PROVED = "proved for every case that the evidence names"
    CERTIFIED = (
        "holds for a whole class of functions in the cases that the evidence names, with"
        " certificates that anyone can check"
    )
    SUPPORTED = "held in everything that was tried"
    REFUTED = "false: there is a counterexample that anyone can replay"
    VACUOUS = "its hypotheses cannot hold together, so it says nothing"
    UNDECIDED = "not decided by what was tried"


class Method(Enum):
    """How a check decides; the value is the sentence that the reader sees."""

    SYMBOLIC = "symbolic algebra"
    EXACT_RUN = "runs in exact rational arithmetic"
    ENUMERATION = "exhaustive enumeration"
    PROBABILITY = "exact probability"
    EVENT_SIMULATION = "event simulation with exact times"
    BOUND_ON_RUN = "bound evaluated against exact trajectories"
    SWEEP = "growth along a sweep"
    MOMENTS = "expectation by moments, in floating point"
    DATA = "arithmetic on the printed data"
    SDP = "semidefinite programming with an exact certificate"
    STATISTICAL = "samples with an anytime-valid guarantee"
    ATTACK = "search over the region that its printed conditions leave"


@dataclass(frozen=True)
class Counterexample:
    """Values of every symbol at which a claim fails, and the run they come from where there is
    one."""

    values: dict[str, Any]
    left: str
    right: str
    scenario: dict[str, Any] | None = None


@dataclass(frozen=True)
class Evidence:
    """One line of the ledger.

    `left` and `right` are the two sides, as exact text, at the tightest (or violating) instance;
    `looseness` is left/right there; `scenario` says what was covered.
    """

    claim: str
    method: Method
    verdict: Verdict
    scenario: str
    left: str = ""
    right: str = ""
    looseness: str = ""
    note: str = ""
    counterexample: Counterexample | None = None


_STRENGTH = (
    Verdict.REFUTED,
    Verdict.VACUOUS,
    Verdict.PROVED,
    Verdict.CERTIFIED,
    Verdict.SUPPORTED,
    Verdict.UNDECIDED,
)


def overall(lines: Iterable[Evidence]) -> Verdict:
    """The verdict on a claim: a counterexample beats all, and contradicts a proof, which is an
    error of ours."""
    verdicts = {line.verdict for line in lines}
    if Verdict.REFUTED in verdicts and verdicts & {Verdict.PROVED, Verdict.CERTIFIED}:
        raise InvalidInput(
            "evidence", "not both prove and refute a claim", sorted(v.name for v in verdicts)
        )
    return next((v for v in _STRENGTH if v in verdicts), Verdict.UNDECIDED)
