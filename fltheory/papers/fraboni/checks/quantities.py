"""All quantities of the paper's Appendix A on one exact run, from their definitions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from fltheory.core.ratio import ZERO, Ratio
from fltheory.papers.fraboni.checks.path_run import (
    Number,
    PathRun,
    Row,
    Setting,
    constant_row,
    run_along,
)


@dataclass(frozen=True)
class Quantities:
    """Exact values of everything that the lemmas and theorems speak of."""

    setting: Setting

    def constant(self, value: Number) -> Row:
        """A number without noise."""
        return constant_row(self.setting, value)

    @cached_property
    def runs(self) -> list[tuple[Fraction, PathRun]]:
        return [
            (Ratio(chance), run_along(self.setting, groups))
            for chance, groups in self.setting.paths
        ]

    def mean(self, value: Callable[[PathRun], Number]) -> Fraction:
        """Expectation over the paths of a number already averaged over the noise."""
        return sum((chance * value(run) for chance, run in self.runs), ZERO)

    @cached_property
    def expected_weights(self) -> list[list[Fraction]]:
        """q_i(n)."""
        s = self.setting
        return [
            [
                sum(
                    (Ratio(c) * s.weights[i] for c, groups in s.paths if i in groups[n]),
                    ZERO,
                )
                for i in range(s.num_clients)
            ]
            for n in range(s.num_rounds)
        ]

    @cached_property
    def totals(self) -> list[Fraction]:
        """q(n)."""
        return [sum(row, ZERO) for row in self.expected_weights]

    @cached_property
    def mean_weights(self) -> list[Fraction]:
        """q_i."""
        s = self.setting
        return [
            sum((row[i] for row in self.expected_weights), ZERO) / s.num_rounds
            for i in range(s.num_clients)
        ]

    def minimiser(self, weights: Sequence[Number]) -> Fraction:
        """Where sum_i weight_i L_i is least."""
        s = self.setting
        curvature = sum(w * h for w, h in zip(weights, s.curvatures, strict=True))
        return (
            Fraction(
                sum(w * h * c for w, h, c in zip(weights, s.curvatures, s.optima, strict=True))
            )
            / curvature
        )

    def loss(self, weights: Sequence[Number], point: Row) -> Fraction:
        """E sum_i weight_i L_i at a random point, where E (x - c)^2 = (E x - c)^2 + Var x."""
        mean, variance = point[0], sum((r * r for r in point[1:]), ZERO)
        total: Fraction = ZERO
        for w, h, c in zip(weights, self.setting.curvatures, self.setting.optima, strict=True):
            total += w * h * ((mean - c) ** 2 + variance) / 2
        return total

    def excess(self, weights: Sequence[Number], point: Row) -> Fraction:
        """The same above its minimum."""
        return self.loss(weights, point) - self.loss(
            weights, self.constant(self.minimiser(weights))
        )

    @property
    def filled(self) -> list[int]:
        """Rounds with q(n) > 0; in the others nothing happens and normalised quantities are
        undefined."""
        return [n for n, total in enumerate(self.totals) if total > 0]

    @cached_property
    def common_optimum(self) -> Fraction:
        """Minimiser of the mean objective."""
        return self.minimiser(self.mean_weights)

    @property
    def point(self) -> Fraction:
        """The paper's x: the common optimum unless the setting names another."""
        return self.common_optimum if self.setting.point is None else Fraction(self.setting.point)

    def shares(self, n: int) -> list[Fraction]:
        """Normalised expected weights of a round."""
        return [q / self.totals[n] for q in self.expected_weights[n]]

    def over_steps(self, value: Callable[[PathRun, int], Number]) -> Fraction:
        """Mean over local steps and expectation."""
        steps = range(self.setting.local_steps)
        return self.mean(lambda run: sum(value(run, k) for k in steps)) / self.setting.local_steps

    def over_models(self, value: Callable[[Row], Number]) -> Fraction:
        """Mean over rounds and local steps of the expectation of a value at the virtual model."""
        s = self.setting
        total = self.mean(lambda run: sum(value(x) for row in run.virtual for x in row[:-1]))
        return total / (s.num_rounds * s.local_steps)

    def gap(self, n: int) -> Fraction:
        """Z(n)."""
        return self.over_steps(
            lambda run, k: self.excess(self.expected_weights[n], run.virtual[n][k])
        )

    def gap_to_point(self, n: int) -> Fraction:
        """Xi(n) at the paper's x."""
        at_point = self.loss(self.expected_weights[n], self.constant(self.point))
        return (
            self.over_steps(lambda run, k: self.loss(self.expected_weights[n], run.virtual[n][k]))
            - at_point
        )

    def drift(self, n: int) -> Fraction:
        """phi(n)."""

        def at(run: PathRun, k: int) -> Fraction:
            apart = [
                run.local[n][i][k] - run.virtual[n][k] for i in range(self.setting.num_clients)
            ]
            return sum(
                (share * (a @ a) for share, a in zip(self.shares(n), apart, strict=True)),
                ZERO,
            )

        return self.over_steps(at)

    def squared_gradient(self, n: int) -> Fraction:
        """S(n)."""
        return self.over_steps(
            lambda run, k: sum(
                share * (run.gradients[n][i][k] @ run.gradients[n][i][k])
                for i, share in enumerate(self.shares(n))
            )
        )

    def mean_gradient(self, n: int) -> Fraction:
        """R(n)."""

        def at(run: PathRun, k: int) -> Fraction:
            total = sum(
                (share * run.gradients[n][i][k] for i, share in enumerate(self.shares(n))),
                self.constant(0),
            )
            return Fraction(total @ total)

        return self.over_steps(at)

    def alignment(self, n: int) -> Fraction:
        """D(x, n), with exact gradients at the local models."""
        s = self.setting

        def at(run: PathRun, k: int) -> Fraction:
            slope = sum(
                (
                    q * s.curvatures[i] * (run.local[n][i][k] - self.constant(s.optima[i]))
                    for i, q in enumerate(self.expected_weights[n])
                ),
                self.constant(0),
            )
            return Fraction(slope @ (run.virtual[n][k] - self.constant(self.point)))

        return self.over_steps(at)

    def descent(self, n: int) -> Fraction:
        """Delta(n): mean over k of E |theta^{n,k+1} - x|^2 - E |theta^{n,k} - x|^2."""

        def at(run: PathRun, k: int) -> Fraction:
            after, before = (run.virtual[n][j] - self.constant(self.point) for j in (k + 1, k))
            return Fraction(after @ after - before @ before)

        return self.over_steps(at)

    def move(self, n: int) -> Fraction:
        """Q(n), 0 before the first round."""
        if n < 0:
            return ZERO
        return self.mean(
            lambda run: (run.models[n + 1] - run.models[n]) @ (run.models[n + 1] - run.models[n])
        )

    def optimum_noise(self, n: int, power: int) -> Fraction:
        """sigma_1(n) for power 1, sigma_2(n) for power 2."""
        return self.noise_at(
            self.minimiser(self.expected_weights[n]), [share**power for share in self.shares(n)]
        )

    def noise_at(self, point: Fraction, weights: Sequence[Number]) -> Fraction:
        """sum_i weight_i E |stochastic gradient of client i|^2 at a point."""
        s = self.setting
        return sum(
            (
                w * ((h * (point - c)) ** 2 + Fraction(s.noise) ** 2)
                for w, h, c in zip(weights, s.curvatures, s.optima, strict=True)
            ),
            ZERO,
        )

    @cached_property
    def max_staleness(self) -> int:
        return max(
            n - start for _, run in self.runs for n, row in enumerate(run.started) for start in row
        )

    @cached_property
    def virtual_factor(self) -> Fraction:
        """kappa."""
        s = self.setting
        alpha, beta = (s.covariance_factor, s.variance_excess) if self.is_random else (1, 0)
        moved = [s.server_step_size * total for total in self.totals]
        return max(
            max(Fraction(1), 1 - 2 * x + alpha * x**2) + s.server_step_size * beta * x
            for x in moved
        )

    @property
    def is_random(self) -> bool:
        """Does chance decide who participates?"""
        return len(self.setting.paths) > 1

    @cached_property
    def spread(self) -> Fraction:
        """R({L^n})."""
        excesses = (
            self.excess(self.expected_weights[n], self.constant(self.common_optimum))
            for n in self.filled
        )
        return sum(excesses, ZERO) / self.setting.num_rounds

    def average(self, value: Callable[[int], Fraction]) -> Fraction:
        """Mean over rounds; empty rounds count as 0."""
        return sum((value(n) for n in self.filled), ZERO) / self.setting.num_rounds

    @cached_property
    def gradient_bound(self) -> Fraction:
        """The largest |gradient| of any client at any model or virtual iterate of a noiseless
        run."""
        s = self.setting
        points = [
            row[0] for _, run in self.runs for n in range(s.num_rounds) for row in run.virtual[n]
        ]
        points += [
            row[0]
            for _, run in self.runs
            for by_client in run.local
            for rows in by_client
            for row in rows
        ]
        return max(
            h * abs(x - c) for x in points for h, c in zip(s.curvatures, s.optima, strict=True)
        )
