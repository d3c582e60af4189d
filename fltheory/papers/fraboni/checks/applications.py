"""Section 4 and Appendix C: orders along paths that respect Theorem 1's step size, exact
probabilities, events."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun, clock_instances
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.checks.sampling import Scheme, multinomial, uniform
from fltheory.papers.fraboni.paper import DURATION, SHARE, SPREAD, STALENESS, TIME, K, M, N
from fltheory.papers.fraboni.statements.application_bounds import CYCLE, HARDWARE, SAMPLED
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous, simulate_clock
from fltheory.traces.trace_statistics import max_delay
from fltheory.traces.update_times import ExponentialTimes

F = Fraction
Path = dict[str, Any]
ONES: Path = dict.fromkeys(
    (
        "smoothness",
        "hardware_ratio",
        "slowest_cycle",
        "initial_distance_squared",
        "objective_spread",
        "optimum_noise",
        "gradient_bound",
        "local_steps",
        "max_staleness",
    ),
    sympy.S.One,
) | dict.fromkeys(("num_clients", "balance_period"), sympy.S(2))
BIG = sympy.S(10) ** 8
"""Rounds enough for the step size of Theorem 1; a square, so that 1/sqrt(KN) stays rational along
the paths."""


def path(variable: sympy.Symbol, **growing: Any) -> tuple[sympy.Symbol, Path]:
    """All other symbols 1 or 2, the named ones as given; the variable itself stays free."""
    return variable, {
        name: value for name, value in (ONES | growing).items() if name != variable.name
    }


ROUNDS, STEPS = path(N), path(K, num_rounds=BIG * K**3)
CLIENTS, HARDER = path(M, num_rounds=BIG * M**6), path(HARDWARE, num_rounds=BIG * HARDWARE**20)
CYCLES, APART = (
    path(CYCLE, num_rounds=BIG * CYCLE**20),
    path(SPREAD, num_rounds=2 * BIG, local_steps=sympy.S(2)),
)


def along(where: tuple[sympy.Symbol, Path], claim: Claim) -> Evidence:
    variable, derived = where
    used = {
        name: value for name, value in derived.items() if name in {s.name for s in claim.symbols}
    }
    grown = ", ".join(
        f"{name} = {value}" for name, value in used.items() if getattr(value, "free_symbols", None)
    )
    return check_order_limit(
        claim,
        derived=used,
        variable=variable,
        covers=f"growing {variable}" + (f" with {grown}" if grown else ""),
    )


def smaller(variable: sympy.Symbol, claim: Claim) -> Claim:
    """A falsehood: the right side divided by the variable that grows."""
    return claim.planted(right=claim.statement.right / variable)


def orders(name: str, *paths: tuple[sympy.Symbol, Path]) -> tuple[Check, ...]:
    return tuple(
        Check(f"fraboni.{name}", partial(along, where), plant=partial(smaller, where[0]))
        for where in paths
    )


def refuting(name: str, where: tuple[sympy.Symbol, Path]) -> Check:
    return Check(f"fraboni.{name}", partial(along, where))


CENTRAL = path(K, local_step_size=1 / (144 * K), num_rounds=BIG * K)
CENTRAL_ROUNDS = path(N, local_step_size=1 / sympy.sqrt(N))
FEW = path(N, num_clients=sympy.sqrt(N), balance_period=sympy.S.One, objective_spread=sympy.S.Zero)
FEWER = path(
    N,
    num_clients=N ** sympy.Rational(1, 4),
    balance_period=sympy.S.One,
    objective_spread=sympy.S.Zero,
)
DELAYED = path(STALENESS, num_rounds=STALENESS**4, local_step_size=STALENESS**-3)
SLOW = path(
    STALENESS, num_rounds=STALENESS**3, local_step_size=STALENESS**-2, balance_period=STALENESS
)


def long_run(claim: Claim) -> Evidence:
    """One of two clients per round, start at the optimum, x = eta_l K; a lower bound on the
    limiting gap.

    A round moves by phi >= x - x^2/2, so E theta^2 tends to phi/(2 - phi) >= phi/2, and half of it
    times (1 - x)^2 bounds the gap below.
    """
    grow = sympy.Symbol("grow", positive=True)
    x = 1 / (144 * grow)  # K = grow^2 local steps of size x/K
    derived = {
        "limiting_gap": (x - x**2 / 2) / 4 * (1 - x) ** 2,
        "local_step_size": x / grow**2,
        "local_steps": grow**2,
        "num_clients": sympy.S(2),
        "covariance_factor": sympy.S.Zero,
        **dict.fromkeys(("server_step_size", "optimum_noise", "variance_excess"), sympy.S.One),
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=grow,
        covers=(
            "one of two clients sampled, K local steps, eta_l K = 1/(144 sqrt(K)); lower bound on"
            " the gap; K grows"
        ),
    )


def without_steps(claim: Claim) -> Claim:
    return claim.planted(right=SAMPLED)


def numbers(
    instances: Callable[[], list[Instance]], method: Method, covers: str, claim: Claim
) -> Evidence:
    return check_instances(claim, instances(), method=method, covers=covers)


def single_client() -> list[Instance]:
    policies = (Synchronous(), Asynchronous())
    return [
        Instance({"max_staleness": ClockRun((1,), policy).counted.max_staleness}, str(policy))
        for policy in policies
    ]


def doublings() -> list[Instance]:
    def factor(size: int) -> Fraction:
        return multinomial(size, ("1/2", "1/2")).covariance_factor

    return [
        Instance(
            {"factor": factor(m), "factor_at_double": factor(2 * m)},
            f"multinomial sampling of {m} and {2 * m}",
        )
        for m in (2, 3)
    ]


def one_of_twenty() -> list[Instance]:
    scheme = uniform(20, 1, (F(99, 100), *(F(1, 1900),) * 19))
    return [
        Instance({"variance_excess": scheme.variance_excess}, f"{scheme.says}, one importance 0.99")
    ]


def highest_loss() -> list[Instance]:
    """Optima 1 and -1, model 0 after a noisy step to 1/10 or -1/10: the client with the higher loss
    is the one farther away."""
    outcomes = []
    for model in (F(1, 10), F(-1, 10)):
        losses = [(model - c) ** 2 / 2 for c in (1, -1)]
        chosen = losses.index(max(losses))
        outcomes.append((F(1, 2), tuple(F(int(i == chosen)) for i in range(2))))
    scheme = Scheme(
        "the client with the higher loss after a noisy step", tuple(outcomes), (F(1, 2), F(1, 2))
    )
    return [Instance({"variance_excess": scheme.variance_excess}, scheme.says)]


def races(claim: Claim) -> Evidence:
    """A client of rate r against all others together, of rate s: it wins a round with chance int r
    exp(-r t) exp(-s t) dt."""
    rate, others, time = (sympy.Symbol(name, positive=True) for name in ("rate", "others", "time"))
    wins = sympy.integrate(rate * sympy.exp(-(rate + others) * time), (time, 0, sympy.oo))
    weight = (rate + others) / rate * SHARE
    return check_symbolic(
        claim,
        derived={"expected_weight": wins * weight},
        covers="any number of clients, any means, every round",
    )


def windows_of_an_exponential(claim: Claim) -> Evidence:
    """Without memory: one window, and with chance exp(-Delta t / tau) the wait begins anew."""
    mean = sympy.Symbol("mean", positive=True)
    solved = sympy.solve(sympy.Eq(mean, 1 + sympy.exp(-DURATION / TIME) * mean), mean)[0]
    return check_symbolic(
        claim, derived={"mean_rounds": solved}, covers="any mean update time and window"
    )


def unlike() -> list[Instance]:
    return [
        Instance(
            {"update_time": 1, "other_update_time": other, "round_duration": 1},
            f"means 1 and {other}, windows of 1",
        )
        for other in (2, 5)
    ]


def long_waits() -> list[Instance]:
    times = (1, 2, 5)
    trace = simulate_clock(ExponentialTimes(times), Asynchronous(), num_rounds=300, seed=1).trace
    return [
        Instance(
            {
                "max_staleness": max_delay(trace),
                "sum_of_ceilings": sum(-(-5 // t) for t in times) - 1,
            },
            "means 1, 2, 5, 300 rounds",
        )
    ]


def long_windows(claim: Claim) -> Evidence:
    def observe(run: ClockRun) -> list[dict[str, Any]]:
        return [
            {
                "most_deliverers": max(len(group) for group in run.groups(6)),
                "num_clients": run.num_clients,
            }
        ]

    clocks = [((1, 2), FixedWindow(2)), ((2, 3, 5), FixedWindow(5)), ((2, 3, 5), FixedWindow(7))]
    return check_instances(
        claim,
        clock_instances(clocks, observe),
        method=Method.EVENT_SIMULATION,
        covers="windows as long as the slowest client",
    )


def round_ratios(claim: Claim) -> Evidence:
    def observe(run: ClockRun) -> list[dict[str, Any]]:
        assert isinstance(run.policy, FixedWindow)
        limit, slowest = 60, max(run.times)
        count = sum(event.time <= limit for event in run.events(200)) - 1
        waiting = (
            sum(event.time <= limit for event in ClockRun(run.times, Synchronous()).events(70)) - 1
        )
        return [
            {
                "fedfix_round_ratio": F(count, waiting),
                "slowest_time": slowest,
                "round_duration": run.policy.duration,
            }
        ]

    clocks = [(times, FixedWindow(w)) for times in ((1, 2), (2, 3, 5)) for w in (1, 2, F(1, 2))]
    return check_instances(
        claim,
        clock_instances(clocks, observe),
        method=Method.EVENT_SIMULATION,
        covers="rounds counted until time 60",
    )


CHECKS = (
    *orders("eq11", ROUNDS, STEPS, CLIENTS),
    refuting("eq13", STEPS),
    refuting("eq13.heterogeneity", HARDER),
    *orders("eq13.corrected", ROUNDS, STEPS, CLIENTS, HARDER),
    refuting("eq15", STEPS),
    *orders("eq15.corrected", ROUNDS, STEPS, CLIENTS, CYCLES),
    refuting("eq33", CENTRAL),
    *orders("eq33.corrected", CENTRAL, CENTRAL_ROUNDS),
    refuting("eq34", APART),
    *orders("eq34.corrected", APART, ROUNDS, STEPS),
    refuting("lit", FEW),
    *orders("lit.corrected", FEWER),
    refuting("lit.stich", DELAYED),
    *orders("lit.zinkevich", SLOW),
    Check("fraboni.app.unbiased", long_run),
    Check("fraboni.app.unbiased.corrected", long_run, plant=without_steps),
    Check(
        "fraboni.app.centralized",
        partial(numbers, single_client, Method.EVENT_SIMULATION, "one client that is always heard"),
    ),
    Check(
        "fraboni.app.centralized.corrected",
        partial(numbers, single_client, Method.EVENT_SIMULATION, "one client that is always heard"),
    ),
    Check(
        "fraboni.app.unbiased.alpha",
        partial(numbers, doublings, Method.ENUMERATION, "all outcomes of multinomial sampling"),
    ),
    Check(
        "fraboni.app.unbiased.beta",
        partial(numbers, one_of_twenty, Method.ENUMERATION, "all outcomes of uniform sampling"),
    ),
    Check(
        "fraboni.app.biased",
        partial(numbers, highest_loss, Method.ENUMERATION, "a fair coin as gradient noise"),
    ),
    Check("fraboni.exponential.async", races),
    Check(
        "fraboni.exponential.fedfix",
        partial(numbers, unlike, Method.PROBABILITY, "exact chances of exponential times"),
    ),
    Check("fraboni.exponential.fedfix.corrected", windows_of_an_exponential),
    Check(
        "fraboni.exponential.delay",
        partial(
            numbers, long_waits, Method.EVENT_SIMULATION, "exponential times drawn with seed 1"
        ),
    ),
    Check("fraboni.fedfix.async", long_windows),
    Check("fraboni.fedfix.sync", long_windows),
    Check("fraboni.fedfix.rate", round_ratios),
)
