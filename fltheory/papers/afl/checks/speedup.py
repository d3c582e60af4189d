"""Corollary 3 and Remarks 5 to 7: limits of the bound, exact runs in which workers take turns, and
the noise that stays."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import sympy

from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.analysis.trends import TOLERANCE
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.enclosure import as_expression
from fltheory.papers import find_claim
from fltheory.papers.afl.checks.memory import updates_at_rest
from fltheory.papers.afl.checks.orders import GROW, Path, substituted
from fltheory.papers.afl.checks.paths import mean
from fltheory.papers.afl.paper import (
    AGE,
    FRESH,
    LOCAL,
    NOISE,
    PER_ROUND,
    SERVER,
    K,
    L,
    M,
    T,
)
from fltheory.papers.afl.statements.memory import condition_4
from fltheory.papers.afl.statements.speedup import STEPS3
from fltheory.traces.trace import Trace


def taking_turns(claim: Claim) -> Evidence:
    """M workers take turns on x^2/2 with T = M^5, so that g = sqrt(M/T) = 1/M^2: the lower bound of
    afl.cor3.floor against the order."""
    floor = substituted("afl.cor3.floor", STEPS3).subs(NOISE, 1).subs(T, M**5).subs(M, GROW)
    derived = {
        "mean_squared_gradient": sympy.powdenest(floor, force=True),
        "num_clients": GROW,
        "num_rounds": GROW**5,
        "local_steps": sympy.S.One,
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=GROW,
        covers=(
            "M workers take turns on x^2/2, one per round, K = 1, T = M^5; lower bound"
            " afl.cor3.floor, which is proved for all M; M grows"
        ),
    )


def stationary_floor(groups: int) -> sympy.Expr:
    """Stationary E x^2 / g, g to 0, of x_{t+1} = x_t - (g/P) sum_{d<P} (x_{t-d} + n_{t-d}) with P
    groups and E n^2 = sigma^2/m.

    The state is (x_t, ..., x_{t-P+1}, n_{t-1}, ..., n_{t-P+1}); its covariance solves C = A C A' +
    sigma^2/m b b'.
    """
    g, size = sympy.Symbol("g", positive=True), 2 * groups - 1
    step = g / groups
    matrix, entry = sympy.zeros(size, size), sympy.zeros(size, 1)
    for d in range(groups):
        matrix[0, d] -= step
    matrix[0, 0] += 1
    for d in range(groups - 1):
        matrix[0, groups + d] = -step
        matrix[d + 1, d] = 1
        if d:
            matrix[groups + d, groups + d - 1] = 1
    entry[0] = -step
    if groups > 1:
        entry[groups] = 1
    unknown = sympy.Matrix(size, size, lambda i, j: sympy.Symbol(f"c{min(i, j)}_{max(i, j)}"))
    equations = unknown - matrix * unknown * matrix.T - NOISE**2 / PER_ROUND * entry * entry.T
    solved = sympy.solve(
        [equations[i, j] for i in range(size) for j in range(i, size)],
        sorted(unknown.free_symbols, key=str),
        dict=True,
    )[0]
    return sympy.limit(sympy.cancel(solved[unknown[0, 0]] / g), g, 0)


def noise_rate(claim: Claim) -> Evidence:
    """The stationary E |grad f|^2 over g as g vanishes, for groups of m workers in turn."""
    cases = ({"noise_floor_per_step": stationary_floor(groups)} for groups in (1, 2, 3))
    return check_symbolic_cases(
        claim,
        cases,
        covers=(
            "M/m = 1, 2, 3 groups in turn: stationary covariance solved exactly, limit g to 0, all"
            " m and sigma_L"
        ),
    )


def rate_in_clients(claim: Claim) -> Evidence:
    """afl.cor3.floor as T grows, over g, at g = 1/M^2: (1 - 1/M)^3/3."""
    floor = find_claim("afl.cor3.floor").statement.right.subs({NOISE: 1, SERVER: 1})
    rate = sympy.limit(floor, T, sympy.oo) / LOCAL
    return check_order_limit(
        claim,
        derived={
            "noise_floor_per_step": rate.subs(LOCAL, 1 / M**2).subs(M, GROW),
            "num_clients": GROW,
        },
        variable=GROW,
        covers=(
            "M workers take turns, one per round, g = 1/M^2; lower bound afl.cor3.floor, which is"
            " proved for all M; M grows"
        ),
    )


def exponent_in_clients(claim: Claim) -> Evidence:
    """afl.cor3.floor at Corollary 3's step sizes and T = M j^2, so that 1/g = j is whole: times
    sqrt T it tends to sqrt(M)/3 as j grows.

    A quantity that is at least a constant times a power of M has at least that exponent. The lower
    bound makes no statement about larger exponents.
    """
    whole = sympy.Symbol("j", positive=True)
    floor = substituted("afl.cor3.floor", STEPS3).subs({NOISE: 1}).subs(T, M * whole**2)
    leading = sympy.limit(sympy.simplify(sympy.sqrt(M) * whole * floor), whole, sympy.oo)
    exponent = sympy.limit(sympy.simplify(M * sympy.diff(leading, M) / leading), M, sympy.oo)
    covers = (
        "M workers take turns, one per round, K = 1: sqrt(T) times the lower bound afl.cor3.floor,"
        f" which is proved for all M, tends to {leading.subs(M, sympy.Symbol('M', positive=True))};"
        " its exponent as M grows"
    )
    instance = Instance(
        {"measured_exponent": exponent, "tolerance": Fraction(str(TOLERANCE))}, "workers in turn"
    )
    found = check_instances(claim, [instance], method=Method.SYMBOLIC, covers=covers)
    if found.verdict is Verdict.REFUTED:
        return found
    return Evidence(
        claim.id,
        Method.SYMBOLIC,
        Verdict.UNDECIDED,
        covers,
        note="a lower bound supports no upper one",
    )


def sizes(claim: Claim) -> Evidence:
    """tau = 0, eta_L = 1/(100 K), eta = 1/K^3, all entries fresh."""
    path: Path = {K: GROW, AGE: 0, LOCAL: 1 / (100 * GROW), SERVER: GROW**-3, L: 1, M: 1, FRESH: 1}
    derived = {"condition_four": condition_4(320).subs(path)} | {
        s.name: as_expression(v) for s, v in path.items()
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=GROW,
        covers="tau = 0, eta_L = 1/(100 K), eta = 1/K^3, L = 1; K grows",
    )


def smaller(claim: Claim) -> Claim:
    """A planted falsehood: an order smaller by the factor K."""
    return claim.planted(right=claim.statement.right / K)


def floors(theorem: str) -> Decide:
    """Remark 6: the limit of the theorem's bound at Corollary 3's step sizes as T grows."""

    def decide(claim: Claim) -> Evidence:
        bound = sympy.expand(substituted(theorem, STEPS3))
        return check_symbolic(
            claim,
            derived={"floor": sympy.limit(bound, T, sympy.oo)},
            covers=f"limit of {theorem}'s bound, all parameters",
        )

    return decide


PATTERNS = (
    [[1, 1], [1, 0]],
    [[1, 1], [1, 0], [1, 0], [0, 1]],
    [[1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]],
)


def memory_limit(rows: list[list[int]], step: Fraction) -> LimitCycle:
    """The limit of AFA-CS when the arrivals repeat, on tilted x^2/2."""
    trace = Trace.fresh(rows * 4)
    return limit_cycle(AfaCrossSilo(), tilted(len(rows[0])), trace, local_step_size=step)


def mean_square(limit: LimitCycle) -> Fraction:
    """|grad f|^2 = x^2, averaged over the limit cycle."""
    return mean([Fraction(x) ** 2 for (x,) in known(limit.cycle)])


@by_instances(
    Method.EXACT_RUN, covers="exact limit cycles of three uneven patterns, two step sizes"
)
def limits() -> Iterator[Instance]:
    """Remark 6: AFA-CS with one local step and no noise ends at the optimum."""
    for rows, step in product(PATTERNS, (Fraction(1, 32), Fraction(1, 16))):
        error = mean_square(memory_limit(rows, step))
        yield Instance({"limit_error": error}, f"{rows}, step {step}")


def most_skipped(clients: int, rounds: int) -> int:
    """Most deliveries that are skipped on a participation pattern on which no memory entry ever
    ages; everybody arrives in the round before."""
    most, numbers = 0, np.arange(rounds + 1)[:, None]
    for cells in product((False, True), repeat=clients * rounds):
        rows = np.array([True] * clients + list(cells)).reshape(rounds + 1, clients)
        ages = numbers - np.maximum.accumulate(np.where(rows, numbers, 0), axis=0)
        if ages.max() == 0:
            most = max(most, int((~rows).sum()))
    return most


@by_instances(
    Method.ENUMERATION, covers="all participation patterns of up to 3 workers and 3 further rounds"
)
def always_fresh() -> Iterator[Instance]:
    """Remark 7: with tau = 0 nobody can skip a round."""
    most = max(most_skipped(*size) for size in product((1, 2, 3), (1, 2, 3)))
    yield Instance({"skipped_deliveries": most}, "every pattern whose oldest entry has age 0")


CHECKS = (
    Check("afl.cor3", taking_turns, rests_on=("afl.cor3.floor",)),
    Check("afl.cor3.rate", noise_rate),
    Check("afl.cor3.rate.M", exponent_in_clients, rests_on=("afl.cor3.floor",)),
    Check("afl.rem5", updates_at_rest),
    Check("afl.rem5.sizes", sizes),
    Check("afl.rem5.sizes.corrected", sizes, plant=smaller),
    Check(
        "afl.rem6",
        floors("afl.thm4"),
        everything="the limit of the printed formula, for all values of its symbols",
    ),
    Check(
        "afl.rem6.corrected",
        floors("afl.thm4star"),
        everything="the limit of a formula, for all values of its symbols",
    ),
    Check("afl.rem6.limit", limits),
    Check("afl.rem7", rate_in_clients, rests_on=("afl.cor3.floor",)),
    Check("afl.rem7.lag", always_fresh),
)
