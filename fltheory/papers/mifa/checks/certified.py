"""Theorems 5.1 and 6.1 as corrected, and the bound on client gradients of Remark 5.1, over whole
classes, without noise: certificates."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, partial

from fltheory.analysis.inequalities.expressions import Expression, Vector
from fltheory.analysis.inequalities.runs import (
    above_infimum,
    mean_slope,
    mean_square,
    mean_value,
    run_over,
)
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.claims.checks.inequality import Lemma, Stated, checks_of
from fltheory.claims.checks.instances import Instance
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.papers.mifa.checks.runs import (
    average_weights,
    constant_step,
    decreasing_steps,
    every_round,
    periodic,
)
from fltheory.papers.mifa.checks.tools import known
from fltheory.problems.quadratic import Quadratic

F = Fraction
Pattern = Sequence[Sequence[int]]
TRACE = ("num_rounds", "num_clients", "local_steps", "max_staleness", "smoothness")
PATTERNS: dict[str, Pattern] = {
    "alone": every_round(4),
    "sometimes": periodic(5, [2]),
    "everyone": every_round(3, 2),
    "lopsided": periodic(4, [1, 3]),
    "short": every_round(3),
    "longer": every_round(15),
    "pair": every_round(7, 2),
    "late": ((1, 1), (1, 0), (1, 0), *every_round(4, 2)),
}


def mean_square_at(sketch: Sketch, point: Vector) -> Expression:
    """(1/N) sum_i |grad f_i|^2."""
    return (
        sum((sketch.gradient(i, point) ** 2 for i in range(sketch.count)), Expression())
        / sketch.count
    )


@cache
def weighted_average(name: str, local_steps: int) -> Stated:
    """Theorem 5.1 with mu = 1, L = 4, t0 = 2 and |w_1 - w*| <= 1; D is whatever it is."""
    pattern = PATTERNS[name]
    problem = (
        Quadratic(((1, 4),), ((0, 0),)) if len(pattern[0]) == 1 else Quadratic((1, 4), (1, -2))
    )
    of = decreasing_steps(
        problem,
        pattern,
        initial_gap=2,
        start=known(problem.constants.optimum)[0] + F(1, 2),
        local_steps=local_steps,
    )
    sketch, models = run_over(of, FunctionClass(4, 1), optimum=True)
    offset = of.parameters["step_offset"]
    weights = average_weights(offset, of.trace.num_rounds)
    average = sum((w * x for w, x in zip(weights, models, strict=True)), ORIGIN) / sum(weights)
    quantities = {
        "weighted_loss_gap": mean_value(sketch, average) - mean_value(sketch, ORIGIN),
        "dissimilarity_at_optimum": mean_square_at(sketch, ORIGIN),
    }
    given = measure(
        of, (*TRACE, "gradient_noise", "mean_staleness", "strong_convexity", "initial_gap")
    )
    member = Instance(
        given | measure(of, ("weighted_loss_gap", "dissimilarity_at_optimum", "initial_distance"))
    )
    return Stated(
        sketch, quantities, given | {"initial_distance": 1}, (models[0] ** 2 - 1,), (member,), of
    )


def _constant(name: str, local_steps: int, curvature: Fraction) -> Scenario:
    clients = len(PATTERNS[name][0])
    return constant_step(
        Quadratic((curvature,) * clients, (1, -1)[:clients]),
        PATTERNS[name],
        local_steps=local_steps,
        slope=2,
        start=4,
    )


@cache
def smallest_gradient(name: str, local_steps: int, curvature: Fraction) -> Stated:
    """Theorem 6.1 with f(w_1) - f* <= 1 and the mean of |grad f_i|^2 at most 2 |grad f|^2 + beta at
    all models.

    The smallest squared gradient is at most the mean over the models, and that is what is bounded.
    """
    of = _constant(name, local_steps, curvature)
    sketch, models = run_over(of, FunctionClass(curvature, convex=False), optimum=False)
    slope, beta = (of.parameters[key] for key in ("dissimilarity_slope", "dissimilarity_offset"))
    alike = [mean_square_at(sketch, x) - mean_slope(sketch, x) ** 2 * slope - beta for x in models]
    given = measure(of, (*TRACE, "gradient_noise", "mean_client_max_staleness", *of.parameters))
    member = Instance(given | measure(of, ("min_squared_gradient", "initial_loss_gap")))
    return Stated(
        sketch,
        {"min_squared_gradient": mean_square(sketch, models)},
        given | {"initial_loss_gap": 1},
        (*alike, *above_infimum(sketch, models, F(1))),
        (member,),
        of,
    )


@cache
def client_gradients(clients: int, smoothness: int) -> Stated:
    """Any point, any optimum; the member has curvatures L and optima 0, 1, ..."""
    sketch = Sketch(FunctionClass(smoothness), clients)
    sketch.common_optimum([1] * clients)
    point = sketch.vector()
    quantities = {
        "mean_squared_client_gradient": mean_square_at(sketch, point),
        "dissimilarity_at_optimum": mean_square_at(sketch, ORIGIN),
        "loss_gap": mean_value(sketch, point) - mean_value(sketch, ORIGIN),
    }
    problem = Quadratic((smoothness,) * clients, tuple(range(clients)))
    away = 3 - F(clients - 1, 2)
    member = Instance(
        {
            "mean_squared_client_gradient": F(
                sum((smoothness * (3 - i)) ** 2 for i in range(clients)), clients
            ),
            "dissimilarity_at_optimum": known(problem.constants.dissimilarity_at_optimum),
            "loss_gap": smoothness * away**2 / 2,
            "smoothness": smoothness,
        },
        "w = 3",
    )
    return Stated(sketch, quantities, {"smoothness": smoothness}, (), (member,))


AVERAGED = (
    ("alone", 1),
    ("alone", 2),
    ("sometimes", 1),
    ("everyone", 1),
    ("everyone", 2),
    ("lopsided", 1),
    ("lopsided", 2),
)
CONSTANT = (
    ("short", 1, 16),
    ("short", 2, 32),
    ("longer", 1, 16),
    ("pair", 1, 16),
    ("pair", 2, 32),
    ("late", 1, 32),
    ("late", 2, 64),
)
SIZES = ((1, 1), (2, 1), (3, 5))
AVERAGES = [
    Lemma("mifa.thm5.1.terms", f"{name}-steps{steps}", partial(weighted_average, name, steps))
    for name, steps in AVERAGED
]
SMALLEST = [
    Lemma(
        "mifa.thm6.1.corrected",
        f"{name}-steps{steps}",
        partial(smallest_gradient, name, steps, F(1, inverse)),
    )
    for name, steps, inverse in CONSTANT
]
GRADIENTS = [
    Lemma("mifa.ass.BGD", f"clients{n}-smoothness{high}", partial(client_gradients, n, high))
    for n, high in SIZES
]
LEMMAS = [*AVERAGES, *SMALLEST, *GRADIENTS]

CHECKS = [
    *checks_of(
        AVERAGES,
        covers=(
            "all clients with curvature in [1, 4], no noise, |w_1 - w*| <= 1, any D, t0 = 2: one"
            " device always active (4 rounds, K = 1 and 2) and every second round (5 rounds, K ="
            " 1); two devices always active (3 rounds, K = 1 and 2), and one of them only every"
            " third round (4 rounds, K = 1 and 2)"
        ),
    ),
    *checks_of(
        SMALLEST,
        covers=(
            "all L-smooth clients, convex or not, no noise, f(w_1) - f* <= 1, alpha = 2, by the"
            " mean over the models: one device always active (T = 4, L = 1/16, K = 1 and L = 1/32,"
            " K = 2; T = 16, L = 1/16, K = 1); two devices always active (T = 8, L = 1/16, K = 1"
            " and L = 1/32, K = 2), and one of them away for two rounds (T = 8, L = 1/32, K = 1 and"
            " L = 1/64, K = 2)"
        ),
    ),
    *checks_of(
        GRADIENTS,
        covers="all convex clients at any point: one and two 1-smooth clients, three 5-smooth ones",
    ),
]
