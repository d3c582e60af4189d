"""Sampled rounds with up to thousands of clients: exact second moments by symmetry.

Clients come in groups that share importance and curvature; half of a group has its optimum at t,
half at -t. Then the mean of the model does not couple to its second moment, which a round maps by
one affine function, whatever the number of clients. Powers are enclosed; left sides are rounded
down.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from fltheory.claims.checks.instances import Instance
from fltheory.core.types import Scalar
from fltheory.papers.fraboni.checks.large_scale import down, power

F = Fraction
ONE, ZERO = F(1), F(0)

Values: TypeAlias = dict[str, Scalar]


@dataclass(frozen=True)
class Group:
    """So many clients of one importance, losses h/2 (x -+ t)^2 and chance to take part (used by
    independent participation)."""

    count: int
    importance: Fraction
    curvature: Fraction = ONE
    optimum: Fraction = ZERO
    chance: Fraction = ONE


@dataclass(frozen=True)
class TwoKinds:
    """A sampled run without delay: `sampled` clients per round uniformly or by importance, or each
    client by its own chance."""

    groups: tuple[Group, ...]
    scheme: str = "uniform"
    sampled: int = 1
    local_steps: int = 1
    num_rounds: int = 1
    server: Fraction = ONE
    start: Fraction = ONE
    noise: Fraction = ZERO
    size: Fraction = ZERO

    @cached_property
    def num_clients(self) -> int:
        return sum(group.count for group in self.groups)

    @cached_property
    def alpha(self) -> Fraction:
        m, clients = self.sampled, self.num_clients
        if self.scheme == "multinomial":
            return 1 - F(1, m)
        if self.scheme == "independent" or clients == 1:
            return F(1)
        return F(clients * (m - 1), m * (clients - 1))

    def excess(self, group: Group) -> Fraction:
        """gamma_i = E omega_i^2 - alpha p_i^2."""
        p = group.importance
        if self.scheme == "multinomial":
            return p / self.sampled
        if self.scheme == "independent":
            return p**2 * (1 / group.chance - 1)
        return p**2 * (F(self.num_clients, self.sampled) - self.alpha)

    @cached_property
    def beta(self) -> Fraction:
        return max(self.excess(g) / g.importance for g in self.groups)

    def total(self, value: Callable[[Group], Fraction]) -> Fraction:
        """Sum of a value over all clients."""
        return sum((g.count * value(g) for g in self.groups), F(0))

    @cached_property
    def weight(self) -> Fraction:
        """q, the same in every round."""
        return self.total(lambda g: g.importance)

    def noise_at_optimum(self, power_of_share: int) -> Fraction:
        """Sigma_1 or Sigma_2."""
        return self.total(
            lambda g: (
                (g.importance / self.weight) ** power_of_share
                * ((g.curvature * g.optimum) ** 2 + self.noise**2)
            )
        )

    def map_after(self, steps: int) -> tuple[Fraction, Fraction]:
        """(P, Q), rounded down: E |model|^2 becomes P E |model|^2 + Q after so many local steps."""
        kept = {g: power(1 - g.curvature * self.size, steps) for g in self.groups}
        twice = {g: power(1 - g.curvature * self.size, 2 * steps) for g in self.groups}
        least = self.total(lambda g: g.importance * (1 - kept[g][1]))
        most = self.total(lambda g: g.importance * (1 - kept[g][0]))
        own = self.total(lambda g: self.excess(g) * (1 - kept[g][1]) ** 2)
        factor = 1 - 2 * self.server * most + self.server**2 * (self.alpha * least**2 + own)

        def spread(g: Group) -> Fraction:
            moved = self.excess(g) * ((1 - kept[g][1]) * g.optimum) ** 2
            # eta^2 times the sum of (1 - h eta)^(2 l) over l < steps
            held = (1 - twice[g][1]) * self.size / (g.curvature * (2 - g.curvature * self.size))
            drawn = self.alpha * g.importance**2 + self.excess(g)
            return moved + drawn * held * self.noise**2

        return down(factor), down(self.server**2 * self.total(spread))

    @cached_property
    def gaps(self) -> tuple[Fraction, Fraction]:
        """Mean gap at the virtual models and at the server's, rounded down."""
        steps = range(self.local_steps)
        maps = [self.map_after(k) for k in steps]
        factor = sum((p for p, _ in maps), F(0)) / self.local_steps
        constant = sum((q for _, q in maps), F(0)) / self.local_steps
        last = self.map_after(self.local_steps)
        second, virtual, server = self.start**2, F(0), F(0)
        for _ in range(self.num_rounds):
            virtual += down(factor * second + constant)
            server += second
            second = down(last[0] * second + last[1])
        half = self.total(lambda g: g.importance * g.curvature) / 2
        return (
            down(half * virtual / self.num_rounds, 10**12),
            down(half * server / self.num_rounds, 10**12),
        )

    @property
    def says(self) -> str:
        return (
            f"{self.num_clients} clients, {self.scheme} sampling of {self.sampled}, K ="
            f" {self.local_steps}, eta_g = {self.server}, {self.num_rounds} rounds"
        )

    def values(self) -> Values:
        """What the theorems name, but for the left sides."""
        moved = self.server * self.weight
        noise = self.noise_at_optimum(1)
        shares = [g.importance for g in self.groups]
        return {
            "num_clients": self.num_clients,
            "num_rounds": self.num_rounds,
            "local_steps": self.local_steps,
            "local_step_size": self.size,
            "server_step_size": self.server,
            "smoothness": max(g.curvature for g in self.groups),
            "max_staleness": 0,
            "covariance_factor": self.alpha,
            "variance_excess": self.beta,
            "largest_total_weight": max(F(1), self.weight),
            "largest_round_weight": self.weight,
            "least_total_weight": self.weight,
            "mean_total_weight": self.weight,
            "virtual_factor": max(F(1), 1 - 2 * moved + self.alpha * moved**2)
            + self.server * self.beta * moved,
            "server_factor": max(F(1), (moved - 1) ** 2),
            "shared_steps": self.local_steps,
            "objective_spread": 0,
            "initial_distance_squared": self.start**2,
            "round_optimum_noise": noise,
            "round_optimum_noise_squared": self.noise_at_optimum(2),
            "optimum_noise": noise * self.weight,
            "balance_period": 1,
            "window_overlap": 0,
            "importance_ratio": max(shares) / min(shares),
        }

    def instance(self) -> Instance:
        """The run under the names of the theorems."""
        virtual, server = self.gaps
        left: Values = {
            "mean_round_gap": virtual,
            "mean_objective_gap": virtual,
            "mean_server_gap": server,
            "mean_server_objective_gap": server,
        }
        return Instance(self.values() | left, self.says)


