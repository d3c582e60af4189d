"""What a figure is said to show, as contrasts that are decided by a paired test over seeds.

A claim has a number d_s for each seed s: a sum of coefficients times one summary of each run with
that seed (all runs of a seed share data, partition, availability and minibatches, so differences
are paired). Its mean has a 95% interval by Student's t. "positive" says that the mean lies above a
margin, "small" that it lies within a margin of 0; the interval decides, or leaves it undecided.
Where a page decides many claims, wider intervals (Bonferroni's) say which outcomes hold all at
once.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact

ERROR = 0.05
MOST_SEEDS = 1000
SUMMARIES = {
    "final": "at the end",
    "tail": "mean of the last tenth",
    "best": "best of all",
    "early": "at a quarter of the run",
    "swing": "largest less smallest in the last third",
    "zigzag": "mean change between neighbours in the last half",
}
"""How a curve becomes one number."""

KINDS = {"positive": "above", "small": "within"}
Term = tuple[float, str, str]


class Outcome(Enum):
    """The value is the sentence that the reader sees."""

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Claim:
    """One sentence and the contrast that decides it; terms are (coefficient, panel, series)."""

    says: str
    kind: str
    measure: str
    at: str
    terms: tuple[Term, ...]
    margin: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidInput("kind of a claim", f"be one of {', '.join(KINDS)}", repr(self.kind))
        if self.at not in SUMMARIES:
            raise InvalidInput(
                "summary of a claim", f"be one of {', '.join(SUMMARIES)}", repr(self.at)
            )
        if self.kind == "small" and self.margin <= 0:
            raise InvalidInput(
                "margin of a claim",
                "be above 0 where a difference is said to be small",
                self.margin,
            )

    @classmethod
    def read(
        cls, given: dict[str, Any], panels: Sequence[str], series: Sequence[str], owner: str
    ) -> "Claim":
        """From an experiment file; panels and series must exist."""
        names = ("says", "kind", "measure", "at", "terms", "margin")
        if not set(names[:5]) <= set(given) or not set(given) <= set(names):
            raise InvalidInput(
                f"a claim of {owner}",
                f"have {', '.join(names[:5])} and perhaps margin",
                ", ".join(given),
            )
        terms = []
        for term in given["terms"]:
            if len(term) != 3 or term[1] not in panels or term[2] not in series:
                raise InvalidInput(
                    f"a term of a claim of {owner}",
                    "be [coefficient, panel, series] with names of this file",
                    term,
                )
            terms.append((float(exact(term[0])), term[1], term[2]))
        margin = float(exact(given.get("margin", 0), "margin of a claim"))
        return cls(
            given["says"], given["kind"], given["measure"], given["at"], tuple(terms), margin
        )


@dataclass(frozen=True)
class Decision:
    """The outcome with its statistics: one contrast per seed, their mean and its interval, and the
    exact sign-flip p-value.

    `seeds_needed` is told of an undecided one: so many would decide it if mean and spread stayed as
    they are.
    """

    claim: Claim
    outcome: Outcome
    contrasts: tuple[float, ...]
    mean: float | None
    interval: tuple[float, float] | None
    sign_flip: float | None
    note: str = ""
    seeds_needed: int | None = None


def summary(values: Sequence[float], at: str, *, larger_is_better: bool = False) -> float:
    """One number of a curve.

    >>> summary([3, 1, 2], "final"), summary([3, 1, 2], "best")
    (2.0, 1.0)
    >>> summary([5, 5, 1, 3, 2, 2], "zigzag")
    0.5
    """
    curve = np.asarray(values, float)
    count = len(curve)
    match at:
        case "final":
            return float(curve[-1])
        case "tail":
            return float(curve[-max(1, count // 10) :].mean())
        case "best":
            return float(curve.max() if larger_is_better else curve.min())
        case "early":
            return float(curve[count // 4])
        case "swing":
            last = curve[-max(2, count // 3) :]
            return float(last.max() - last.min())
        case _:
            return float(np.abs(np.diff(curve[-max(2, count // 2) :])).mean())


def decide(claim: Claim, contrasts: Sequence[float], *, error: float = ERROR) -> Decision:
    """Where the interval of the mean contrast lies, which misses the true mean with probability
    `error` (Student's t).

    >>> terms = ((1, "p", "b"), (-1, "p", "a"))
    >>> decide(Claim("a < b", "positive", "train_loss", "final", terms), [0.2, 0.3, 0.25]).outcome
    <Outcome.SUPPORTED: 'supported'>
    """
    values = np.asarray(contrasts, float)
    if not np.isfinite(values).all():
        return Decision(
            claim,
            Outcome.UNDECIDED,
            tuple(map(float, contrasts)),
            None,
            None,
            None,
            "a run diverged or is missing",
        )
    mean, seeds = float(values.mean()), len(values)
    if seeds < 2:
        return Decision(
            claim,
            Outcome.UNDECIDED,
            tuple(map(float, contrasts)),
            mean,
            None,
            None,
            "one seed has no spread",
        )
    spread = float(values.std(ddof=1))
    half = reach(spread, seeds, error)
    low, high = mean - half, mean + half
    if claim.kind == "positive":
        yes, no = low > claim.margin, high <= claim.margin
        flipped = sign_flip(values - claim.margin)
    else:
        yes, no = (
            -claim.margin < low and high < claim.margin,
            low >= claim.margin or high <= -claim.margin,
        )
        flipped = max(sign_flip(claim.margin - values), sign_flip(claim.margin + values))
    outcome = Outcome.SUPPORTED if yes else Outcome.NOT_SUPPORTED if no else Outcome.UNDECIDED
    distance = abs((mean if claim.kind == "positive" else abs(mean)) - claim.margin)
    more = enough_seeds(distance, spread, seeds, error) if outcome is Outcome.UNDECIDED else None
    return Decision(
        claim, outcome, tuple(map(float, contrasts)), mean, (low, high), flipped, seeds_needed=more
    )


def reach(spread: float, seeds: int, error: float) -> float:
    """Half the width of Student's interval: t_{1 - error/2, seeds - 1} spread / sqrt(seeds).

    >>> round(reach(1, 5, 0.05), 3)
    1.242
    """
    from scipy.special import stdtrit

    return float(stdtrit(seeds - 1, 1 - error / 2) * spread / np.sqrt(seeds))


def enough_seeds(distance: float, spread: float, seeds: int, error: float) -> int | None:
    """The least number of seeds, above the given one, whose interval would not reach the margin;
    none up to MOST_SEEDS may do.

    >>> enough_seeds(1, 1, 3, 0.05), enough_seeds(0, 1, 3, 0.05)
    (7, None)
    """
    counts = range(seeds + 1, MOST_SEEDS + 1)
    place = bisect_left(
        counts, True, key=lambda count: reach(spread, count, error) < distance
    )  # more seeds reach less far
    return counts[place] if place < len(counts) else None


def sign_flip(values: Any) -> float:
    """Exact one-sided p-value for a positive mean, if signs were coin flips: share of all flips
    whose sum is at least the one seen.

    >>> sign_flip([1, 2, 3]), sign_flip([1, -1])
    (0.125, 0.75)
    """
    seen = np.asarray(values, float)
    if len(seen) > 12:  # 4096 flips decide any level that is asked for here
        seen = seen[:12]
    sums = [float(np.dot(flip, seen)) for flip in product((1, -1), repeat=len(seen))]
    return float(np.mean([total >= sums[0] - 1e-12 for total in sums]))
