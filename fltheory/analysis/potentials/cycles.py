"""Where losses beyond quadratics fail: a run that returns to where it began, on a smooth and
strongly convex loss.

Unknown are the inner products of the first model and of the gradients, and the function values. The
run is closed, and every pair of requests satisfies the interpolation inequality, so that a loss
with these values exists. Both are linear, so a semidefinite program finds a cycle and rational
numbers decide it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from fltheory.analysis.potentials.language import Language, Periodic, Windows
from fltheory.analysis.potentials.memory import contribution
from fltheory.analysis.potentials.polynomials import Row, combine, unit
from fltheory.analysis.potentials.program import ONE, MatrixInequality, MatrixProgram, Unknown
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.potentials.rounding import rounded
from fltheory.analysis.potentials.weighted import is_weighted

NOTHING = Fraction(0)
INTERIOR = 1e-7
"""Slack of the solver above which a cycle is made exact."""

LONGEST = 24
"""Rounds of a cycle that are tried."""

ACCURACY = Fraction(1, 10**4)
"""A step is found up to this part of 1/L, or twice as much."""


@dataclass(frozen=True)
class Cycle:
    """All clients use the gradient at the model of round `sources[t]` in round t, and for the step
    size `step` (in units of 1/L) the model after the last round is the first one. `numbers` are
    the inner products and function values of a loss on which this happens."""

    step: Fraction
    sources: tuple[int, ...]
    numbers: Mapping[Unknown, Fraction]

    def told(self) -> str:
        """The run in words."""
        used = " ".join(map(str, self.sources))
        return (
            f"all clients with one smooth, strongly convex loss that is not quadratic; rounds 0 to"
            f" {len(self.sources) - 1} use the gradients of rounds {used}, then everything repeats"
        )


def smallest_cycle(question: ForeverQuestion, high: Fraction) -> Cycle | None:
    """The smallest step below `high` at which a cycle is found for a trace of the language.

    Only for methods with memory, one local step and the distance; None also if none is found.
    """
    if question.local_steps > 1 or question.target is not Target.DISTANCE or question.every_step:
        return None
    if is_weighted(question.method):
        return None
    share, best = _share(question), None
    for sources in cycle_candidates(question.language) if share else ():
        low, top = NOTHING, _short(high * Fraction(999, 1000))
        found = cycle_at(sources, top, question.lowest, share)
        while found and found.step - low > 2 * ACCURACY:
            middle = _short((low + found.step) / 2)
            better = cycle_at(sources, middle, question.lowest, share)
            low, found = (low, better) if better else (middle, found)
        if found:
            best, high = found, found.step
    return best


def _short(step: Fraction) -> Fraction:
    return ACCURACY * round(step / ACCURACY)


def _share(question: ForeverQuestion) -> Fraction:
    """What a client adds per unit of its gradient and the step size; 0 for other languages."""
    if isinstance(question.language, Windows | Periodic):
        found = contribution(question, question.language.longest, slope=None)
        return found.update[found.asked[0]][()]
    return NOTHING


def cycle_candidates(language: Language) -> Iterator[tuple[int, ...]]:
    """The rounds whose gradients are used: a pattern repeated; windows that are late in one and
    early in the next. Each is repeated, because a cycle may take several periods.

    >>> next(cycle_candidates(Windows(2)))
    (0, 1, 1, 1)
    """
    words: list[tuple[int, ...]] = []
    if isinstance(language, Periodic):
        at = (language.pattern * 2).index("01") + 1
        words.append(_ages((2 * language.pattern)[at : at + len(language.pattern)]))
    elif isinstance(language, Windows) and language.length > 1:
        # round 0 is the last of a window
        words.append(_ages("11" + "0" * (2 * language.length - 2)))
    for ages in words:
        for repeats in range(1, 5):
            if len(ages) * repeats <= LONGEST:
                yield tuple(t - age for t, age in enumerate(ages * repeats))


def _ages(word: str) -> tuple[int, ...]:
    """The age of the last delivery in each round of a word that begins with one."""
    return tuple(t - word.rindex("1", 0, t + 1) for t in range(len(word)))


def cycle_at(
    sources: tuple[int, ...], step: Fraction, lowest: Fraction, share: Fraction = Fraction(1)
) -> Cycle | None:
    """A cycle for this step size and curvatures in [lowest, 1], with exact numbers.

    >>> twice = (0, 1, 1, 1, 1, 1, 6, 7, 7, 7, 7, 7)  # once in each window of three rounds
    >>> cycle_at(twice, Fraction(51, 100), Fraction(1, 10)) is not None
    True
    """
    program = cycle_program(sources, step * share, lowest)
    found = program.solve(0.0, margin=True)
    if not found.feasible or found.objective < INTERIOR:
        return None
    numbers = rounded(program, found.values, NOTHING)
    return None if numbers is None else Cycle(step, sources, numbers)


def cycle_program(sources: tuple[int, ...], step: Fraction, lowest: Fraction) -> MatrixProgram:
    """The conditions on a cycle. The last gradient follows from the others, because the steps of
    the whole cycle add up to zero."""
    used = sorted(set(sources))
    count = {s: Fraction(sources.count(s)) for s in used}
    *free, last = used
    gradients = {s: unit(f"g{s}") for s in free}
    gradients[last] = combine(*((-count[s] / count[last], gradients[s]) for s in free))
    models, here = [], unit("x")
    for source in sources:
        models.append(here)
        here = combine((1, here), (-step, gradients[source]))
    names = ("x", *(f"g{s}" for s in free))
    program = MatrixProgram()
    gram = {
        (program.unknown(("gram", a, b)), i, j): (Fraction(1), NOTHING)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j
    }
    program.inequalities.append(MatrixInequality("inner products", len(names), gram))
    trace = {program.unknown(("gram", a, a)): (Fraction(1), NOTHING) for a in names}
    program.equalities.append({**trace, ONE: (Fraction(-len(names)), NOTHING)})
    for one, other in permutations((*used, None), 2):
        program.inequalities.append(_interpolated(one, other, models, gradients, lowest, names))
    for s in used:
        program.unknown(("value", s))
    return program


def _interpolated(
    one: int | None,
    other: int | None,
    models: list[Row],
    gradients: Mapping[int, Row],
    m: Fraction,
    names: tuple[str, ...],
) -> MatrixInequality:
    """2 (1 - m) (f_i - f_j - <g_j, d>) - |e|^2 - m |d|^2 + 2 m <e, d> >= 0 with d = x_i - x_j,
    e = g_i - g_j; None is the optimum, where point, gradient and value are 0."""
    point, slope, base = (
        {} if one is None else models[one],
        {} if one is None else gradients[one],
        {} if other is None else gradients[other],
    )
    d = combine((1, point), (-1, {} if other is None else models[other]))
    e = combine((1, slope), (-1, base))
    line: dict[Unknown, Fraction] = {}
    for s, sign in ((one, 1), (other, -1)):
        if s is not None:
            line["value", s] = 2 * (1 - m) * sign
    for left, right, factor in ((base, d, -2 * (1 - m)), (e, e, -1), (d, d, -m), (e, d, 2 * m)):
        for a, p in left.items():
            for b, q in right.items():
                key = ("gram", *sorted((a, b), key=names.index))
                line[key] = line.get(key, NOTHING) + factor * p[()] * q[()]
    entries = {(u, 0, 0): (value, NOTHING) for u, value in line.items() if value}
    return MatrixInequality(f"requests {one} and {other}", 1, entries)
