"""Evidence: what a check found about a claim, no stronger than what was done."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypedDict

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json, Values


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


class Provenance(TypedDict, total=False):
    """Where values come from, so that they can be computed again.

    `run` is a scenario as JSON, and `measures` maps each symbol to the quantity measured on it;
    `origin` holds {"kind": name, ...data} for fltheory.ledger.origins. Values that were sampled
    carry the seed, the number of observations and the probability of an error.
    """

    run: Json
    measures: dict[str, str]
    origin: Json
    seed: int
    observations: int
    error_probability: str


@dataclass(frozen=True)
class Counterexample:
    """Values of every symbol at which a claim fails, and where they come from, if known."""

    values: Values
    left: str
    right: str
    scenario: Provenance | None = None


@dataclass(frozen=True)
class Evidence:
    """What one check found.

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
    """The verdict on a claim, the strongest of its evidence; a proof and a counterexample together
    are an error of the checks."""
    verdicts = {line.verdict for line in lines}
    if Verdict.REFUTED in verdicts and verdicts & {Verdict.PROVED, Verdict.CERTIFIED}:
        raise InvalidInput(
            "evidence", "not both prove and refute a claim", sorted(v.name for v in verdicts)
        )
    return next((v for v in _STRENGTH if v in verdicts), Verdict.UNDECIDED)
