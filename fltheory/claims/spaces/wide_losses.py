"""Losses of many kinds for a claim: curvatures of both signs, condition numbers up to 10^6, up to
three coordinates, few sorts of clients in large crowds, unequal importance."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.claims.hypotheses import LossesAre, hypotheses
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.ranges import fixed, names_of, speaks_of_importance
from fltheory.claims.spaces.wide_waves import draw_waves
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.piecewise import PiecewiseQuadratic
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

F = Fraction
FLAT = tuple(F(1, q) for q in (1, 2, 4, 10, 100, 10**4, 10**6))
"""Curvatures beside the largest one, 1."""

UNEQUAL = tuple(F(1, q) for q in (10, 4, 1000, 10**6))
"""Importance of the last client, or of all others together."""

NOISES = (F(0), F(1), F(0), F(100), F(1, 100), F(10**4))

QUADRATIC, TILTED, CLIPPED, PIECES = "quadratic", "common-curvature", "clipped", "piecewise"

NO_WAVES = frozenset({"lipschitz", "gradient_bound", "pl_constant", "strong_convexity"})
"""Quantities that waves do not have."""

OF_THE_MEAN = frozenset({"global_smoothness", "global_strong_convexity", "pl_constant"})
"""Constants of the global loss, which may be much smaller than those of the clients."""

NEEDS = {
    "strong_convexity": (QUADRATIC, PIECES, TILTED),
    "pl_constant": (QUADRATIC, PIECES),
    "lipschitz": (CLIPPED, PIECES),
    "gradient_bound": (CLIPPED, PIECES),
    "dissimilarity": (TILTED, CLIPPED, PIECES),
    "mean_dissimilarity": (TILTED, CLIPPED, PIECES),
    "relative_dissimilarity": (QUADRATIC,),
    "limit": (QUADRATIC, TILTED),
    "limit_error": (QUADRATIC, TILTED),
}
"""Kinds of losses for which a constant is known."""


def draw_losses(choices: Choices, claim: Claim, trace: Trace) -> Any:
    """A problem for the clients of a trace, with the smoothness and the noise that conditions
    set."""
    clients = trace.num_clients
    names, classes = names_of(claim), {one.kind for one in hypotheses(claim, LossesAre)}
    kinds = [QUADRATIC, PIECES, TILTED, CLIPPED, QUADRATIC]
    for name, known in NEEDS.items():
        if name in names:
            kinds = [kind for kind in kinds if kind in known]
    if "quadratic" in classes:
        kinds = [kind for kind in kinds if kind in (QUADRATIC, TILTED)]
    choices.require(bool(kinds), "losses for which all constants are known")
    strong = "strong_convexity" in names or "strongly-convex" in classes
    convex = strong or "convex" in classes or fixed(claim).get("weak_convexity") == 0
    kind = choices.choice(kinds)
    if kind == PIECES and not convex and choices.index(3) == 1 and not NO_WAVES & names:
        return scaled(draw_waves(choices, clients, trace.num_rounds), claim)
    sorts, sizes = _sorts(choices, trace)
    importance = _importance(choices, clients) if speaks_of_importance(claim) else None
    problem: Any
    noise = choices.choice(NOISES) if kind in (QUADRATIC, TILTED) else F(0)
    if kind in (CLIPPED, PIECES) and clients <= 2 and choices.index(4) == 3:
        noise = F(1)
    if kind == QUADRATIC:
        problem = _quadratic(choices, claim, sorts, sizes, convex=convex, noise=noise)
    elif kind == TILTED:
        problem = _tilted(choices, sorts, sizes, strong=strong, convex=convex, noise=noise)
    elif kind == CLIPPED:
        problem = _clipped(choices, sorts, sizes, convex=convex, noise=noise)
    else:
        problem = _pieces(choices, claim, sorts, sizes, strong=strong, convex=convex, noise=noise)
    if importance is not None:
        problem = _weighted(problem, importance)
    return scaled(problem, claim)


def _sorts(choices: Choices, trace: Trace) -> tuple[int, list[int]]:
    """The number of sorts of clients, and the sort of every client: one against all others, halves,
    those who deliver in the first round against the others, or each its own."""
    clients, everybody = trace.num_clients, bool(trace.delivers.all())
    kind = choices.index(4 if everybody else 7)
    if clients <= 4 and kind < 3:
        return clients, list(range(clients))
    if kind == 0 or clients == 1:
        return 1, [0] * clients
    if kind == 3:
        return 2, [int(i >= clients // 2) for i in range(clients)]
    if kind > 3:
        return 2, [int(not here) for here in trace.delivers[0]]
    return 2, [0] * (clients - 1) + [1]


def _importance(choices: Choices, clients: int) -> list[Fraction] | None:
    kind = choices.index(3)
    if kind == 0 or clients == 1:
        return None
    share = choices.choice(UNEQUAL)
    last = share if kind == 1 else 1 - share
    return [(1 - last) / (clients - 1)] * (clients - 1) + [last]


def _weighted(problem: Any, importance: Sequence[Fraction]) -> Any:
    if isinstance(problem, CommonCurvature):  # its tilts must balance
        rows = [[h] for h in [problem.curvature] * problem.num_clients]
        if problem.curvature == 0 or problem.dimension > 1:
            return problem
        centres = [[-b[0] / problem.curvature] for b in problem.tilts]
        return Quadratic(rows, centres, importance, problem.noise_squared)
    return replace(problem, importance=tuple(importance))


def _spread(values: Sequence[Any], sizes: Sequence[int]) -> list[Any]:
    return [values[k] for k in sizes]


def _quadratic(
    choices: Choices,
    claim: Claim,
    sorts: int,
    sizes: Sequence[int],
    *,
    convex: bool,
    noise: Fraction,
) -> Quadratic:
    dimension = choices.choice((1, 1, 1, 1, 2, 3)) if len(sizes) <= 20 else 1
    equal, common = choices.index(4) == 3, choices.index(4) == 3
    if "relative_dissimilarity" in names_of(claim):
        common = True

    def curvature() -> Fraction:
        value = choices.choice(FLAT)
        return value if convex or choices.index(6) < 5 else -value

    def row() -> list[Fraction]:
        return [curvature() for _ in range(dimension)]

    rows = [row() for _ in range(1 if equal else sorts)]
    rows[0] = [choices.choice((F(1), F(1), rows[0][0])), *rows[0][1:]]
    if choices.index(4) == 3:
        rows.reverse()  # one steep client among flat ones
    far = choices.choice((1, 1, 10, len(sizes)))
    points = [
        [choices.number(-3, 3) * far for _ in range(dimension)]
        for _ in range(1 if common else sorts)
    ]
    every = rows * sorts if equal else rows
    mixed = bool(OF_THE_MEAN & names_of(claim)) or any(h < 0 for row in every for h in row)
    if not convex and not equal and sorts > 1 and mixed and choices.flag():
        every = _cancelled(every, sizes, choices.choice(FLAT))
    optima = points * sorts if common else points
    return Quadratic(_spread(every, sizes), _spread(optima, sizes), noise_squared=noise)


def _cancelled(
    rows: Sequence[Sequence[Fraction]], sizes: Sequence[int], left: Fraction
) -> list[list[Fraction]]:
    """The curvatures with others for the last sort of clients, so that what is left of them on
    average is small."""
    last = len(rows) - 1
    count = sizes.count(last)
    sums = [sum((rows[k][j] for k in sizes if k != last), F(0)) for j in range(len(rows[0]))]
    own = [(left * len(sizes) - total) / count for total in sums]
    return [*map(list, rows[:-1]), own]


def _tilted(
    choices: Choices,
    sorts: int,
    sizes: Sequence[int],
    *,
    strong: bool,
    convex: bool,
    noise: Fraction,
) -> CommonCurvature:
    bends = (F(1), F(1, 10), F(1, 100), F(1, 10**4), F(0), F(-1), F(-1, 10))
    curvature = choices.choice(bends[:4] if strong else bends[:5] if convex else bends)
    tilts = _spread([choices.number(-2, 2) for _ in range(sorts)], sizes)
    mean = sum(tilts, F(0)) / len(tilts)
    return CommonCurvature(curvature, [b - mean for b in tilts], noise_squared=noise)


def _clipped(
    choices: Choices, sorts: int, sizes: Sequence[int], *, convex: bool, noise: Fraction
) -> Clipped:
    bends = [choices.choice(FLAT[:6]) for _ in range(sorts)]
    if not convex:
        bends = [h if choices.index(5) < 4 else -h for h in bends]
    centres = [choices.number(-3, 3) for _ in range(sorts)]
    bound = choices.choice((F(1), F(1, 2), F(3), F(1, 10), F(10)))
    return Clipped(_spread(centres, sizes), bound, _spread(bends, sizes), noise_squared=noise)


def _pieces(
    choices: Choices,
    claim: Claim,
    sorts: int,
    sizes: Sequence[int],
    *,
    strong: bool,
    convex: bool,
    noise: Fraction,
) -> PiecewiseQuadratic:
    """Two or three knots; slopes from curvatures between them, so that convexity is kept."""
    names, classes = names_of(claim), {one.kind for one in hypotheses(claim, LossesAre)}
    knots = choices.choice(((F(-1), F(1)), (F(0), F(1)), (F(0), F(1), F(2)), (F(-1), F(0), F(1))))
    bends = (F(1), F(0), F(1, 10), F(1, 100), F(-1), F(-1, 2), F(1, 10**4))
    able = tuple(h for h in bends if h > 0) if strong else bends[:4] if convex else bends
    level = bool({"lipschitz", "gradient_bound"} & names)
    same = bool({"dissimilarity", "mean_dissimilarity"} & names)
    if not convex and ("quasi-convex" in classes or choices.index(3) == 2):
        return _valley(choices, knots, sorts, sizes, level=level, noise=noise)
    slopes, ends = [], []
    outer = (choices.choice(able[:1] + able), choices.choice(able[:1] + able))
    for k in range(sorts):
        row = [choices.number(-2, 2)]
        for a, b in pairwise(knots):
            row.append(row[-1] + choices.choice(able) * (b - a))
        slopes.append(row)
        own = outer if k == 0 or same else (choices.choice(able), choices.choice(able))
        ends.append((F(0), F(0)) if level else own)
    return PiecewiseQuadratic(
        knots, _spread(slopes, sizes), _spread(ends, sizes), noise_squared=noise
    )


def _valley(
    choices: Choices,
    knots: Sequence[Fraction],
    sorts: int,
    sizes: Sequence[int],
    *,
    level: bool,
    noise: Fraction,
) -> PiecewiseQuadratic:
    """Losses that fall and then rise, with steep walls and plains that are nearly flat."""
    rises = (F(1), F(1, 10), F(1, 100), F(0), F(2), F(1, 10**4))
    slopes, ends = [], []
    for _ in range(sorts):
        row = [choices.choice((F(0), -choices.choice(rises)))]
        row += [choices.choice(rises) for _ in knots[1:]]
        slopes.append(row)
        wall = F(0) if level else choices.choice((F(1), F(1, 10)))
        ends.append((wall, choices.choice((F(0), wall))))
    return PiecewiseQuadratic(
        knots, _spread(slopes, sizes), _spread(ends, sizes), noise_squared=noise
    )


def scaled(problem: Any, claim: Claim) -> Any:
    """The problem with the smoothness and the noise that the conditions set."""
    numbers = fixed(claim)
    if "gradient_noise" in numbers:
        problem = replace(problem, noise_squared=numbers["gradient_noise"] ** 2)
    if "smoothness" not in numbers or not (own := problem.constants.smoothness):
        return problem
    share = numbers["smoothness"] / own
    if isinstance(problem, CommonCurvature):
        return replace(problem, curvature=problem.curvature * share)
    if isinstance(problem, PiecewiseQuadratic):
        return replace(
            problem,
            slopes=tuple(tuple(g * share for g in row) for row in problem.slopes),
            ends=tuple(tuple(h * share for h in row) for row in problem.ends),
        )
    return replace(
        problem, curvatures=tuple(tuple(h * share for h in row) for row in problem.curvatures)
    )
