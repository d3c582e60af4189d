"""Evidence: what a check found about a claim, no stronger than what was done."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypedDict

from fltheory.claims.scope import Scope
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json, Values


class Verdict(Enum):
    """The outcome of a check, or of all checks of a claim; the value is what the reader sees.

    CERTIFIED is the strength of a line about named runs, never the verdict on a claim.
    """

    PROVED = "proved for everything that it says"
    CERTIFIED = (
        "holds for a whole class of functions in the runs that the line names, with certificates"
        " that anyone can check"
    )
    SUPPORTED = "held in everything that was tried; not proved for everything that it says"
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
    KERNEL = "a proof that a proof assistant has checked"
    ARITHMETIC = "algebra with a certificate that the standard library checks"
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
    `looseness` is left/right there and `trivial` the bound that holds without any theorem;
    `scenario` says what was covered in words, `scope` as data.
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
    scope: Scope = field(default_factory=Scope)
    trivial: str = ""


_STRENGTH = (
    Verdict.REFUTED,
    Verdict.VACUOUS,
    Verdict.PROVED,
    Verdict.SUPPORTED,
    Verdict.UNDECIDED,
)


def overall(lines: Iterable[Evidence]) -> Verdict:
    """The verdict on a claim, no wider than its evidence.

    A line that proves or certifies less than everything that the claim says supports the claim. A
    proof and a counterexample together are an error of the checks.

    >>> short = Evidence("afl.thm2c", Method.SDP, Verdict.CERTIFIED, "three rounds")
    >>> overall([short]).name
    'SUPPORTED'
    >>> whole = Evidence("x.y", Method.SYMBOLIC, Verdict.PROVED, "", scope=Scope("an identity"))
    >>> overall([whole]).name
    'PROVED'
    """
    counted = {_on_claim(line) for line in lines}
    if {Verdict.PROVED, Verdict.REFUTED} <= counted:
        raise InvalidInput(
            "evidence", "not both prove and refute a claim", sorted(v.name for v in counted)
        )
    return next((v for v in _STRENGTH if v in counted), Verdict.UNDECIDED)


def _on_claim(line: Evidence) -> Verdict:
    """What a line says about the claim as a whole."""
    if line.verdict in (Verdict.PROVED, Verdict.CERTIFIED):
        return Verdict.PROVED if line.scope.everything else Verdict.SUPPORTED
    return line.verdict
