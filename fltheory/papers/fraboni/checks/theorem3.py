"""Theorem 3 on exact runs of whole windows, with the counterexamples to what is printed."""

from collections.abc import Iterator
from fractions import Fraction

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.core.types import Scalar
from fltheory.papers.fraboni.checks.path_run import PathWork, Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.rough import rough
from fltheory.papers.fraboni.checks.runs import (
    THREE,
    TWO,
    certain,
    learning_rate,
    on_clock,
    run_values,
    told,
    turns,
)
from fltheory.papers.fraboni.checks.theorem1 import exactly
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous

F = Fraction

TURNS = learning_rate(
    Setting("two clients in turn", (1, 1), (-1, 1), (1, 1), turns(40), F(1), start=1)
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
            sizes: PathWork = {
                "local_step_size": F(1),
                "server_step_size": server,
                "local_steps": steps,
            }
            run = on_clock((1, 2), policy, rounds, **(TWO | sizes))
            yield Quantities(learning_rate(run)), window
    unit: PathWork = {"local_step_size": F(1)}
    run = on_clock((2, 3, 5), FixedWindow(2), 6, **(THREE | unit))
    yield Quantities(learning_rate(run)), 6


@exactly
def window_runs() -> Iterator[Instance]:
    """Theorem 3's quantities on runs of whole windows."""
    return (window_run(q, window) for q, window in windowed())


def window_run(q: Quantities, window: int) -> Instance:
    """What Theorem 3 names, on a run of whole windows without noise in which everybody delivers."""
    shares = [F(1, q.setting.num_clients)] * q.setting.num_clients
    normalised = [w / sum(q.mean_weights) for w in q.mean_weights]
    more: dict[str, Scalar] = {
        "balance_period": window,
        "gradient_bound": q.gradient_bound,
        "mean_objective_gap": q.over_models(lambda model: q.excess(q.mean_weights, model)),
        "mean_step_gradient": mean_squared_gradient(q),
        "mean_mismatch": sum((r - s) ** 2 / s for r, s in zip(shares, normalised, strict=True)),
        "optimum_conflict": q.loss(q.mean_weights, q.constant(q.common_optimum)),
    }
    return Instance(run_values(q) | more, f"{told(q)} in windows of {window}")


def mean_squared_gradient(q: Quantities) -> Fraction:
    """Mean over rounds and local steps of E |grad L|^2 with equal importance, without noise."""
    s = q.setting

    def gradient(x: Fraction) -> Fraction:
        each = (h * (x - c) for h, c in zip(s.curvatures, s.optima, strict=True))
        return sum(each, F(0)) / s.num_clients

    return q.over_models(lambda model: gradient(model[0]) ** 2)


@by_instances(Method.EXACT_RUN, "exact second moments of a client with rough batches")
def rough_windows() -> Iterator[Instance]:
    """The rough client of Theorem 1, seen as windows of one round; its gradients are cut off far
    beyond where the run can go (Theorem 3)."""
    instance = rough(100)
    more = {
        "mean_objective_gap": instance.values["mean_round_gap"],
        "gradient_bound": F(1000) ** 101,
    }
    yield Instance({**instance.values, **more}, instance.says)


@exactly
def steep_client() -> Iterator[Instance]:
    """One client of curvature 10 (Theorem 3)."""
    always = certain([(0,)] * 200)
    setting = Setting("one client of curvature 10", (10,), (0,), (1,), always, F(1), start=1)
    q = Quantities(learning_rate(setting))
    more = {
        "balance_period": 1,
        "gradient_bound": 10,
        "mean_step_gradient": mean_squared_gradient(q),
    }
    yield Instance(run_values(q) | more, q.setting.says)


CHECKS = (
    Check("fraboni.thm3", rough_windows),
    Check("fraboni.thm3.gradient", steep_client),
    Check("fraboni.thm3.gradient.corrected", window_runs),
)
