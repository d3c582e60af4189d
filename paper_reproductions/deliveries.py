"""From settings to what happens when: the trace of a run, its clock, the method and its step
sizes."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import fltheory.algorithms
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.registry import Settings as MemberSettings
from fltheory.core.registry import find_member
from fltheory.engine.rounds import by_updates
from fltheory.traces import selection, weights
from fltheory.traces.availability.always import Always
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.label_correlated import (
    label_probabilities,
    label_probabilities_as_printed,
)
from fltheory.traces.balance import rounds_within
from fltheory.traces.build import build_trace, clock_trace
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous
from fltheory.traces.delays import random_delays, random_local_steps
from fltheory.traces.trace import Trace
from fltheory.traces.update_times import FixedTimes
from paper_reproductions.daily import QuietHours, quiet_start
from paper_reproductions.settings import Settings

GROUPS = 10
"""Digits of MNIST, classes of CIFAR-10."""


@dataclass(frozen=True)
class Plan:
    """All that is decided before the first gradient. `times` has one entry per model where there is
    a clock."""

    trace: Trace
    times: tuple[Fraction, ...] | None
    algorithm: Any
    local_step_size: Callable[[int], Any]
    server_step_size: Fraction
    update_times: tuple[Fraction, ...] | None


def plan(
    settings: Settings,
    classes: tuple[tuple[int, ...], ...],
    samples: tuple[int, ...],
    seed: int,
    *,
    hours: Any = None,
) -> Plan:
    """Who delivers when and how it is aggregated, for clients that hold these classes and so many
    samples, made at these hours."""
    steps: Any = settings.local_steps or [
        settings.epochs * -(-n // settings.batch_size) for n in samples
    ]
    times, update_times, aggregation, probabilities = None, None, None, None
    if settings.policy:
        trace, times, update_times, aggregation = _clocked(settings, steps)
    else:
        model = _availability(settings, classes, hours)
        probabilities = getattr(model, "probabilities", None)
        trace = build_trace(
            model,
            settings.num_rounds,
            selection=lambda available: _selected(settings, available, seed),
            local_steps=steps,
            seed=seed,
        )
    if settings.dynamic_steps:
        trace = random_local_steps(trace, settings.local_steps, seed=seed)
    if settings.max_delay:
        trace = random_delays(trace, settings.max_delay, seed=seed)
    given = {
        "weights": aggregation,
        "probabilities": probabilities,
        "proximal_strength": settings.proximal_strength,
    }
    algorithm = find_member(fltheory.algorithms, settings.algorithm).build(MemberSettings(given))
    return Plan(
        trace,
        times,
        algorithm,
        _step_sizes(settings, trace),
        exact(settings.server_step_size),
        update_times,
    )


def _availability(settings: Settings, classes: tuple[tuple[int, ...], ...], hours: Any) -> Any:
    match settings.availability:
        case "label-correlated":
            return Bernoulli(
                label_probabilities(classes, settings.min_probability), everyone_first=False
            )
        case "label-correlated-as-printed":
            return Bernoulli(
                label_probabilities_as_printed(classes, settings.min_probability),
                everyone_first=False,
            )
        case "diurnal":
            return Diurnal(len(classes), settings.half_period, settings.day_groups, GROUPS)
        case "quiet-hours":
            if hours is None:
                raise InvalidInput(
                    "availability in quiet hours", "have data with hours", settings.data
                )
            return QuietHours(
                tuple(quiet_start(counts) for counts in hours), 2 * settings.half_period
            )
        case _:
            return Always(len(classes))


def _selected(settings: Settings, available: Any, seed: int) -> Any:
    size = settings.clients_per_round
    match settings.selection:
        case "uniform":
            return selection.uniform(available, size, seed=seed)
        case "longest-absent":
            return selection.longest_absent(available, size, tie_seed=seed)
        case "wait-for-sample":
            return selection.wait_for_sample(available, size, seed=seed)
        case "wait-then-everyone":
            return wait_then_everyone(available)
        case "successive":
            return selection.successive(available, settings.arrival_probabilities, size, seed=seed)
        case _:
            return selection.everyone(available)


def wait_then_everyone(available: Any) -> Any:
    """Nobody until each client has been available once; in that round all deliver, and afterwards
    whoever is available.

    MIFA's initialisation (Algorithm 1, line 3, and Sec. 7): the waiting rounds count, and the first
    table has all clients' updates.

    >>> wait_then_everyone([[1, 0], [0, 1], [1, 0]]).astype(int).tolist()
    [[0, 0], [1, 1], [1, 0]]
    """
    matrix = np.asarray(available, bool)
    seen = np.asarray(np.logical_or.accumulate(matrix, axis=0).all(axis=1))
    complete = seen[:, None] & matrix
    return complete | (seen & (np.cumsum(seen) == 1))[:, None]


def _clocked(
    settings: Settings, steps: Any
) -> tuple[Trace, tuple[Fraction, ...], tuple[Fraction, ...], Any]:
    """Fraboni et al.: fixed update times, a waiting policy, and its weights."""
    times = FixedTimes.spread(settings.num_clients, settings.spread_percent)
    policies: dict[str, Policy] = {
        "sync": Synchronous(),
        "async": Asynchronous(),
        "window": FixedWindow(settings.window),
    }
    policy = policies[settings.policy]
    rounds = rounds_within(settings.duration, times, policy)
    run = clock_trace(times, rounds, policy=policy, local_steps=steps)
    identical = settings.aggregation_weights == "identical"
    aggregation = (
        weights.identical_weights(settings.num_clients)
        if identical
        else weights.policy_weights(times, policy)
    )
    return run.trace, run.times, times.times, aggregation


def _step_sizes(settings: Settings, trace: Trace) -> Callable[[int], Any]:
    """A constant, or eta_0/t with t the number of the update, from 1 (MIFA Sec. 7; rounds of
    waiting are no updates)."""
    first = exact(settings.local_step_size)
    if settings.step_schedule == "constant":
        return lambda index: first
    return by_updates(lambda updates: first / (updates + 1), trace)
