"""Theorems 2 to 4, Corollary 1 and the terms A5 and A6 for several workers, over all smooth
functions, without noise: certificates."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from fltheory.analysis.inequalities.runs import above_infimum, mean_slope, mean_square, run_over
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.claims.checks.exact_run import below_root
from fltheory.claims.checks.inequality import Lemma, Stated, checks_of
from fltheory.claims.checks.instances import Instance
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.checks.delays import delayed
from fltheory.papers.afl.checks.general_arrivals import largest_step
from fltheory.papers.afl.checks.path_terms import largest_local_step
from fltheory.problems.quadratic import Quadratic

F = Fraction
ONE = F(1)
LOSS_GAP = F(1, 2)
GIVEN = (
    "num_rounds",
    "num_clients",
    "local_steps",
    "local_step_size",
    "server_step_size",
    "smoothness",
    "max_delay",
    "clients_per_round",
    "gradient_noise",
)
MEMORY = ("max_staleness", "fresh_entries")
ARRIVALS = {
    "one": ((1,),),
    "first": ((1, 0),),
    "turns": ((1, 0), (0, 1)),
    "both": ((1, 1),),
    "memory": ((1, 1), (1, 0), (0, 1)),
}


@dataclass(frozen=True)
class WorkerCase:
    """A run whose arriving work is `delay` rounds old once that many have passed; the member of the
    class is a run on parabolas with optima 1 and -1."""

    algorithm: str
    arrivals: str
    rounds: int
    delay: int
    local_steps: int
    local: Fraction
    step: Fraction
    curvature: Fraction = ONE

    @property
    def name(self) -> str:
        """Part of the name of the certificate."""
        return f"{self.arrivals}-rounds{self.rounds}-delay{self.delay}-steps{self.local_steps}"

    def scenario(self) -> Scenario:
        """The member's run, from a start with a loss gap of h/2."""
        pattern = ARRIVALS[self.arrivals]
        rows = [pattern[t % len(pattern)] for t in range(self.rounds)]
        workers = len(rows[0])
        return Scenario(
            self.algorithm,
            Quadratic((self.curvature,) * workers, (1, -1)[:workers]),
            delayed(rows, self.delay, local_steps=self.local_steps),
            start=3 - workers,
            local_step_size=self.local,
            server_step_size=self.step / self.local,
        )


@cache
def run(case: WorkerCase) -> Stated:
    """All workers within sigma_G = 1 of the global gradient at all models; f(x_0) - f* at most
    1/2."""
    of = case.scenario()
    sketch, models = run_over(
        of, FunctionClass(of.problem.constants.smoothness, convex=False), optimum=False
    )
    before = models[:-1]
    several = range(sketch.count) if sketch.count > 1 else ()
    apart = [
        (sketch.gradient(i, x) - mean_slope(sketch, x)) ** 2 - 1 for x in before for i in several
    ]
    given = (*GIVEN, *MEMORY) if of.algorithm == "afa-cs" else GIVEN
    numbers = {
        **measure(of, given),
        "initial_loss_gap": LOSS_GAP,
        "dissimilarity": int(sketch.count > 1),
    }
    member = measure(of, (*given, "mean_squared_gradient", "initial_loss_gap", "dissimilarity"))
    return Stated(
        sketch,
        {"mean_squared_gradient": mean_square(sketch, before)},
        numbers,
        (*apart, *above_infimum(sketch, before, LOSS_GAP)),
        (Instance(member),),
        of,
    )


@cache
def path_gap(local_steps: int) -> Stated:
    """A5 on any path of points, whatever step sizes and noise made it; the member is x^2/2 on 0, 1,
    ..., K-1."""
    sketch = Sketch(FunctionClass(1, convex=False), 1)
    path = [ORIGIN, *(sketch.vector() for _ in range(local_steps - 1))]
    slopes = [sketch.gradient(0, x) for x in path]
    mean = sum(slopes, ORIGIN) / local_steps
    drift = sum((x**2 for x in path), 0 * ORIGIN**2) / local_steps
    quantities = {"squared_gradient_gap": (slopes[0] - mean) ** 2, "mean_squared_drift": drift}
    numbers = {"smoothness": 1}
    member = Instance(
        numbers
        | {
            "squared_gradient_gap": F(local_steps - 1, 2) ** 2,
            "mean_squared_drift": F(sum(k * k for k in range(local_steps)), local_steps),
        }
    )
    return Stated(sketch, quantities, numbers, (), (member,))


@cache
def path_drift(local_steps: int) -> Stated:
    """A6 after K - 1 steps at the largest step size; the worker's gradient is within sigma_G = 1 of
    the global one at the pulled model."""
    size = largest_local_step(local_steps)
    sketch, x = Sketch(FunctionClass(1, convex=False), 1), ORIGIN
    slope = sketch.vector()
    for _ in range(local_steps - 1):
        x = x - size * sketch.gradient(0, x)
    numbers = {
        "local_steps": local_steps,
        "local_step_size": size,
        "gradient_noise": 0,
        "dissimilarity": 1,
    }
    moved = F(0)
    for _ in range(local_steps - 1):
        moved = moved - size * (1 - moved)
    quantities = {"squared_drift": x**2, "squared_gradient": slope**2}
    member = Instance(
        numbers | {"squared_drift": moved**2, "squared_gradient": 0},
        "f_i = x - x^2/2, grad f(0) = 0",
    )
    return Stated(
        sketch, quantities, numbers, ((sketch.gradient(0, ORIGIN) - slope) ** 2 - 1,), (member,)
    )


