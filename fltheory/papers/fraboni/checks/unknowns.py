"""All quantities of the paper's theorems and lemmas on one run over unknown convex clients, without
noise.

They are those of `quantities`, written down once more: there on quadratics, here over unknown
vectors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

from fltheory.analysis.inequalities.expressions import Expression, Vector
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.papers.fraboni.checks.quantities import Quantities

F = Fraction
NOTHING = Expression()


T = TypeVar("T", Vector, Expression)


class SketchedRun(NamedTuple):
    """Models [n], local models [n][i][k], gradients there, and virtual iterates [n][k]."""

    models: list[Vector]
    local: list[dict[int, list[Vector]]]
    gradients: list[dict[int, list[Vector]]]
    virtual: list[list[Vector]]


@dataclass(frozen=True)
class Unknowns:
    """A run with certain participation over unknown convex clients; the origin is the optimum of
    the mean objective."""

    exact: Quantities

    @cached_property
    def start(self) -> Vector:
        return self.sketch.vector()

    @cached_property
    def sketch(self) -> Sketch:
        sketch = Sketch(FunctionClass(1), self.exact.setting.num_clients)
        sketch.common_optimum(self.exact.mean_weights)
        return sketch

    @cached_property
    def optima(self) -> dict[tuple[Fraction, ...], Vector]:
        """The optimum of each round's objective and of each client, by normalised weights; the
        origin is that of the mean weights."""
        mean, clients = self.exact.mean_weights, range(self.sketch.count)
        found = {tuple(w / sum(mean) for w in mean): ORIGIN}
        alone = [tuple(F(int(i == j)) for j in clients) for i in clients]
        for shares in [*(tuple(self.exact.shares(n)) for n in self.exact.filled), *alone]:
            if shares not in found:
                found[shares], rest = self.sketch.vector(), ORIGIN
                *others, last = [i for i, share in enumerate(shares) if share]
                for i in others:
                    slope = self.sketch.vector()
                    self.sketch.tell(i, found[shares], slope)
                    rest = rest - shares[i] / shares[last] * slope
                self.sketch.tell(last, found[shares], rest)
        return found

    def own_optimum(self, client: int) -> Vector:
        return self.optima[tuple(F(int(client == j)) for j in range(self.sketch.count))]

    def optimum(self, n: int) -> Vector:
        return self.optima[tuple(self.exact.shares(n))]

    @cached_property
    def run(self) -> SketchedRun:
        """The run of the clients that deliver."""
        s, started = self.exact.setting, self.exact.runs[0][1].started
        models = [self.start]
        run = SketchedRun(models, [], [], [])
        for n, group in enumerate(s.paths[0][1]):
            points: dict[int, list[Vector]] = {i: [models[started[n][i]]] for i in group}
            answers: dict[int, list[Vector]] = {i: [] for i in group}
            for i in group:
                for _k in range(s.local_steps):
                    answers[i].append(self.sketch.gradient(i, points[i][-1]))
                    points[i].append(points[i][-1] - s.local_step_size * answers[i][-1])
            moved = [
                sum((s.weights[i] * (points[i][k] - points[i][0]) for i in group), ORIGIN)
                for k in range(s.local_steps + 1)
            ]
            run.virtual.append([models[n] + s.server_step_size * move for move in moved])
            models.append(run.virtual[-1][-1])
            run.local.append(points)
            run.gradients.append(answers)
        return run

    def loss(self, weights: Sequence[Fraction], point: Vector) -> Expression:
        """sum_i weight_i L_i."""
        return sum((w * self.sketch.value(i, point) for i, w in enumerate(weights) if w), NOTHING)

    def excess(self, weights: Sequence[Fraction], point: Vector, optimum: Vector) -> Expression:
        return self.loss(weights, point) - self.loss(weights, optimum)

    def over_steps(self, value: Callable[[int], Expression]) -> Expression:
        steps = self.exact.setting.local_steps
        return sum((value(k) for k in range(steps)), NOTHING) / steps

    def average(self, value: Callable[[int], Expression]) -> Expression:
        """Mean over rounds; empty rounds count as 0."""
        return sum((value(n) for n in self.exact.filled), NOTHING) / self.exact.setting.num_rounds

    def gap(self, n: int) -> Expression:
        """Z(n)."""
        weights, virtual = self.exact.expected_weights[n], self.run.virtual
        return self.over_steps(lambda k: self.excess(weights, virtual[n][k], self.optimum(n)))

    def noise(self, n: int, power: int) -> Expression:
        """sigma_1(n) and sigma_2(n): squared gradients at the round's optimum."""
        at = self.optimum(n)
        return sum(
            (
                share**power * self.sketch.gradient(i, at) ** 2
                for i, share in enumerate(self.exact.shares(n))
                if share
            ),
            NOTHING,
        )

    def move(self, n: int) -> Expression:
        """Q(n)."""
        models = self.run.models
        return (models[n + 1] - models[n]) ** 2 if n >= 0 else NOTHING

    def mean_over(self, n: int, value: Callable[[int, int], T], zero: T) -> Callable[[int], T]:
        """k -> mean of value(i, k) over the clients of a round, with their normalised weights."""
        shares = self.exact.shares(n)
        return lambda k: sum((shares[i] * value(i, k) for i in self.run.local[n]), zero)

    def of_round(self, n: int) -> dict[str, Expression]:
        """What the lemmas name in a round, at x = the optimum of the mean objective."""
        _, local, slopes, virtual = self.run
        weights = self.exact.expected_weights[n]
        mean_slope = self.mean_over(n, lambda i, k: slopes[n][i][k], ORIGIN)
        return {
            "round_gap": self.gap(n),
            "move": self.move(n),
            "round_noise": self.noise(n, 1),
            "round_noise_squared": self.noise(n, 2),
            "round_drift": self.over_steps(
                self.mean_over(n, lambda i, k: (local[n][i][k] - virtual[n][k]) ** 2, NOTHING)
            ),
            "round_squared_gradient": self.over_steps(
                self.mean_over(n, lambda i, k: slopes[n][i][k] ** 2, NOTHING)
            ),
            "round_mean_gradient": self.over_steps(lambda k: mean_slope(k) ** 2),
            "alignment": self.over_steps(lambda k: sum(weights) * mean_slope(k) * virtual[n][k]),
            "gap_to_point": self.over_steps(lambda k: self.excess(weights, virtual[n][k], ORIGIN)),
            "recent_moves": sum(
                (self.move(n - s) for s in range(1, self.exact.max_staleness + 1)), NOTHING
            ),
        }

    def of_run(self) -> dict[str, Expression]:
        """What Theorems 1 and 3, Corollary 1 and Lemma 6 name."""
        rounds, virtual = range(self.exact.setting.num_rounds), self.run.virtual
        steps = range(self.exact.setting.local_steps)
        equal = [F(1, self.sketch.count)] * self.sketch.count
        mean = self.exact.mean_weights

        def over_run(value: Callable[[Vector], Expression]) -> Expression:
            return sum((value(virtual[n][k]) for n in rounds for k in steps), NOTHING) / (
                len(rounds) * len(steps)
            )

        return {
            "mean_round_gap": self.average(self.gap),
            "initial_distance_squared": self.start**2,
            "objective_spread": self.average(
                lambda n: self.excess(self.exact.expected_weights[n], ORIGIN, self.optimum(n))
            ),
            "round_optimum_noise": self.average(lambda n: self.noise(n, 1)),
            "round_optimum_noise_squared": self.average(lambda n: self.noise(n, 2)),
            "mean_move": sum((self.move(n) for n in rounds), NOTHING) / len(rounds),
            "mean_objective_gap": over_run(lambda x: self.excess(mean, x, ORIGIN)),
            "mean_loss_gap": over_run(lambda x: self.excess(equal, x, ORIGIN)),
            "mean_step_gradient": over_run(
                lambda x: (
                    sum((w * self.sketch.gradient(i, x) for i, w in enumerate(equal)), ORIGIN) ** 2
                )
            ),
            "optimum_noise": sum(
                (w * self.sketch.gradient(i, ORIGIN) ** 2 for i, w in enumerate(mean)), NOTHING
            ),
            "optimum_conflict": sum(
                (w * self.above_own(i, ORIGIN) for i, w in enumerate(mean)), NOTHING
            ),
            "misrepresentation": self.average(
                lambda n: (
                    mismatch(equal, self.exact.shares(n))
                    * self.mean_over(n, lambda i, k: self.above_own(i, self.optimum(n)), NOTHING)(0)
                )
            ),
            "unrepresented": self.average(
                lambda n: self.over_steps(
                    lambda k: sum(
                        (
                            equal[i] * self.above_own(i, virtual[n][k])
                            for i, share in enumerate(self.exact.shares(n))
                            if not share
                        ),
                        NOTHING,
                    )
                )
            ),
        }

    def above_own(self, client: int, point: Vector) -> Expression:
        """L_i - L_i*."""
        return self.sketch.value(client, point) - self.sketch.value(
            client, self.own_optimum(client)
        )


def mismatch(importance: Sequence[Fraction], shares: Sequence[Fraction]) -> Fraction:
    """chi^2 over the clients that are represented."""
    return sum(((r - s) ** 2 / s for r, s in zip(importance, shares, strict=True) if s), F(0))
