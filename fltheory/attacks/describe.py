"""Describe a run in words, so that a reader can rebuild it by hand: the clients, the deliveries and
the settings of the algorithm."""

import numpy as np

import fltheory.problems
from fltheory.claims.scenario import Scenario
from fltheory.claims.written_problems import problem_fields
from fltheory.core.registry import find_member
from fltheory.core.words import counted

MOST_CELLS = 24
"""Clients times rounds of the largest run that is described in full; larger tables are left to the
file, unless all rounds are alike."""


def told_run(run: Scenario) -> list[str]:
    """Sentences that determine the run; one line for a large run.

    >>> from fltheory import Quadratic, Trace
    >>> problem, trace = Quadratic((2, 2), (0, 1)), Trace.fresh([[1, 0], [1, 1]])
    >>> for line in told_run(Scenario("fedavg", problem, trace, start=0, local_step_size="1/4")):
    ...     print(line.replace("): ", "):\\n"))
    fedavg on Quadratic, 2 clients, 2 rounds, 1 local step, step sizes 1/4 and 1, start 0.
    Clients (f_i(x) = h_i/2 (x - c_i)^2 with any curvatures and optima):
    curvatures 2, 2; optima 0, 1; equal importance; no noise.
    Deliveries (rounds and clients are counted from 0):
    round 0: client 0; round 1: all clients.
    """
    if run.trace.num_clients > MOST_CELLS or (
        run.trace.delivers.size > MOST_CELLS and not _alike(run)
    ):
        return [f"{run.says}."]
    kind, fields = problem_fields(run.problem)
    parts = [told for name in fields if (told := _field(name, getattr(run.problem, name)))]
    given = [
        f"{name.replace('_', ' ')} {_numbers(value)}"
        for name, value in (*run.settings.items(), *run.parameters.items())
    ]
    clients = f"Clients ({find_member(fltheory.problems, kind).says}): {'; '.join(parts)}."
    return [
        f"{run.says}.",
        clients,
        _deliveries(run),
        *([f"Settings: {', '.join(given)}."] if given else []),
    ]


def _field(name: str, value: object) -> str:
    if name == "importance" and isinstance(value, tuple):
        return "equal importance" if len(set(value)) == 1 else f"importance {_numbers(value)}"
    if name == "noise_squared":
        return f"noise of variance {value} in every stochastic gradient" if value else "no noise"
    return f"{name.replace('_', ' ')} {_numbers(value)}"


def _numbers(value: object) -> str:
    """A number, a list of numbers, or a list of points."""
    if not isinstance(value, tuple | list):
        return str(value)
    return ", ".join(
        _numbers(x) if not isinstance(x, tuple | list) or len(x) == 1 else f"({_numbers(x)})"
        for x in value
    )


def _deliveries(run: Scenario) -> str:
    trace = run.trace
    if not trace.delivers.any():
        return "No client ever delivers."
    if _alike(run):
        return "All clients deliver in every round."
    return (
        "Deliveries (rounds and clients are counted from 0):"
        f" {'; '.join(f'round {t}: {_row(run, t)}' for t in range(trace.num_rounds))}."
    )


def _alike(run: Scenario) -> bool:
    """Do all clients deliver in every round, without delays and with equal local steps?"""
    trace = run.trace
    return bool(
        trace.delivers.all() and not trace.delays.any() and len(np.unique(trace.local_steps)) == 1
    )


def _row(run: Scenario, t: int) -> str:
    """Who delivers in one round; with local steps if these vary, and with old models."""
    trace = run.trace
    who = np.flatnonzero(trace.delivers[t]).tolist()
    varied = len(np.unique(trace.local_steps[trace.delivers])) > 1
    told = []
    for i in who:
        details = [counted(int(trace.local_steps[t, i]), "local step")] if varied else []
        details += (
            [f"from the model before round {trace.started_from[t, i]}"]
            if trace.started_from[t, i] < t
            else []
        )
        told.append(f"{i} ({', '.join(details)})" if details else str(i))
    if not who:
        return "none"
    if len(who) == trace.num_clients and told == [str(i) for i in who]:
        return "all clients"
    return f"client{'s' * (len(told) > 1)} {', '.join(told)}"
