"""What counterexamples to FedLaAvg's claims are made of: runs of Example 1, single iterations."""

from fltheory.claims.meaning import Meaning, always
from fltheory.claims.scenario import Scenario
from fltheory.core.exact import exact
from fltheory.core.types import Values
from fltheory.problems.quadratic import Quadratic


def example_1(run: Scenario) -> bool:
    """Two clients with losses (x - e_i)^2 of equal importance, no noise, and exactly one of them in
    each round, with one local step from the newest model."""
    problem, trace = run.problem, run.trace
    return bool(
        isinstance(problem, Quadratic)
        and problem.curvatures == ((2,), (2,))
        and problem.noise_squared == 0
        and len(set(problem.importance)) == 1
        and (trace.delivers.sum(axis=-1) == 1).all()
        and trace.local_steps.max() == 1
        and not trace.delays.any()
        and run.server_step_size == 1
        and not isinstance(run.local_step_size, tuple)
        and run.local_step_size > 0
    )


def whole_periods(run: Scenario) -> bool:
    """Client 1 for t1 rounds, then client 2 for t2 rounds, again and again."""
    rows = [bool(x) for x in run.trace.delivers[:, 0]]
    if True not in rows or False not in rows:
        return False
    first = rows.index(False) if rows[0] else 0
    second = [*rows, True].index(True, first) - first
    period = [True] * first + [False] * second
    return rows[0] and len(rows) % len(period) == 0 and rows == period * (len(rows) // len(period))


def small_step(run: Scenario) -> bool:
    """A step size in (0, 1/2], at which one step does not pass the optimum."""
    return not isinstance(run.local_step_size, tuple) and 0 < 2 * run.local_step_size <= 1


def root_step(run: Scenario) -> bool:
    """gamma = 1/(2 sqrt T)."""
    size = run.local_step_size
    return not isinstance(size, tuple) and 4 * size**2 * run.trace.num_rounds == 1


def plain(run: Scenario) -> bool:
    """Both clients in every round, one local step from the newest model."""
    trace = run.trace
    return bool(
        trace.delivers.all()
        and trace.local_steps.max() == 1
        and not trace.delays.any()
        and run.server_step_size == 1
        and run.problem.constants.gradient_noise_squared == 0
    )


ON_EXAMPLE = {"fedlaavg.example_1": example_1}
OPTIMA = {"first_optimum": "optimum:0", "second_optimum": "optimum:1"}
BLOCKS = {"first_block": "block:0", "second_block": "block:1"}
ROUNDS = {
    "start": "model:0",
    "model_before": "model:t-1",
    "model_after": "model:t",
    "first_latest_model": "latest:0",
    "second_latest_model": "latest:1",
    "distance_of_optima": "distance_of_optima:1",
}
BY_CONSTRUCTION = ("method", "smooth", "noise", "samples", "bounded", "window")
"""Assumptions that clipped losses and Algorithm 3 meet."""


def below_half(values: Values) -> bool:
    """The step size is below 1/(2L)."""
    size, smoothness = (exact(values[name], name) for name in ("local_step_size", "smoothness"))
    return 0 < 2 * size * smoothness < 1


KEPT = {f"fedlaavg.{name}": always for name in BY_CONSTRUCTION} | {
    "fedlaavg.step_below_half": below_half
}

COUNTEREXAMPLES = (
    Meaning(
        ("fedlaavg.thm1.fixed",),
        methods=("fedavg",),
        measures={"limit_at_period_end": "limit", **OPTIMA, **BLOCKS},
        requires=ON_EXAMPLE
        | {"fedlaavg.whole_periods": whole_periods, "fedlaavg.small_step": small_step},
    ),
    Meaning(
        ("fedlaavg.thm2.explicit", "fedlaavg.thm2.corrected"),
        methods=("fedlaavg",),
        measures=ROUNDS,
        requires=ON_EXAMPLE | {"fedlaavg.root_step": root_step},
    ),
    Meaning(
        tuple(f"fedlaavg.thm2.{name}" for name in ("eq6", "eq9", "eq10", "eq11", "step")),
        methods=("fedlaavg",),
        measures=ROUNDS,
        requires=ON_EXAMPLE | {"fedlaavg.small_step": small_step},
    ),
    Meaning(
        ("fedlaavg.alg3",),
        methods=("fedlaavg",),
        measures={"server_model": "model:t", "literal_model": "undivided:t"},
        requires={"fedlaavg.plain": plain},
    ),
    Meaning(
        ("fedlaavg.def.grad",),
        methods=("fedlaavg",),
        measures={"limit_at_period_end": "limit"},
        requires={"fedlaavg.plain": plain},
    ),
    Meaning(
        ("fedlaavg.eq27.cold", "fedlaavg.eq30.cold"),
        origins=("fedlaavg.iteration",),
        keeps=KEPT | {"fedlaavg.one_step": lambda values: values["local_steps"] == 1},
    ),
    Meaning(
        ("fedlaavg.eq4[6-9]", "fedlaavg.eq46.equality", "fedlaavg.eq50"),
        origins=("fedlaavg.iteration",),
        keeps=KEPT,
    ),
)
