"""Theorem 5.3 and eq. (2): the exact law of the average staleness under coin flips."""

from collections.abc import Iterator
from fractions import Fraction
from math import floor

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.probability import tail, total_staleness_law
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.mifa.checks.bernoulli import whole_part
from fltheory.papers.mifa.checks.tools import check_convex_slack
from fltheory.papers.mifa.statements.bernoulli import AVERAGE_LIMIT, RATIO

POPULATIONS = (
    (("1/2",), 12),
    (("1/10",), 28),
    (("1/2", "1/5"), 12),
    (("9/10", "1/10"), 14),
    (("1/4", "1/4", "1/2"), 8),
)
"""Chances of the devices, and the number of rounds."""


def mean_inverse(chances: tuple[str, ...]) -> Fraction:
    """(1/N) sum_i 1/p_i."""
    return sum((1 / Fraction(p) for p in chances), Fraction(0)) / len(chances)


@by_instances(Method.PROBABILITY, "exact law of taubar for five populations, three values of delta")
def average_fails() -> Iterator[Instance]:
    """The chance that taubar_T exceeds C (1 + log(1/delta)) mean(1/p), C = e/(e-1)
    (Theorem 5.3)."""
    for chances, rounds in POPULATIONS:
        inverse, law = mean_inverse(chances), total_staleness_law(chances, rounds)
        for level in map(Fraction, ("1", "1/2", "1/10")):
            values = {"confidence_gap": level, "mean_inverse_chance": inverse}
            most = whole_part(evaluate(AVERAGE_LIMIT, values) * len(chances) * rounds, floor)
            yield Instance(
                {"failure_probability": tail(law, most + 1), "confidence_gap": level},
                f"{chances}, R = {rounds}",
            )


@by_instances(Method.PROBABILITY, "exact law of taubar for five populations, levels x >= 1")
def average_tail() -> Iterator[Instance]:
    """P(taubar_T >= x mean(1/p)) at values x >= 1 that taubar_T takes (Theorem 5.3)."""
    for chances, rounds in POPULATIONS:
        inverse, law = mean_inverse(chances), total_staleness_law(chances, rounds)
        levels = [total for total in law if total >= inverse * len(chances) * rounds]
        for total in levels[:: max(1, len(levels) // 6)]:
            yield Instance(
                {
                    "tail_probability": tail(law, total),
                    "level": Fraction(total, len(chances) * rounds) / inverse,
                },
                f"{chances}, R = {rounds}, summed staleness {total}",
            )


def constant_of_average(claim: Claim) -> Evidence:
    """x <= e/(e-1) (x - log x), for the slack is convex in x (Theorem 5.3)."""
    return check_convex_slack(
        claim, RATIO, sample={}, covers="every x > 0: the slack is convex and touches 0 at x = e"
    )


@by_instances(
    Method.PROBABILITY, "exact leading constants of mifa.thm5.1.asymptote for five populations"
)
def rounds_needed() -> Iterator[Instance]:
    """24/35 (2 taubar + 1) at the limit of E taubar, which is the mean of q/p (eq. 2)."""
    for chances in (("1",), ("1/2",), ("1/10", "9/10"), ("1/10", "1/5", "3/10"), ("1/100", "1")):
        known = [Fraction(p) for p in chances]
        staleness = sum((1 - p) / p for p in known) / len(known)
        yield Instance(
            {
                "leading_constant": Fraction(24, 35) * (2 * staleness + 1),
                "mean_inverse_chance": mean_inverse(chances),
            },
            f"p = {chances}",
        )


CHECKS = (
    Check("mifa.thm5.3", average_fails),
    Check("mifa.thm5.3.explicit", average_tail),
    Check(
        "mifa.thm5.3.constant",
        constant_of_average,
        everything="an inequality for every x > 0, by convexity",
    ),
    Check("mifa.eq2", rounds_needed),
)
