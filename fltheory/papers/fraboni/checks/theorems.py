"""Theorems 1 and 3 and their corollaries on exact runs, with the counterexamples to what is
printed."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import chain
from math import floor
from typing import Any

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim, Order
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.checks.lemmas import KINDS, rough
from fltheory.papers.fraboni.checks.quantities import Quantities, Setting
from fltheory.papers.fraboni.checks.runs import (
    base_settings,
    certain,
    common_values,
    learning_rate,
    on_clock,
    run_values,
    theorem_runs,
    turns,
)
from fltheory.papers.fraboni.paper import RHO
from fltheory.papers.fraboni.statements.bounds import ORDER_BEFORE_32
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous

F = Fraction
TURNS = learning_rate(
    Setting("two clients in turn", (1, 1), (-1, 1), (1, 1), turns(40), F(1), start=1)
)
THREE = {
    "curvatures": (1, F(1, 2), F(1, 3)),
    "optima": (0, 1, 3),
    "start": -2,
    "local_step_size": F(1),
}
BOUND = "exact runs at the largest step size of Theorem 1"


def on_runs(
    runs: Callable[[], Iterable[Instance]], claim: Claim, *, covers: str = f"{BOUND}: {KINDS}"
) -> Evidence:
    return check_instances(claim, runs(), method=Method.EXACT_RUN, covers=covers)


def as_instance(q: Quantities, more: dict[str, Any]) -> Instance:
    return Instance(
        run_values(q) | more,
        f"{q.setting.says}, {q.setting.local_steps} local steps, {q.setting.num_rounds} rounds",
    )


def every_run() -> Iterator[Instance]:
    return (as_instance(q, {}) for q in theorem_runs())


def certain_runs() -> Iterator[Instance]:
    return (as_instance(q, {}) for q in theorem_runs() if not q.is_random)


def longer_runs() -> Iterator[Instance]:
    """More rounds, more local steps, server steps from 1/3 to 3, other starts and shares of the
    step size."""
    from dataclasses import replace

    for s in base_settings(12):
        for server, start, share in ((F(1, 3), 0, 1), (1, 7, F(1, 3)), (3, -1, 1)):
            if len(s.paths) == 1:
                yield as_instance(
                    Quantities(
                        learning_rate(replace(s, server_step_size=server, start=start), share=share)
                    ),
                    {},
                )


def down(number: Fraction, digits: int = 12) -> Fraction:
    """The number rounded down, so that what exceeds a bound here exceeds it in truth."""
    return F(floor(number * 10**digits), 10**digits)


@cache
def sampled_values(local_steps: int, num_rounds: int) -> dict[str, Any]:
    """One of two clients (optima 1 and -1) per round, start 0, step 1/(144 K): the run's second
    moments, rounded down.

    theta' = theta + move_k (c - theta) with move_k = 1 - (1 - eta)^k and c = +-1, so E theta'^2 =
    (1 - move)^2 E theta^2 + move^2.
    """
    size = F(1, 144 * local_steps)
    moves = [down(1 - (1 - size) ** k, 30) for k in range(local_steps + 1)]
    second, total = F(0), F(0)
    for _ in range(num_rounds):
        total += sum(down((1 - m - F(1, 10**30)) ** 2 * second + m**2, 30) for m in moves[:-1])
        second = down((1 - moves[-1] - F(1, 10**30)) ** 2 * second + moves[-1] ** 2, 30)
    return {
        "num_rounds": num_rounds,
        "num_clients": 2,
        "local_steps": local_steps,
        "local_step_size": size,
        "server_step_size": 1,
        "smoothness": 1,
        "max_staleness": 0,
        "covariance_factor": 0,
        "variance_excess": 1,
        "largest_total_weight": 1,
        "objective_spread": 0,
        "initial_distance_squared": 0,
        "round_optimum_noise": 1,
        "round_optimum_noise_squared": F(1, 2),
        "virtual_factor": 2,
        "shared_steps": local_steps,
        "mean_round_gap": down(total / (2 * num_rounds * local_steps)),
        "mean_total_weight": 1,
    }


def many_local_steps() -> Iterator[Instance]:
    yield Instance(
        sampled_values(144, 150),
        "one of two clients sampled, 144 local steps, 150 rounds (left side rounded down)",
    )


def fair_setting(weight: Fraction, num_rounds: int) -> Quantities:
    """One client with a small weight, at the largest step size."""
    always = certain([(0,)] * num_rounds)
    return Quantities(
        learning_rate(
            Setting(f"one client of weight {weight}", (1,), (0,), (weight,), always, F(1), start=1)
        )
    )


def loss_gap(q: Quantities) -> Fraction:
    """Mean over rounds and local steps of E L - L*, with equal importance."""
    shares = [F(1, q.setting.num_clients)] * q.setting.num_clients
    rounds = range(q.setting.num_rounds)
    return (
        sum(
            (q.over_steps(lambda run, k, n=n: q.excess(shares, run.virtual[n][k])) for n in rounds),
            F(0),
        )
        / q.setting.num_rounds
    )


def fair_runs() -> Iterator[Instance]:
    """Rounds in which all data types have their importance: one client, also of small weight,
    synchronous, sampled."""
    fair = [
        q
        for q in theorem_runs()
        if not q.setting.says.startswith(
            ("two clients", "update times (1, 2) ", "update times (2, 3, 5)")
        )
    ]
    for q in chain([fair_setting(F(1, 100), 40)], fair):
        yield as_instance(q, {"mean_loss_gap": loss_gap(q)})


def light_client() -> Iterator[Instance]:
    """One client of small weight for many rounds; its loss is rounded down."""
    q = fair_setting(F(1, 100), 400)
    first = common_values(q) | {
        "initial_distance_squared": 1,
        "round_optimum_noise": 0,
        "round_optimum_noise_squared": 0,
    }
    yield Instance(
        first | {"mean_loss_gap": down(loss_gap(q))},
        f"{q.setting.says}, 400 rounds (left side rounded down)",
    )


def windowed() -> Iterator[tuple[Quantities, int]]:
    """Runs of whole windows, without noise, with their window."""
    yield Quantities(TURNS), 2
    for policy, window, rounds in (
        (Asynchronous(), 3, 6),
        (FixedWindow(1), 2, 6),
        (Synchronous(), 1, 4),
    ):
        for server, steps in ((1, 1), (3, 2)):
            yield (
                Quantities(
                    learning_rate(
                        on_clock(
                            (1, 2),
                            policy,
                            rounds,
                            curvatures=(1, 1),
                            optima=(0, 1),
                            start=5,
                            local_step_size=F(1),
                            server_step_size=server,
                            local_steps=steps,
                        )
                    )
                ),
                window,
            )
    yield Quantities(learning_rate(on_clock((2, 3, 5), FixedWindow(2), 6, **THREE))), 6


def window_runs() -> Iterator[Instance]:
    return (window_run(q, window) for q, window in windowed())


def window_run(q: Quantities, window: int) -> Instance:
    """What Theorem 3 names, on a run of whole windows without noise in which everybody delivers."""
    steps, rounds = q.setting.local_steps, q.setting.num_rounds
    gaps = [
        q.over_steps(lambda run, k, n=n: q.excess(q.mean_weights, run.virtual[n][k]))
        for n in range(rounds)
    ]
    squares = [
        q.over_steps(lambda run, k, n=n: _global_gradient(q, run.virtual[n][k][0]) ** 2)
        for n in range(rounds)
    ]
    shares = [F(1, q.setting.num_clients)] * q.setting.num_clients
    normalised = [w / sum(q.mean_weights) for w in q.mean_weights]
    more = {
        "balance_period": window,
        "gradient_bound": q.gradient_bound,
        "mean_objective_gap": sum(gaps) / rounds,
        "mean_step_gradient": sum(squares) / rounds,
        "mean_mismatch": sum((r - s) ** 2 / s for r, s in zip(shares, normalised, strict=True)),
        "optimum_conflict": q.loss(q.mean_weights, q._constant(q.common_optimum)),
    }
    return Instance(
        run_values(q) | more,
        f"{q.setting.says}, {steps} local steps, {rounds} rounds in windows of {window}",
    )


def _global_gradient(q: Quantities, x: Fraction) -> Fraction:
    s = q.setting
    return (
        sum((h * (x - c) for h, c in zip(s.curvatures, s.optima, strict=True)), F(0))
        / s.num_clients
    )


def rough_windows() -> Iterator[Instance]:
    """The rough client of Theorem 1, seen as windows of one round; its gradients are cut off far
    beyond where the run can go."""
    instance = rough(100)
    more = {
        "mean_objective_gap": instance.values["mean_round_gap"],
        "gradient_bound": F(1000) ** 101,
    }
    yield Instance(dict(instance.values) | more, instance.says)


def steep_client() -> Iterator[Instance]:
    """One client of curvature 10."""
    q = Quantities(
        learning_rate(
            Setting(
                "one client of curvature 10",
                (10,),
                (0,),
                (1,),
                certain([(0,)] * 200),
                F(1),
                start=1,
            )
        )
    )
    squares = [
        q.over_steps(lambda run, k, n=n: _global_gradient(q, run.virtual[n][k][0]) ** 2)
        for n in range(200)
    ]
    yield Instance(
        run_values(q)
        | {
            "balance_period": 1,
            "gradient_bound": 10,
            "mean_step_gradient": sum(squares) / 200,
        },
        q.setting.says,
    )


def chained(*parts: Callable[[], Iterable[Instance]]) -> Callable[[], Iterable[Instance]]:
    return lambda: chain.from_iterable(part() for part in parts)


RATE_PATH = {
    "local_steps": 2,
    "smoothness": 1,
    "server_step_size": 1,
    "max_staleness": 1,
    "num_rounds": 1,
    "initial_distance_squared": 0,
    "objective_spread": 1,
    "round_optimum_noise": 0,
    "round_optimum_noise_squared": 0,
    "optimum_noise": 0,
    "largest_weight": 1,
    "covariance_factor": 0,
    "variance_excess": 1,
    "local_step_size": 1 / (144 * 2 * RHO**2 * 2),
}
NOISE_PATH = RATE_PATH | {
    "covariance_factor": 1,
    "round_optimum_noise": 1,
    "round_optimum_noise_squared": 1,
}


def as_numbers(path: dict[str, Any]) -> dict[str, Any]:
    return {
        name: sympy.Integer(value) if isinstance(value, int) else value
        for name, value in path.items()
    }


def along_total_weight(path: dict[str, Any], claim: Claim) -> Evidence:
    return check_order_limit(
        claim,
        derived=as_numbers(path),
        variable=RHO,
        covers="growing total weight, at the step size of Theorem 1",
    )


def without_powers(claim: Claim) -> Claim:
    assert isinstance(claim.statement, Order)
    return claim.planted(right=ORDER_BEFORE_32 / RHO)


ROUNDS = symbol("num_rounds")
CHECKS = (
    Check(
        "fraboni.thm1",
        partial(
            on_runs,
            lambda: [rough(100)],
            covers="exact second moments of a client with rough batches",
        ),
    ),
    Check(
        "fraboni.thm1.sampling",
        partial(
            on_runs, many_local_steps, covers="exact second moments of a sampled run, rounded down"
        ),
    ),
    Check("fraboni.thm1.constants", partial(on_runs, certain_runs)),
    Check(
        "fraboni.thm1.constants",
        partial(on_runs, longer_runs, covers=f"{BOUND}, longer: {KINDS}"),
        slow=True,
    ),
    Check("fraboni.thm1.corrected", partial(on_runs, chained(many_local_steps, every_run))),
    Check("fraboni.thm1.hidden_rho", partial(along_total_weight, RATE_PATH)),
    Check("fraboni.eq31", partial(along_total_weight, RATE_PATH)),
    Check("fraboni.eq31.corrected", partial(along_total_weight, NOISE_PATH), plant=without_powers),
    Check(
        "fraboni.cor1",
        partial(on_runs, light_client, covers="an exact run of one client, its loss rounded down"),
    ),
    Check("fraboni.cor1.corrected", partial(on_runs, fair_runs)),
    Check(
        "fraboni.thm3",
        partial(
            on_runs, rough_windows, covers="exact second moments of a client with rough batches"
        ),
    ),
    Check("fraboni.thm3.corrected", partial(on_runs, window_runs)),
    Check("fraboni.thm3.gradient", partial(on_runs, steep_client)),
    Check("fraboni.thm3.gradient.corrected", partial(on_runs, window_runs)),
)