def _edge(weight: int, arrivals: str, rounds: int, delay: int, local_steps: int) -> WorkerCase:
    """At the edge of both conditions of Theorem 2."""
    local = below_root(F(1, 180 * max(delay, 1))) / local_steps
    step = largest_step(weight, F(1), delay)
    return WorkerCase("afa-cd", arrivals, rounds, delay, local_steps, local, step)


def _lemma(claim: str, case: WorkerCase) -> Lemma:
    return Lemma(f"afl.{claim}", case.name, partial(run, case))


GENERAL = [
    ("first", 4, 0, 1),
    ("turns", 4, 0, 1),
    ("turns", 4, 1, 1),
    ("both", 4, 1, 1),
    ("turns", 3, 1, 2),
]
"""Arrivals, rounds, delay and local steps."""
UNIFORM = [
    WorkerCase("afa-cd", "one", 4, 1, 1, F(1, 100), F(9, 25)),
    WorkerCase("afa-cd", "both", 4, 0, 1, F(1, 100), F(1, 2)),
    WorkerCase("afa-cd", "both", 4, 1, 1, F(1, 100), F(9, 25)),
    WorkerCase("afa-cd", "both", 3, 1, 2, F(1, 31), F(9, 25)),
]
KEPT = [
    WorkerCase("afa-cs", "one", 4, 0, 1, F(1, 100), F(1, 14)),
    WorkerCase("afa-cs", "memory", 4, 0, 1, F(1, 100), F(1, 14)),
    WorkerCase("afa-cs", "memory", 3, 0, 2, F(1, 200), F(1, 14)),
]
SQUARE = [
    WorkerCase("afa-cd", "one", 4, 0, 1, F(1, 2), F(1, 2)),
    WorkerCase("afa-cd", "turns", 4, 0, 1, F(1, 2), F(1, 2)),
    WorkerCase("afa-cd", "one", 9, 1, 1, F(1, 3), F(1, 3)),
    WorkerCase("afa-cd", "turns", 4, 1, 2, F(1, 2), F(1, 2), F(1, 20)),
]

SIMPLE = [
    _lemma("thm2.simple", WorkerCase("afa-cd", arrivals, 4, 0, 1, F(1, 100), F(9, 10)))
    for arrivals in ("first", "turns", "both")
]
ARRIVING = [
    _lemma(claim, _edge(weight, *case))
    for claim, weight in (("thm2c", 2), ("thm2.half", 1))
    for case in GENERAL
]
ALL = [_lemma("thm3c", case) for case in UNIFORM]
REMEMBERED = [_lemma(claim, case) for claim in ("thm4", "thm4c") for case in KEPT]
COROLLARY = [_lemma("cor1.explicit", case) for case in SQUARE]
PATHS = [Lemma("afl.a5", f"steps{k}", partial(path_gap, k)) for k in (2, 3, 5)]
DRIFTS = [Lemma("afl.a6", f"steps{k}", partial(path_drift, k)) for k in (2, 3, 5)]
LEMMAS = [*SIMPLE, *ARRIVING, *ALL, *REMEMBERED, *COROLLARY, *PATHS, *DRIFTS]

CLASS = "all 1-smooth functions, convex or not, no noise, "
GAP = f"{CLASS}f(x_0) - f* <= 1/2"
WORKERS = f"{GAP}, two workers within sigma_G = 1 of the global gradient at all models, "
CHECKS = [
    *checks_of(
        SIMPLE,
        covers=(
            f"{WORKERS}4 rounds, one local step, no delay, step size 9/(10L): only the first"
            " worker, workers in turn, both"
        ),
    ),
    *checks_of(
        ARRIVING,
        covers=(
            f"{WORKERS}step sizes at the edge of the conditions: 4 rounds of one local step with"
            " only the first worker (no delay), workers in turn (delays 0 and 1), both (delay 1);"
            " 3 rounds of two local steps with workers in turn (delay 1)"
        ),
    ),
    *checks_of(
        ALL,
        covers=(
            f"{GAP}: one worker (4 rounds, delay 1, g = 9/25); two workers within sigma_G = 1, both"
            " in every round (4 rounds of one local step, g = 1/2 without delay, g = 9/25 with"
            " delay 1; 3 rounds of two, delay 1, g = 9/25)"
        ),
    ),
    *checks_of(
        REMEMBERED,
        covers=(
            f"{GAP}, g = 1/14: one worker (4 rounds); two workers within sigma_G = 1, both in the"
            " first round, then in turn, with a memory one round old (4 rounds of one local step,"
            " 3 rounds of two)"
        ),
    ),
    *checks_of(
        COROLLARY,
        covers=(
            f"{GAP}: one worker (T = 4 without delay, T = 9 with delay 1), two workers within"
            " sigma_G = 1 in turn (T = 4 without delay); the same with L = 1/20, two local steps"
            " and delay 1"
        ),
    ),
    *checks_of(
        PATHS,
        covers=(
            "all 1-smooth functions, convex or not, any path of 2, 3 and 5 points, whatever step"
            " sizes and noise made it"
        ),
    ),
    *checks_of(
        DRIFTS,
        covers=(
            f"{CLASS}sigma_G = 1 at the pulled model, last of K = 2, 3 and 5 local models, largest"
            " step size allowed"
        ),
    ),
]