def unequal(num_clients: int, light: Fraction, optimum: Fraction) -> tuple[Group, ...]:
    """One pair of clients with nearly all importance, the others with the importance `light`."""
    others = num_clients - 2
    heavy = (1 - others * light) / 2
    pair = Group(2, heavy, F(1), optimum, F(1, 2))
    return (pair, Group(others, light, F(1, 2), 3 * optimum, F(1, 10))) if others else (pair,)


def crowds() -> Iterator[TwoKinds]:
    """Few and many clients, equal and extreme importance, one and many local steps, small and large
    server steps, short and long horizons, with and without noise."""
    for clients, light in ((2, F(0)), (10, F(1, 10)), (1000, F(1, 1000)), (1000, F(1, 10**6))):
        for scheme, sampled in (("uniform", 1), ("multinomial", 3), ("independent", 1)):
            for steps, server, rounds, noise, away in (
                (1, F(1), 400, 0, 1),
                (1, F(1), 1, 5, 0),
                (2, F(1, 3), 50, 1, 0),
                (10, F(30), 20, 0, 1),
                (100, F(1), 400, 0, 10),
                (100, F(1), 3, 5, 10),
            ):
                yield TwoKinds(
                    unequal(clients, light, F(1 if rounds < 400 else 0)),
                    scheme,
                    sampled,
                    steps,
                    rounds,
                    server,
                    F(away),
                    F(noise),
                )


def with_size(crowd: TwoKinds, size: Fraction) -> TwoKinds:
    """The same run with another local step size."""
    return replace(crowd, size=size)
