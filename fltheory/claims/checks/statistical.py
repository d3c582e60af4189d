"""Evidence from samples: a bound on an expectation, decided by a confidence sequence that may stop
at any time.

A verdict is wrong with at most the stated probability; it depends on the seed alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isinf

import sympy

from fltheory.analysis.confidence.anytime import Interval
from fltheory.analysis.confidence.betting import confidence_sequence
from fltheory.analysis.confidence.observations import ERROR, Law, probability
from fltheory.analysis.monte_carlo import RUNS_PER_SEED
from fltheory.claims.checks.instances import Instance, check_instances, refuted, violated
from fltheory.claims.claim import Claim, LowerBound, UpperBound, evaluate
from fltheory.claims.evidence import Evidence, Method, Provenance, Verdict
from fltheory.core.enclosure import compare, shown
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, ExactLike

Observe = Callable[[int, int, int], Array]
"""(seed, first, count) -> the observations number first, ..., first + count - 1 of the stream that
belongs to the seed."""

LARGEST_BATCH = 1 << 14


@dataclass(frozen=True)
class Sampling:
    """How a check samples: `law` is what is known about the observations; at most `budget` of them
    are drawn, the first `batch` of them at once."""

    draw: Observe
    law: Law
    seed: int = 0
    error: ExactLike = ERROR
    batch: int = 500
    budget: int = 100_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", probability(self.error))
        if not 1 <= self.batch <= self.budget:
            raise InvalidInput(
                "size of the first batch", f"lie in [1, {self.budget}], the budget", self.batch
            )


def check_expectation(
    claim: Claim, sampling: Sampling, *, of: str, instance: Instance, covers: str
) -> Evidence:
    """Decide a bound whose left side is an affine function of one expectation, the symbol named
    `of`, by sampling that expectation.

    SUPPORTED if the claim holds at both ends of the confidence interval (so at all values between),
    REFUTED if it fails at both, UNDECIDED if the budget ends first. `instance` has the values of
    all other symbols. A generic planted falsehood (the bound moved just beyond the ratio found)
    lies inside the interval, so a Check of this kind needs a `plant` of its own.
    """
    sequence = confidence_sequence(
        sampling.law, error=sampling.error, near=_critical(claim, of, instance)
    )
    state = sequence.start()
    covers = f"{covers}; seed {sampling.seed}"
    while state.seen < sampling.budget:
        size = min(max(sampling.batch, state.seen), LARGEST_BATCH, sampling.budget - state.seen)
        state = sequence.update(state, sampling.draw(sampling.seed, state.seen, size))
        if state.lower > state.upper:
            return Evidence(
                claim.id,
                Method.STATISTICAL,
                Verdict.UNDECIDED,
                covers,
                note=(
                    f"the {state.seen} observations contradict what is said of them: {sampling.law}"
                ),
            )
        ends = [
            replace(instance, values={**instance.values, of: _end(x)})
            for x in (state.lower, state.upper)
        ]
        decided = _decided(claim, ends, sampling, state, covers)
        if decided is not None:
            return replace(decided, note=_note(of, sampling, state))
    low, high = (shown(evaluate(claim.statement.left, end.values)) for end in ends)
    right = shown(evaluate(claim.statement.right, instance.values))
    return Evidence(
        claim.id,
        Method.STATISTICAL,
        Verdict.UNDECIDED,
        covers,
        f"from {low} to {high}",
        right,
        note=_note(of, sampling, state),
    )


def _critical(claim: Claim, of: str, instance: Instance) -> Fraction:
    """The expectation at which both sides are equal, rounded to a float: the confidence sequence is
    sharpest there."""
    if not isinstance(claim.statement, UpperBound | LowerBound):
        raise InvalidInput(
            f"claim {claim.id}",
            "be an upper or lower bound to be sampled",
            type(claim.statement).__name__,
        )
    unknown = sympy.Symbol("expectation", real=True)
    left = sympy.expand(evaluate(claim.statement.left, {**instance.values, of: unknown}))
    right = evaluate(claim.statement.right, instance.values)
    slope = left.diff(unknown)
    if slope == 0 or slope.has(unknown):
        raise InvalidInput(f"left side of {claim.id}", f"be an affine function of {of}", left)
    return Fraction(float(sympy.N((right - left.subs(unknown, 0)) / slope, 30)))


def _decided(
    claim: Claim, ends: list[Instance], sampling: Sampling, state: Interval, covers: str
) -> Evidence | None:
    """REFUTED if both ends contradict the claim, SUPPORTED if neither does, None if the bound lies
    between them."""
    right = evaluate(claim.statement.right, ends[0].values)
    lefts = [evaluate(claim.statement.left, end.values) for end in ends]
    if all(violated(claim, compare(left, right)) for left in lefts):
        left, nearest = min(
            zip(lefts, ends, strict=True), key=lambda pair: sympy.N(abs(pair[0] - right))
        )
        known: Provenance = nearest.scenario or {}
        origin: Provenance = {
            **known,
            "seed": sampling.seed,
            "observations": state.seen,
            "error_probability": str(sampling.error),
        }
        return refuted(
            claim,
            replace(nearest, scenario=origin),
            left,
            right,
            method=Method.STATISTICAL,
            covers=covers,
        )
    found = check_instances(claim, ends, method=Method.STATISTICAL, covers=covers)
    return found if found.verdict is Verdict.SUPPORTED else None


def _end(value: float | Array) -> Fraction | sympy.Expr:
    """An end of the interval, as the exact number that the float represents."""
    number = float(value)
    return (sympy.oo if number > 0 else -sympy.oo) if isinf(number) else Fraction(number)


def _note(of: str, sampling: Sampling, state: Interval) -> str:
    interval = (
        f"estimate: {of} lies in [{float(state.lower):.6g}, {float(state.upper):.6g}] after"
        f" {state.seen} observations"
    )
    return (
        f"{interval}, wrong with probability at most {float(sampling.error):g}, given"
        f" {sampling.law}"
    )


def run_seeds(seed: int, first: int, count: int) -> range:
    """Seeds of the runs number first, ..., first + count - 1."""
    return range(seed * RUNS_PER_SEED + first, seed * RUNS_PER_SEED + first + count)


def tighter(factor: ExactLike) -> Callable[[Claim], Claim]:
    """A planted falsehood: the claim with its right side multiplied by the factor."""
    return lambda claim: claim.planted(right=claim.statement.right * sympy.Rational(factor))
