"""Theorem 4: its condition (4) derived, its condition (7) against its own conclusion, exact runs of
the repaired bound."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, product

import sympy

from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.exact_run import Region, below_root, tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.checks.vacuity import check_vacuous
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Scalar, Values
from fltheory.engine.noise import every_sign
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.checks.horizons import least
from fltheory.papers.afl.paper import AGE, LOCAL, NOISE, STEP, K, L, M
from fltheory.papers.afl.statements.memory import STALE, condition_4
from fltheory.problems.objective import Objective
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import known_staleness

EDGES = Region("afa-cs", rounds=(3,), everyone_first=True)
WIDE = Region("afa-cs", rounds=(2, 3, 5), everyone_first=True)
QUIET = Region("afa-cs", rounds=(3,), noises=(0,), everyone_first=True)
FAR = Region(
    "afa-cs",
    clients=(1, 2, 3, 4),
    rounds=(4, 7),
    local_steps=(1, 2, 4),
    delays=(0, 1, 3),
    everyone_first=True,
)

STALE_PART = sympy.Rational(9, 2) * STALE * (1 + L * STEP)
MOVED = 30 * K**2 * L**2 * LOCAL**2
CONDITION_C3 = (
    (STALE_PART + sympy.Rational(3, 2) + 3 * L * STEP) * MOVED
    + 3 * L * STEP
    + STALE_PART * AGE * MOVED
)
"""What the proof's condition (c3) takes from 1/2, with q = ((M - m')/M)^2: (9q/2 (1 + Lg) + 3/2 +
3 Lg) 30 K^2 L^2 eta_L^2 + 3 L g + 9q/2 (1 + Lg) 30 tau K^2 L^2 eta_L^2."""
RISE = STEP * STALE_PART * 3 * AGE * L**2
"""beta_u - beta_{u+1} of the smallest series beta that satisfies (5) and (6)."""


def memory_steps(problem: Objective, trace: Trace) -> Iterator[tuple[Fraction, Fraction]]:
    """Local steps that take half or a tenth of (4), the server step then at the edge of (4) and of
    27 q (1 + Lg) tau^2 L^2 g^2 = 1."""
    smoothness = known(problem.constants.smoothness)
    steps, clients = int(trace.local_steps.max()), trace.num_clients
    ages = known_staleness(trace)
    oldest, fresh = int(ages.max()), int((ages == 0).sum(axis=-1).min())
    stale = Fraction(clients - fresh, clients) ** 2
    for part in (Fraction(1, 2), Fraction(1, 10)):
        weight = 540 * stale * 2 * (1 + oldest) + 180 + 360
        local = below_root(part / weight) / (steps * smoothness)
        limits = [(1 - part) * Fraction(999, 1000) / 12]
        if stale and oldest:
            limits.append(below_root(Fraction(1, 27) / (stale * 2 * oldest**2)))
        yield local, min(limits) / (smoothness * local)


def whole_region(*, edges: Region = EDGES, draws: Region = WIDE, count: int = 15) -> Decide:
    """Theorem 4 and its correction on exact runs with step sizes at the edge of its conditions."""

    def decide(claim: Claim) -> Evidence:
        drawn = draws.draws(memory_steps, count=count, seed=11)
        noisy = "with exact noise moments" if edges.noises[-1] else "without noise"
        return check_on_runs(
            claim,
            chain(edges.edges(memory_steps), drawn),
            covers=(
                f"edges of the region and {count} draws {noisy}: up to {draws.clients[-1]} workers,"
                f" {draws.rounds[-1]} rounds, {draws.local_steps[-1]} local steps, delay"
                f" {draws.delays[-1]}"
            ),
        )

    return decide


def first_horizon(clients: int, last: int = 320) -> int:
    """Least T at which (4) holds with Corollary 3's step sizes, L = K = 1, tau = 0, all entries
    fresh."""

    def holds(rounds: int) -> bool:
        return bool(evaluate(condition_4(last), at_rate(clients, rounds)) < 1)

    return least(holds)


def at_rate(clients: int, rounds: int) -> dict[str, Scalar]:
    """All symbols of eq. (8) with Corollary 3's step sizes, and what (7) needs of E |grad f|^2: 2
    sigma_L^2/M (K = 1, tau = 0)."""
    return {
        "num_clients": clients,
        "fresh_entries": clients,
        "max_staleness": 0,
        "smoothness": 1,
        "local_steps": 1,
        "initial_loss_gap": 1,
        "gradient_noise": 1,
        "dissimilarity": 0,
        "num_rounds": rounds,
        "local_step_size": 1 / sympy.sqrt(rounds),
        "server_step_size": sympy.sqrt(clients),
        "needed": Fraction(2, clients),
    }


def hypotheses_against_conclusion(claim: Claim) -> Evidence:
    """With noise, (7) keeps E |grad f|^2 above 2 sigma_L^2/M while eq. (8) bounds it by less."""

    def instances() -> Iterator[Instance]:
        noises = (Fraction(1, 10), Fraction(1))
        for clients, gap, noise in product((1, 4, 10, 100), (1, 100), noises):
            shortest = first_horizon(clients)
            for rounds in (shortest * 4**k for k in range(20)):
                values = at_rate(clients, rounds) | {
                    "initial_loss_gap": gap,
                    "gradient_noise": noise,
                    "needed": 2 * noise**2 / clients,
                }
                if evaluate(claim.statement.right, values) < values["needed"]:
                    yield Instance(
                        values, f"M = {clients}, T = {rounds}, f_0 - f* = {gap}, sigma_L = {noise}"
                    )
                    break

    return check_vacuous(
        claim,
        instances(),
        needs="needed",
        allows="right",
        method=Method.SYMBOLIC,
        covers=(
            "noise 1/10 and 1, initial gaps 1 and 100, L = K = 1, sigma_G = tau = 0, m' = M,"
            " Corollary 3's step sizes, M = 1, 4, 10, 100, the first T found for which (8) is below"
            " 2 sigma_L^2/M (it falls as T grows)"
        ),
    )


def from_the_proof(claim: Claim) -> Evidence:
    """Condition (c3), 1/4 <= 1/2 - CONDITION_C3, times 4."""
    return check_symbolic(
        claim,
        derived={"condition_of_the_proof": 4 * CONDITION_C3},
        covers="all values of the parameters",
    )


def betas(claim: Claim) -> Evidence:
    """beta_{tau-1} = c, beta_u = beta_{u+1} + c from the last to the first."""

    def cases() -> Iterator[Values]:
        for oldest in range(1, 7):
            beta = sum([RISE.subs(AGE, oldest)] * oldest)
            yield {"doubled_first_beta": 2 * beta * STEP, "max_staleness": oldest}

    return check_symbolic_cases(
        claim, cases(), covers="tau = 1..6, all values of the other parameters"
    )


@by_instances(
    Method.ENUMERATION, covers="one round from the optimum, M up to 8, sigma_L = 1 and 1/100"
)
def updates_at_rest() -> Iterator[Instance]:
    """Start at the optimum, everybody arrives: all outcomes of +-sigma noise."""
    for clients, noise in product((1, 2, 4, 8), (Fraction(1), Fraction(1, 100))):
        trace = Trace.fresh([[1] * clients])
        run = simulate(
            AfaCrossSilo(),
            tilted(clients, spread=0),
            trace,
            start=0,
            local_step_size="1/10",
            server_step_size=1,
            noise=every_sign(trace, scale=noise),
        )
        moves = run.models[:, 1, 0] * 10
        yield Instance(
            {
                "squared_update": sum(moves**2) / len(moves),
                "gradient_noise": noise,
                "num_clients": clients,
            },
            f"M = {clients}, sigma_L = {noise}, x_0 = x*",
        )


def forced(claim: Claim) -> Evidence:
    """sqrt(E|G|^2) <= sqrt(E|path|^2) + sigma_L/sqrt(M), with E|G|^2 = 3 sigma_L^2/M at the
    least."""
    path = sympy.Symbol("path", nonnegative=True)
    noise = NOISE / sympy.sqrt(M)
    (root,) = sympy.solve(path + noise - sympy.sqrt(3) * noise, path)
    return check_symbolic(
        claim,
        derived={"least_squared_path": root**2},
        covers="beta_0 g = 0, the weakest form of (7); all M and sigma_L",
    )


MODELS = tuple(Fraction(text) for text in ("0", "1", "-1/2", "3", "7/4", "-2", "1/3", "5/2"))


def increment_of_v(models: Sequence[Fraction], oldest: int, t: int) -> dict[str, Scalar]:
    """V(x_{t+1}) - V(x_t) and its parts, from V(x_t) = f(x_t) + sum_u beta_u |x_{t-u} -
    x_{t-u-1}|^2 with f(x) = x^2/2 and beta_u = tau - u (Appendix C)."""
    beta = [Fraction(oldest - u) for u in range(oldest)]

    def moved(s: int) -> Fraction:
        return (models[s] - models[s - 1]) ** 2

    def value(s: int) -> Fraction:
        return models[s] ** 2 / 2 + sum((b * moved(s - u) for u, b in enumerate(beta)), Fraction(0))

    middle = ((beta[u + 1] - beta[u]) * moved(t - u) for u in range(oldest - 1))
    return {
        "increment_of_v": value(t + 1) - value(t),
        "loss_change": (models[t + 1] ** 2 - models[t] ** 2) / 2,
        "change_of_middle_terms": sum(middle, Fraction(0)),
        "newest_term": beta[0] * moved(t + 1),
        "dropped_term": beta[-1] * moved(t - oldest + 1),
        "printed_dropped_term": beta[-1] * moved(t - oldest - 1),
    }


@by_instances(Method.EXACT_RUN, covers="an arbitrary sequence of eight models, tau = 1..3")
def increments() -> Iterator[Instance]:
    """The increment of V along an arbitrary sequence of models."""
    for oldest, t in product(range(1, 4), (5, 6)):
        yield Instance(increment_of_v(MODELS, oldest, t), f"tau = {oldest}, t = {t}")


@by_instances(Method.EXACT_RUN, covers="one stationary round")
def negative_loss() -> Iterator[Instance]:
    """Eq. (12) at the optimum of x^2/2 - 1: without noise nothing moves, all other terms are 0."""
    yield Instance(
        {"loss_change": 0, "current_loss": -1, "other_terms": 0},
        "f(x) = x^2/2 - 1 at its optimum, no noise",
    )


CHECKS = (
    Check("afl.thm4.noisy", hypotheses_against_conclusion),
    Check("afl.thm4", whole_region(edges=QUIET, draws=QUIET, count=10)),
    Check("afl.thm4c", whole_region()),
    Check("afl.thm4c", whole_region(draws=FAR, count=150), slow=True),
    Check("afl.thm4.four", from_the_proof),
    Check("afl.thm4.four.corrected", from_the_proof, everything="an identity in all its symbols"),
    Check("afl.thm4.betas", betas),
    Check(
        "afl.thm4.forces",
        forced,
        everything="the triangle inequality in its weakest case, for all M and sigma_L",
    ),
    Check("afl.thm4.increment", increments),
    Check("afl.thm4.increment.corrected", increments),
    Check("afl.thm4.eq12", negative_loss),
)
