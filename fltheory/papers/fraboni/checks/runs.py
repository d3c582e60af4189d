"""Runs on which lemmas and theorems are tried, and their values under the claims' names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, Unpack

from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance
from fltheory.core.types import Json, JsonValue, Scalar
from fltheory.papers.fraboni.checks.path_run import Number, Path, PathWork, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous
from fltheory.traces.weights import policy_weights

F = Fraction
MOST = 500
"""Largest number of local steps, and of rounds over all paths, of a setting that is read from a
file."""


def certain(groups: Sequence[Sequence[int]]) -> tuple[Path, ...]:
    """Participation without chance."""
    return ((F(1), tuple(tuple(group) for group in groups)),)


def turns(num_rounds: int) -> tuple[Path, ...]:
    """Two clients, one after the other (Example 2)."""
    return certain([(n % 2,) for n in range(num_rounds)])


def sampled(num_clients: int, size: int, num_rounds: int) -> tuple[Path, ...]:
    """`size` clients drawn uniformly without replacement in each round, all outcomes."""
    sets = list(combinations(range(num_clients), size))
    return tuple((F(1, len(sets) ** num_rounds), path) for path in product(sets, repeat=num_rounds))


def sampling_constants(
    num_clients: int, size: int, importance: Sequence[Fraction]
) -> tuple[Fraction, Fraction]:
    """(alpha, beta) of uniform sampling, from the chances that one client and two clients are
    drawn."""
    one = F(size, num_clients)
    both = F(size * (size - 1), num_clients * (num_clients - 1)) if num_clients > 1 else one**2
    alpha = both / one**2
    return alpha, max(p / one - alpha * p for p in importance)


def learning_rate(setting: Setting, *, share: Number = 1) -> Setting:
    """The same run with a share of the largest local step size that Theorem 1 allows."""
    q = Quantities(setting)
    total = max([F(1), *q.totals])
    limit = F(1) / (48 * setting.local_steps * max(setting.curvatures))
    smaller = 1 / (3 * total**2 * setting.server_step_size * (q.max_staleness + 1))
    return replace(setting, local_step_size=limit * min(F(1), smaller) * share)


def on_clock(
    times: tuple[int, ...], policy: Policy, num_rounds: int, **rest: Unpack[PathWork]
) -> Setting:
    """A run on simulated clocks with the paper's weights; alpha = 0 where rounds belong to single
    clients, else alpha = 1."""
    weights = policy_weights(times, policy)
    single = isinstance(policy, Asynchronous) and not policy.joint_ties and len(times) > 1
    return Setting(
        f"update times {times} under {policy}",
        paths=certain(ClockRun(times, policy).groups(num_rounds)),
        weights=weights,
        covariance_factor=0 if single else 1,
        variance_excess=max(weights) if single else 0,
        **rest,
    )


def sampling_setting(
    num_clients: int, size: int, num_rounds: int, **rest: Unpack[PathWork]
) -> Setting:
    """Uniform client sampling with unbiased weights."""
    importance = (F(1, num_clients),) * num_clients
    alpha, beta = sampling_constants(num_clients, size, importance)
    return Setting(
        f"{size} of {num_clients} clients sampled",
        weights=(F(1, size),) * num_clients,
        fresh=True,
        paths=sampled(num_clients, size, num_rounds),
        covariance_factor=alpha,
        variance_excess=beta,
        **rest,
    )


ONE: PathWork = {"curvatures": (1,), "optima": (0,), "start": 1}
TWO: PathWork = {"curvatures": (1, 1), "optima": (0, 1), "start": 5}
THREE: PathWork = {"curvatures": (1, F(1, 2), F(1, 3)), "optima": (0, 1, 3), "start": -2}
"""Losses and starts of one, two and three clients."""


def base_settings(num_rounds: int = 6) -> Iterator[Setting]:
    """Participations of every kind, few clients first; the step size is a placeholder."""
    for server, steps, noise in ((1, 1, 0), (1, 2, 0), (2, 2, 1), (1, 3, 0)):
        rest: PathWork = {
            "local_step_size": F(1, 10),
            "server_step_size": server,
            "local_steps": steps,
            "noise": noise,
        }
        one, two, three = (losses | rest for losses in (ONE, TWO, THREE))
        count = num_rounds if not noise else min(num_rounds, 3)
        turn, small = turns(count), (F(1, 5), F(1, 5))
        yield Setting("one client", weights=(1,), paths=certain([(0,)] * count), **one)
        yield Setting("two clients in turn", weights=(1, 1), paths=turn, **two)
        yield Setting("two clients in turn, small weights", weights=small, paths=turn, **two)
        yield on_clock((1, 2), Asynchronous(), count, **two)
        yield on_clock((1, 2), FixedWindow(1), count, **two)
        yield on_clock((1, 2, 3), Synchronous(), min(count, 3), **three)
        yield on_clock((2, 3, 5), FixedWindow(2), count, **three)
    tenth: PathWork = {"local_step_size": F(1, 10)}
    for size in (1, 2):
        yield sampling_setting(2, 1, 3, **(TWO | tenth | {"local_steps": size, "noise": 1}))
        yield sampling_setting(3, size, 3, **(THREE | tenth | {"local_steps": 2}))


LEMMA_STEPS = {1: F(1, 2), 2: F(1, 12), 3: F(1, 10)}
"""Local step sizes far beyond Theorem 1's, within what the lemmas ask (kappa D <= 1/2), by number
of local steps."""


@cache
def lemma_runs() -> tuple[Quantities, ...]:
    """Short runs with large steps, for lemmas that hold round by round."""
    return tuple(
        Quantities(replace(s, local_step_size=LEMMA_STEPS[s.local_steps])) for s in base_settings()
    )


@cache
def theorem_runs() -> tuple[Quantities, ...]:
    """Runs at the largest step size of Theorem 1."""
    return tuple(Quantities(learning_rate(s)) for s in base_settings())


def common_values(q: Quantities) -> dict[str, Scalar]:
    """Parameters of a run."""
    s = q.setting
    return {
        "num_rounds": s.num_rounds,
        "num_clients": s.num_clients,
        "local_steps": s.local_steps,
        "local_step_size": s.local_step_size,
        "server_step_size": s.server_step_size,
        "smoothness": max(s.curvatures),
        "max_staleness": q.max_staleness,
        "covariance_factor": s.covariance_factor,
        "variance_excess": s.variance_excess,
        "largest_total_weight": max([F(1), *q.totals]),
        "virtual_factor": q.virtual_factor,
        "shared_steps": s.local_steps if q.is_random else 1,
    }


@cache
def round_values(q: Quantities, n: int) -> dict[str, Scalar]:
    """Everything that the lemmas name in round n."""
    return common_values(q) | {
        "total_weight": q.totals[n],
        "round_gap": q.gap(n),
        "round_drift": q.drift(n),
        "round_squared_gradient": q.squared_gradient(n),
        "round_mean_gradient": q.mean_gradient(n),
        "alignment": q.alignment(n),
        "descent": q.descent(n),
        "gap_to_point": q.gap_to_point(n),
        "move": q.move(n),
        "recent_moves": sum((q.move(n - s) for s in range(1, q.max_staleness + 1)), F(0)),
        "round_noise": q.optimum_noise(n, 1),
        "round_noise_squared": q.optimum_noise(n, 2),
    }


@cache
def run_values(q: Quantities) -> dict[str, Scalar]:
    """Everything that Theorems 1 and 3 and Lemma 6 name, over a whole run."""
    return common_values(q) | {
        "mean_round_gap": q.average(q.gap),
        "objective_spread": q.spread,
        "mean_total_weight": sum(q.mean_weights, F(0)),
        "initial_distance_squared": (F(q.setting.start) - q.common_optimum) ** 2,
        "round_optimum_noise": q.average(lambda n: q.optimum_noise(n, 1)),
        "round_optimum_noise_squared": q.average(lambda n: q.optimum_noise(n, 2)),
        "mean_move": (
            sum((q.move(n) for n in range(q.setting.num_rounds)), F(0)) / q.setting.num_rounds
        ),
        "least_total_weight": min(q.totals[n] for n in q.filled),
        "optimum_noise": q.noise_at(q.common_optimum, q.mean_weights),
    }


def written(setting: Setting) -> Json:
    """A setting as plain text and lists, for the origin of a counterexample."""

    def plain(value: object) -> JsonValue:
        if isinstance(value, tuple):
            return [plain(part) for part in value]
        return value if isinstance(value, bool | None) else str(value)

    return {name: plain(getattr(setting, name)) for name in Setting.__dataclass_fields__}


def read(data: Mapping[str, object]) -> Quantities:
    """The quantities of a setting that `written` wrote; sizes are bounded."""

    def numbers(value: object) -> Any:
        if isinstance(value, list):
            return tuple(numbers(part) for part in value)
        return None if value is None else F(str(value))

    fields: dict[str, Any] = {
        name: value if name in ("says", "fresh") else numbers(value) for name, value in data.items()
    }
    fields["local_steps"] = int(fields["local_steps"])
    fields["paths"] = tuple(
        (chance, tuple(tuple(int(i) for i in group) for group in groups))
        for chance, groups in fields["paths"]
    )
    if fields["local_steps"] > MOST or sum(len(groups) for _, groups in fields["paths"]) > MOST:
        raise ValueError(f"at most {MOST} local steps and rounds")
    return Quantities(admissible(Setting(**fields)))


def admissible(s: Setting) -> Setting:
    """The setting, if it is one that the paper speaks of: convex losses, positive sizes, chances
    that sum to 1, and Assumption 5 with its own alpha and beta in every round:
    E[w_i w_j] = alpha q_i q_j and E[w_i^2] <= alpha q_i^2 + beta q_i."""
    clients, rounds = range(s.num_clients), range(s.num_rounds)
    sizes = (*s.curvatures, s.local_step_size, s.server_step_size, s.local_steps)
    if not (
        min(sizes) > 0
        and min(*s.weights, s.noise, s.covariance_factor, s.variance_excess) >= 0
        and len(s.curvatures) == len(s.optima) == len(s.weights)
        and min(chance for chance, _ in s.paths) > 0
        and sum(chance for chance, _ in s.paths) == 1
        and {len(groups) for _, groups in s.paths} == {s.num_rounds}
        and all(
            len(set(group)) == len(group) and set(group) <= set(clients)
            for _, groups in s.paths
            for group in groups
        )
    ):
        raise ValueError("convex losses, positive sizes and chances that sum to 1")

    def together(i: int, j: int, n: int) -> Number:
        """The chance that both clients deliver in round n."""
        return sum(c for c, groups in s.paths if i in groups[n] and j in groups[n])

    for n in rounds:
        mean = [w * together(i, i, n) for i, w in enumerate(s.weights)]
        for i in clients:
            own = s.weights[i] ** 2 * together(i, i, n) - s.covariance_factor * mean[i] ** 2
            if own > s.variance_excess * mean[i]:
                raise ValueError("Assumption 5 with this beta")
            for j in range(i):
                both = s.weights[i] * s.weights[j] * together(i, j, n)
                if both != s.covariance_factor * mean[i] * mean[j]:
                    raise ValueError("Assumption 5 with this alpha")
    return s


def told(q: Quantities) -> str:
    """A whole run in one line."""
    s = q.setting
    return f"{s.says}, {s.local_steps} local steps, {s.num_rounds} rounds"


def in_round(q: Quantities, n: int, says: str = "") -> Instance:
    """One round of one run."""
    line = says or f"{q.setting.says}, {q.setting.local_steps} local steps, round {n}"
    origin: Json = {"kind": "fraboni.round", "setting": written(q.setting), "index": n}
    return Instance(round_values(q, n), line, {"origin": origin})


ORIGINS = {
    "fraboni.round": lambda setting, index: round_values(read(setting), index),
    "fraboni.run": lambda setting: run_values(read(setting)),
}


def in_rounds(runs: Sequence[Quantities]) -> Iterator[Instance]:
    """One instance per filled round of each run."""
    for q in runs:
        yield from (in_round(q, n) for n in q.filled)


def in_runs(runs: Sequence[Quantities]) -> Iterator[Instance]:
    """One instance per run."""
    for q in runs:
        origin: Json = {"kind": "fraboni.run", "setting": written(q.setting)}
        yield Instance(run_values(q), told(q), {"origin": origin})
