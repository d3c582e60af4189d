"""Exact second moments of runs with very many clients: groups of equal clients that arrive
together, losses h x^2/2 + b_i x of one curvature, independent noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from fltheory.core.errors import InvalidInput
from fltheory.core.ratio import ZERO, ratio_of_integers

Arrivals = Sequence[Sequence[int | None]]
"""For each round and each group the delay of its work, None if the group is absent."""


@dataclass(frozen=True)
class Crowd:
    """Groups of `sizes` clients; the clients of group j have the loss h x^2/2 + tilts[j] x."""

    sizes: tuple[int, ...]
    tilts: tuple[Fraction, ...]
    curvature: Fraction = Fraction(1)
    noise_squared: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if sum(n * b for n, b in zip(self.sizes, self.tilts, strict=True)):
            raise InvalidInput("tilts of a crowd", "add up to 0 over the clients", self.tilts)

    @property
    def num_clients(self) -> int:
        return sum(self.sizes)

    @property
    def spread(self) -> Fraction:
        """The dissimilarity: the largest tilt."""
        return max(abs(b) for b in self.tilts)


@dataclass(frozen=True)
class Work:
    """What K local steps of size eta return from x: slope (h x + b) plus noise of variance `noise`.

    >>> Work.of(2, Fraction(1, 10), Fraction(1), Fraction(1)).slope
    Fraction(19, 20)
    """

    slope: Fraction
    noise: Fraction

    @classmethod
    def of(cls, steps: int, size: Fraction, curvature: Fraction, noise_squared: Fraction) -> "Work":
        powers = [(1 - size * curvature) ** j for j in range(steps)]
        squares = sum((p * p for p in powers), Fraction(0))
        return cls(sum(powers, Fraction(0)) / steps, noise_squared * squares / steps**2)


@dataclass(frozen=True)
class Course:
    """The models without noise, and pairs of (variance, response of every model) for every
    independent draw."""

    models: tuple[Fraction, ...]
    draws: tuple[tuple[Fraction, tuple[Fraction, ...]], ...]
    curvature: Fraction

    @property
    def mean_squared_gradient(self) -> Fraction:
        """The mean over all models but the last of E |grad f|^2 = h^2 E x^2."""
        rounds = len(self.models) - 1
        total = sum((x * x for x in self.models[:-1]), ZERO)
        for variance, response in self.draws:
            total += variance * sum((r * r for r in response[:-1]), ZERO)
        return self.curvature**2 * total / rounds

    def reach(self, largest_noise: Fraction) -> Fraction:
        """Largest |x_t| over all outcomes, if no draw exceeds `largest_noise`."""
        return max(
            abs(x) + largest_noise * sum((abs(r[t]) for _, r in self.draws), ZERO)
            for t, x in enumerate(self.models)
        )


@dataclass(frozen=True)
class Use:
    """A group's work in one round: its weight in the server's mean and the model it started from;
    `key` tells draws of noise apart."""

    group: int
    weight: Fraction
    started: int
    key: tuple[int, int]


def uses(crowd: Crowd, arrivals: Arrivals, *, memory: bool) -> list[list[Use]]:
    """What the server averages in every round: the arrivals, or with memory each group's latest
    work; a group never heard from counts as 0."""
    table: list[list[Use]] = []
    latest: dict[int, tuple[int, int]] = {}
    for t, row in enumerate(arrivals):
        here = {j: (t - d, t) for j, d in enumerate(row) if d is not None}
        latest = {**latest, **here}
        chosen = latest if memory else here
        total = crowd.num_clients if memory else sum(crowd.sizes[j] for j in here)
        table.append(
            [Use(j, Fraction(crowd.sizes[j], total), p, (j, s)) for j, (p, s) in chosen.items()]
        )
    return table


def course(
    crowd: Crowd, arrivals: Arrivals, work: Work, step: Fraction, start: Fraction, *, memory: bool
) -> Course:
    """x_{t+1} = x_t - g (mean of the work in use), exactly.

    >>> crowd = Crowd((1, 1), (Fraction(1), Fraction(-1)), noise_squared=Fraction(0))
    >>> once = Work.of(1, Fraction(1), Fraction(1), Fraction(0))
    >>> run = course(crowd, [[0, None]], once, Fraction(1, 2), Fraction(1), memory=False)
    >>> run.models
    (Fraction(1, 1), Fraction(0, 1))
    """
    table = uses(crowd, arrivals, memory=memory)
    factor = step * work.slope * crowd.curvature
    shares: list[dict[int, Fraction]] = []
    for row in table:
        shares.append({})
        for u in row:
            shares[-1][u.started] = shares[-1].get(u.started, ZERO) + factor * u.weight
    common = lcm(*(x.denominator for row in shares for x in row.values()))
    moves = [[(s, int(x * common)) for s, x in row.items()] for row in shares]
    powers = [common**t for t in range(len(table) + 1)]

    def follow(first: Fraction, pushes: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """All models; that of round t as a whole number over scale * common^t."""
        scale = lcm(first.denominator, *(push.denominator for push in pushes))
        whole = [int(first * scale)]
        for t, (row, push) in enumerate(zip(moves, pushes, strict=True)):
            pull = sum(x * whole[s] * powers[t - s] for s, x in row if whole[s])
            added = int(push * scale) * powers[t + 1] if push else 0
            whole.append(common * whole[t] - pull - added)
        return tuple(ratio_of_integers(x, scale * p) for x, p in zip(whole, powers, strict=True))

    tilted = [sum((u.weight * crowd.tilts[u.group] for u in row), ZERO) for row in table]
    draws = []
    if crowd.noise_squared:
        pushed: dict[tuple[int, int], list[Fraction]] = {}
        for t, row in enumerate(table):
            for u in row:
                pushed.setdefault(u.key, [ZERO] * len(table))[t] = step * u.weight
        for key, pushes in pushed.items():
            draws.append((work.noise / crowd.sizes[key[0]], follow(ZERO, pushes)))
    models = follow(start, [step * work.slope * push for push in tilted])
    return Course(models, tuple(draws), crowd.curvature)


def sampled_course(
    crowd: Crowd,
    size: int,
    delays: Sequence[int],
    work: Work,
    step: Fraction,
    start: Fraction,
) -> Course:
    """Every round takes a uniform subset of `size` clients whose work is delays[t] rounds old.

    The mean tilt of the sample has variance rho times that of the tilts, and is independent of
    everything else.
    """
    everyone = Crowd((crowd.num_clients,), (Fraction(0),), crowd.curvature, Fraction(1))
    run = course(everyone, [[d] for d in delays], work, step, start, memory=False)
    total = crowd.num_clients
    squares = sum((n * b * b for n, b in zip(crowd.sizes, crowd.tilts, strict=True)), Fraction(0))
    rho = Fraction(total - size, size * max(total - 1, 1))
    variance = (
        rho * work.slope**2 * squares / total
        + work.noise * Fraction(crowd.noise_squared > 0) / size
    )
    return Course(run.models, tuple((variance, r) for _, r in run.draws), crowd.curvature)
