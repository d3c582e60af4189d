"""The discussion, and the laws, sizes and ranges of the experiments."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.afl.checks.paths import Exact, Gradient, clipped, mean, work
from fltheory.papers.afl.paper import DELAY, LOCAL, K
from fltheory.papers.afl.statements.experiments import HALF
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.traces.selection import inclusion_probabilities
from fltheory.traces.trace import Trace

Laws = tuple[tuple[Fraction, ...], ...]

SHARES = tuple(Fraction(n, 100) for n in (19, 19, 10, 10, 10, 10, 10, 10, 1, 1))
"""Appendix E.1: the biased arrivals of ten workers."""

LAWS: Laws = (
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)),
    tuple(Fraction(n, 10) for n in (4, 3, 2, 1)),
    (Fraction(1, 5),) * 5,
)


@by_instances(
    Method.EXACT_RUN, covers="exact limits for up to 4 workers with different tilts, two step sizes"
)
def same_arrivals() -> Iterator[Instance]:
    """Appendix D: where AFA-CD ends if the same m workers arrive in every round."""
    for clients, size in ((2, 1), (3, 1), (3, 2), (4, 2)):
        problem = tilted(clients, curvature=2, spread=3)
        row = [i < size for i in range(clients)]
        for step in (Fraction(1, 10), Fraction(1, 4)):
            yield Instance(ends_at(problem, row, step), f"M = {clients}, m = {size}")


def ends_at(problem: CommonCurvature, row: Sequence[bool], step: Fraction) -> dict[str, Fraction]:
    """|grad f|^2 at the limit, and |sum_i (w_i - 1/M) b_i|^2 with w_i = 1/m for those who
    arrive."""
    trace = Trace.fresh([row] * 3)
    limit = limit_cycle(AfaCrossDevice(), problem, trace, local_step_size=step)
    weights = [Fraction(int(here), sum(row)) - Fraction(1, len(row)) for here in row]
    bias = sum((w * tilt[0] for w, tilt in zip(weights, problem.tilts, strict=True)), Fraction(0))
    return {
        "limit_error": Fraction(problem.curvature * known(limit.at_period_end)[0]) ** 2,
        "squared_bias_of_weights": bias**2,
    }


def path_deviation(tilts: Sequence[Exact], size: Fraction, steps: int) -> Fraction:
    """|grad f(0) - mean of Delta_i(0)|^2 for f_i(x) = Huber(x) + b_i x with tilts b_i that sum to
    0, so that grad f(0) = 0 (term A3 without delay and noise)."""

    def slope(tilt: Exact) -> Gradient:
        return lambda x: clipped(1)(x) + tilt

    return mean([work(slope(b), Fraction(0), size, (0,) * steps).exact for b in tilts]) ** 2


def deviations(taken: int) -> Iterator[Instance]:
    """Tilts (2, -1, -1) and their multiples, eta_L = 1."""
    for scale in (0, 1, 2):
        tilts = (2 * scale, -scale, -scale)
        yield Instance(
            {"path_deviation": path_deviation(tilts, Fraction(1), taken)},
            f"K = {taken}, tilts {scale} times (2, -1, -1), x = 0, eta_L = 1",
        )


@by_instances(Method.EXACT_RUN, covers="three workers with a common Huber loss and tilts, K = 2")
def several_steps() -> Iterable[Instance]:
    """Appendix D: with two local steps the deviation A3 depends on the tilts."""
    return deviations(2)


@by_instances(Method.EXACT_RUN, covers="three workers with a common Huber loss and tilts, K = 1")
def one_step() -> Iterable[Instance]:
    """Appendix D: with one local step the deviation A3 is 0."""
    return deviations(1)


def race_probability(shares: Sequence[Fraction], size: int, worker: int) -> Fraction:
    """P(fewer than m others come before), by integrating over the worker's own arrival time t.

    It is the sum over sets A of others, |A| < m, of the integral of p e^{-pt} prod_A (1 - e^{-p_j
    t}) prod_rest e^{-p_j t}. Expanding prod_A gives (-1)^|B| over subsets B of A, and each integral
    is p / (p + sum_B + sum_rest).
    """
    own, others = shares[worker], [p for i, p in enumerate(shares) if i != worker]
    total = Fraction(0)
    for count in range(size):
        for before in combinations(range(len(others)), count):
            rest = sum((p for i, p in enumerate(others) if i not in before), Fraction(0))
            for signs in product((0, 1), repeat=count):
                gone = sum(
                    (others[i] for i, sign in zip(before, signs, strict=True) if sign), Fraction(0)
                )
                total += (-1) ** sum(signs) * own / (own + rest + gone)
    return total


@by_instances(
    Method.PROBABILITY,
    covers="three small laws with every m, and the paper's ten workers with m = 1, 5",
)
def inclusions() -> Iterator[Instance]:
    """Successive sampling of m workers against the race of their arrival times."""
    small = [(law, m) for law in LAWS for m in range(1, len(law) + 1)]
    for shares, size in [*small, (SHARES, 1), (SHARES, 5)]:
        chances = inclusion_probabilities(shares, size)
        for worker in {shares.index(p) for p in shares}:
            yield Instance(
                {
                    "inclusion_probability": chances[worker],
                    "race_probability": race_probability(shares, size, worker),
                    "printed_share": shares[worker],
                    "clients_per_round": size,
                    "sum_of_inclusions": sum(chances),
                },
                f"shares {', '.join(map(str, shares))}, m = {size}, worker {worker}",
            )


@by_instances(Method.ENUMERATION, covers="all 252 extreme deviations of ten workers, m = 1 and 5")
def worst_bias() -> Iterator[Instance]:
    """Five workers deviate by +sigma_G, the other five by -sigma_G: the extreme points of |d_i| <=
    sigma_G, sum d = 0."""
    for size in (1, 5):
        chances = inclusion_probabilities(SHARES, size)
        weights = [p / size for p in chances]
        worst = max(
            sum(weights[i] if i in up else -weights[i] for i in range(10))
            for up in combinations(range(10), 5)
        )
        yield Instance(
            {
                "worst_bias": worst,
                "heavy_inclusion": chances[0],
                "light_inclusion": chances[9],
                "clients_per_round": size,
                "dissimilarity": 1,
            },
            f"m = {size}",
        )


def dynamic_mean(claim: Claim) -> Evidence:
    """(1 + 2 + ... + 2c)/(2c), the mean of a uniform number of local steps."""
    step = sympy.Symbol("k", integer=True, positive=True)
    return check_symbolic(
        claim,
        derived={"mean_local_steps": sympy.summation(step, (step, 1, 2 * HALF)) / (2 * HALF)},
        covers="all c",
    )


def flattened(side: int, padding: int) -> int:
    """Positions counted one by one: a window of 5 slides over the padded side, then windows of 2 do
    not overlap."""
    for _ in range(2):
        side = sum(1 for start in range(side + 2 * padding) if start + 5 <= side + 2 * padding)
        side = sum(1 for start in range(0, side, 2) if start + 2 <= side)
    return 64 * side**2


def image_sizes(sides: Sequence[int]) -> Decide:
    """Table 1: numbers per image after both convolutions and poolings."""

    @by_instances(
        Method.ENUMERATION, covers=f"window positions counted, sides {list(sides)}, padding 0, 1, 2"
    )
    def decide() -> Iterator[Instance]:
        for side, padding in product(sides, (0, 1, 2)):
            size = flattened(side, padding)
            yield Instance(
                {"flattened_size": size, "image_side": side, "padding": padding},
                f"side {side}, padding {padding}",
            )

    return decide


def largest_smoothness(claim: Claim) -> Evidence:
    """The L at which 180 eta_L^2 K^2 L^2 tau = 1."""
    smoothness = sympy.Symbol("l", positive=True)
    delay = sympy.Symbol("tau", positive=True)
    root = sympy.solve(180 * LOCAL**2 * K**2 * smoothness**2 * delay - 1, smoothness)[0]
    return check_symbolic(
        claim,
        derived={"largest_smoothness": root.subs(delay, DELAY)},
        covers="all step sizes, K and tau > 0",
    )


CHECKS = (
    Check("afl.discussion", same_arrivals),
    Check("afl.discussion.a3", several_steps),
    Check("afl.discussion.a3.one-step", one_step),
    Check("afl.exp.incl", inclusions),
    Check("afl.exp.incl.sum", inclusions),
    Check("afl.exp.incl.bias", worst_bias),
    Check("afl.exp.dynamic", dynamic_mean, everything="a sum in closed form, for every c"),
    Check("afl.exp.table1", image_sizes((32,))),
    Check("afl.exp.table1.corrected", image_sizes((24, 28, 32))),
    Check(
        "afl.exp.range",
        largest_smoothness,
        everything="an equation solved for all values of its symbols with tau > 0",
    ),
)
