"""Algorithm 3 written out line by line for one coordinate, without the engine, with every iterate
that the proofs mention."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from fltheory.claims.checks.enumeration import expectation, signs
from fltheory.problems.clipped import Clipped

ZERO = Fraction(0)

Coordinate: TypeAlias = Any
"""A Fraction in an exact run; in a certificate, a vector over unknown gradients or an expression of
such vectors. The algorithm only adds and scales them."""

Participation = Sequence[Sequence[int]]
"""Who takes part in each round, as 1 and 0."""

Place = tuple[int, int]
"""A client, counted from 0, and an iteration, counted from 1."""


class LineOfLosses(Protocol):
    """What Algorithm 3 and the proofs ask of the losses."""

    def slope(self, client: int, x: Coordinate) -> Coordinate: ...

    def mean_slope(self, x: Coordinate) -> Coordinate: ...

    def mean_loss(self, x: Coordinate) -> Coordinate: ...


@dataclass(frozen=True)
class LiteralRun:
    """`models[t]` is x^t, `points[i, t]` the local model x_i^{t-1} behind g_i^t, `latest[t][i]` is
    R_i^{r} C - r C + t, the index of the gradient of client i that iteration t uses (not above 0
    where the client has not taken part)."""

    models: tuple[Coordinate, ...]
    gradients: Mapping[Place, Coordinate]
    points: Mapping[Place, Coordinate]
    latest: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Line:
    """Losses and slopes of the clients of a clipped problem on the real line."""

    problem: Clipped

    def slope(self, client: int, x: Fraction) -> Fraction:
        """f_i'(x) = h_i (x - c_i), clipped to [-bound, bound]."""
        bound = self.problem.bound
        return max(-bound, min(bound, self._ramp(client, x)))

    def loss(self, client: int, x: Fraction) -> Fraction:
        """f_i(x), a Huber loss or its negative."""
        clipped = self.slope(client, x)
        exact = clipped * self._ramp(client, x) - clipped**2 / 2
        return exact / self.problem.curvatures[client][0]

    def mean_slope(self, x: Fraction) -> Fraction:
        """f'(x), the average over the clients."""
        return expectation([self.slope(i, x) for i in range(self.problem.num_clients)])

    def mean_loss(self, x: Fraction) -> Fraction:
        """f(x), the average over the clients."""
        return expectation([self.loss(i, x) for i in range(self.problem.num_clients)])

    def _ramp(self, client: int, x: Fraction) -> Fraction:
        return self.problem.curvatures[client][0] * (x - self.problem.centres[client][0])


def algorithm_3(
    line: LineOfLosses,
    takes_part: Participation,
    local_steps: int,
    step_size: Fraction,
    start: Coordinate,
    noise: Mapping[Place, Fraction],
    *,
    divided: bool = True,
) -> LiteralRun:
    """Algorithm 3, lines 1-15; (38) with the missing factor 1/N, or as printed if not `divided`."""
    clients = len(takes_part[0])
    scale = step_size / clients if divided else step_size
    models, local = [start], [start] * clients
    gradients: dict[Place, Coordinate] = {}
    points: dict[Place, Coordinate] = {}
    latest: dict[int, tuple[int, ...]] = {}
    last_round = [0] * clients
    for t in range(1, len(takes_part) * local_steps + 1):
        r = (t - 1) // local_steps + 1
        here = [i for i in range(clients) if takes_part[r - 1][i]]
        if (t - 1) % local_steps == 0:
            for i in here:
                last_round[i], local[i] = r, models[t - 1]
        for i in here:
            points[i, t] = local[i]
            gradients[i, t] = line.slope(i, local[i]) + noise.get((i, t), ZERO)
        latest[t] = tuple(last_round[i] * local_steps - r * local_steps + t for i in range(clients))
        models.append(
            models[t - 1]
            - scale * sum((gradients.get((i, s), ZERO) for i, s in enumerate(latest[t])), ZERO)
        )
        for i in here:
            local[i] -= step_size * gradients[i, t]
    return LiteralRun(tuple(models), gradients, points, latest)


def outcomes(
    takes_part: Participation, local_steps: int, scale: Fraction
) -> list[dict[Place, Fraction]]:
    """All equally likely tables of +-scale noise on the gradients that are computed; one empty
    table without noise."""
    if not scale:
        return [{}]
    present = [(r, i) for r, row in enumerate(takes_part) for i, bit in enumerate(row) if bit]
    drawn = [(i, r * local_steps + k + 1) for r, i in present for k in range(local_steps)]
    return [
        {key: sign * scale for key, sign in zip(drawn, picked, strict=True)}
        for picked in signs(len(drawn))
    ]


def moments(
    line: LineOfLosses,
    takes_part: Participation,
    local_steps: int,
    step_size: Fraction,
    start: Coordinate,
    scale: Fraction,
) -> dict[int, dict[str, Coordinate]]:
    """For each iteration t, the exact expectations in eq. (21)-(32) and (41)-(51), over
    all noise."""
    every = [
        _at_each_step(
            line, algorithm_3(line, takes_part, local_steps, step_size, start, noise), local_steps
        )
        for noise in outcomes(takes_part, local_steps, scale)
    ]
    return {
        t: {name: expectation([one[t][name] for one in every]) for name in every[0][t]}
        for t in every[0]
    }


def _at_each_step(
    line: LineOfLosses, run: LiteralRun, local_steps: int
) -> dict[int, dict[str, Coordinate]]:
    found = {t: _at_step(line, run, t) for t in run.latest}
    for t, values in found.items():
        end = ((t - 1) // local_steps + 1) * local_steps
        same_round = range(end - local_steps + 1, end + 1)
        values["squared_end_gradient"] = line.mean_slope(run.models[end - 1]) ** 2
        values["mean_squared_old_gradient"] = (
            sum((found[s]["squared_old_gradient"] for s in same_round), ZERO) / local_steps
        )
    return found


def _at_step(line: LineOfLosses, run: LiteralRun, t: int) -> dict[str, Coordinate]:
    """What one iteration of one run contributes; x^{-k} stands for x^0 where a client has not taken
    part."""
    used = list(enumerate(run.latest[t]))
    clients = len(used)
    oldest = max(min(run.latest[t]), 1)
    before, after = run.models[t - 1], run.models[t]
    now, old = line.mean_slope(before), line.mean_slope(run.models[oldest - 1])
    slopes = [line.slope(i, run.points[i, s]) if s > 0 else ZERO for i, s in used]
    noises = [
        run.gradients[i, s] - slope if s > 0 else ZERO
        for (i, s), slope in zip(used, slopes, strict=True)
    ]
    mean_slope, mean_noise = sum(slopes, ZERO) / clients, sum(noises, ZERO) / clients
    return {
        "loss_before": line.mean_loss(before),
        "loss_after": line.mean_loss(after),
        "squared_move": (after - before) ** 2,
        "slope_along_move": now * (after - before),
        "squared_gradient": now**2,
        "squared_old_gradient": old**2,
        "squared_latest_mean": mean_slope**2,
        "squared_noise_mean": mean_noise**2,
        "noise_of_sum": sum(noises, ZERO) ** 2,
        "sum_of_noises": sum((n * n for n in noises), ZERO),
        "drift_times_noise": (now - old) * mean_noise,
        "drift_times_latest": (now - old) * mean_slope,
        "squared_drift": (now - old) ** 2,
        "old_times_update": old * (mean_slope + mean_noise),
        "old_times_latest": old * mean_slope,
        "now_times_update": now * (mean_slope + mean_noise),
        "squared_spread": (old - mean_slope) ** 2,
    }
