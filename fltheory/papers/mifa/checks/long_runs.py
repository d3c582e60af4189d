"""Long runs by moments in floating point, a toy problem with drawn availability, and the scaling of
a hard chain."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import importance_sampling
from fltheory.analysis.moments import expected_gap
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.engine.roles import Algorithm
from fltheory.papers.mifa.paper import SMOOTH
from fltheory.papers.mifa.statements.long_runs import BEND, CHAIN, PRECISION
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.trace import Trace

OFFSET = 100
CHANCES = ("1/10", "2/5", "7/10", "1")
DRAWS = 60


def gap_of(
    algorithm: Algorithm, problem: Quadratic, trace: Trace, *, local_steps: int = 1
) -> float:
    """E f(wbar_T) - f* with the step sizes and weights of Theorem 5.1 for mu = 1 and a = 100,
    started at the optimum 0."""
    found = expected_gap(
        algorithm,
        problem,
        trace,
        start=0,
        local_step_size=lambda t: 4 / (local_steps * (t + 1.0 + OFFSET)),
        average=lambda t: (t + float(OFFSET)) * (t + OFFSET - 1.0),
    )
    return float(found.total)


def rounded(number: float) -> Fraction:
    """Six digits: what floating point is trusted for here."""
    return Fraction(f"{number:.6g}")


def growing_gaps(num_rounds: int, initial_gap: Fraction = Fraction(5, 2)) -> Trace:
    """Away for floor(t0 + s/40) rounds after each active round s = 1, 2, ...: then tau(t) <= t0 +
    t/40."""
    active = [False] * num_rounds
    here = 1
    while here <= num_rounds:
        active[here - 1] = True
        here += 1 + int(initial_gap + Fraction(here, 40))
    return Trace.fresh([[x] for x in active])


@by_instances(
    Method.MOMENTS,
    "N = K = L = mu = sigma = 1, b = 40, a = 100, t0 = 5/2 with T = 2000, 8000, 32000, t0 = 1/1000"
    " and 1 with T = 2000, 8000, six digits",
)
def long_runs() -> Iterator[Instance]:
    """E f(wbar_T) - f* of one device that is as absent as Assumption 4 permits."""
    noisy = Quadratic((1,), (0,), noise_squared=1)
    wide, narrow = Fraction(5, 2), (Fraction(1, 1000), Fraction(1))
    settings = [(wide, 32000), *product((wide, *narrow), (8000, 2000))]
    for initial_gap, iterates in settings:
        gap = gap_of(Mifa(), noisy, growing_gaps(iterates - 1, initial_gap))
        says = f"T = {iterates}, t0 = {initial_gap}"
        yield Instance({"weighted_loss_gap": rounded(gap)}, says)


@by_instances(
    Method.MOMENTS,
    "N = K = L = mu = sigma = 1, a = 100, T = 500 to 32000, absences of 1/41, 1/4 and 1/2 of the"
    " run, six digits",
)
def last_absence() -> Iterator[Instance]:
    """One device that is away for the last rounds."""
    noisy = Quadratic((1,), (0,), noise_squared=1)
    for rounds in (500, 4000, 32000):
        for part in (41, 4, 2):
            away = rounds // part
            trace = Trace.fresh([[t < rounds - away] for t in range(rounds)])
            yield Instance(
                {
                    "weighted_loss_gap": rounded(gap_of(Mifa(), noisy, trace)),
                    "max_staleness": away,
                    "num_rounds": rounds,
                    "step_offset": OFFSET,
                    "gradient_noise": 1,
                    "strong_convexity": 1,
                },
                f"away for the last {away} of {rounds} rounds",
            )


@cache
def toy_gaps() -> dict[str, Fraction]:
    """Means over drawn availabilities, given each of which the noise is averaged without
    sampling."""
    problem = Quadratic((1,) * 4, (3, 1, -1, -3), noise_squared=1)
    traces = [
        Trace.fresh(Bernoulli(CHANCES).matrix(3000, seed=seed), local_steps=2)
        for seed in range(DRAWS)
    ]
    methods: dict[str, Algorithm] = {
        "gap_of_mifa": Mifa(),
        "gap_of_importance_sampling": importance_sampling(CHANCES),
        "gap_of_biased": FedAvg(),
    }
    return {
        name: rounded(
            sum(gap_of(method, problem, trace, local_steps=2) for trace in traces) / DRAWS
        )
        for name, method in methods.items()
    }


@by_instances(
    Method.MOMENTS,
    f"noise 1, K = 2, 3000 rounds, {DRAWS} drawn availabilities, each with its expectation"
    " over the noise, six digits",
)
def toy() -> Iterator[Instance]:
    """E f(wbar_T) - f* of MIFA, importance sampling and biased FedAvg on a toy problem
    (Section 7)."""
    yield Instance(toy_gaps(), "toy problem")


def scaled_chain(claim: Claim) -> Evidence:
    """(L lam^2/l) F(x/lam) with lam = eps/L: the third derivative b of F enters with 1/lam^3."""
    x = sympy.Symbol("x", real=True)
    width = PRECISION / SMOOTH
    scaled = SMOOTH * width**2 / CHAIN * (BEND * (x / width) ** 3 / 6)
    return check_symbolic(
        claim,
        derived={"scaled_bend": sympy.diff(scaled, x, 3)},
        covers="every chain, at a point where its third derivative is b",
    )


CHECKS = (
    Check("mifa.ass4.longrun", long_runs),
    Check("mifa.thm5.1.necessary", last_absence),
    Check("mifa.exp.toy", toy, slow=True),
    Check("mifa.exp.toy.biased", toy, slow=True),
    Check(
        "mifa.prop6.1.hessian",
        scaled_chain,
        everything="an identity for every chain and every point",
    ),
)
