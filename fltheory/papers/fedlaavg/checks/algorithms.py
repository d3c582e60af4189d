"""Algorithms 1, 2 and 3: the engine against the boxes written out, and what the text says about
their selection."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import availability_patterns, selections
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method, Provenance
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Array, BoolArray, Scalar
from fltheory.engine.simulate import simulate, simulate_virtual
from fltheory.papers.fedlaavg.checks.literal import Line, Participation, Place, algorithm_3
from fltheory.problems.clipped import Clipped
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace import Trace

HALF = Fraction(1, 2)
TUG = Clipped(centres=(-1, 2), bound=1, curvatures=(1, HALF))


def engine_and_literal(
    local_steps: tuple[int, ...], *, virtual: bool = False, divided: bool = True
) -> Decide:
    """The engine's incremental method against Algorithm 3 written out: Algorithms 1 and 2, and
    Algorithm 3 at the server's models or at all virtual iterates."""

    @by_instances(
        Method.EXACT_RUN,
        covers="all participations of two clients in two rounds (three for one C), C in"
        f" {local_steps}, with and without noise, cold starts included",
    )
    def decide() -> Iterator[Instance]:
        line = Line(TUG)
        for steps, rounds in product(local_steps, (1, 2, 3) if len(local_steps) == 1 else (1, 2)):
            for bits in product(((1, 1), (1, 0), (0, 1), (0, 0)), repeat=rounds):
                if any(any(row) for row in bits):
                    yield from _models(line, bits, steps, virtual, divided)

    return decide


def virtual_pairs(
    virtual: Array, literal: Sequence[Fraction], rounds: int, local_steps: int
) -> Iterator[tuple[int, int, Fraction, Fraction]]:
    """Round r, local step k, and x^{rC + k} by the engine and written out."""
    for r in range(rounds):
        for k in range(min(local_steps, virtual.shape[1] - 1) + 1):
            yield r, k, virtual[r, k, 0], literal[r * local_steps + k]


def _models(
    line: Line, bits: Participation, steps: int, virtual: bool, divided: bool
) -> Iterator[Instance]:
    """All models of one participation, without noise and with one table of +-1/2."""
    size, trace = Fraction(1, 4), Trace.fresh(bits, local_steps=steps)
    places = [(i, t) for t in range(1, len(bits) * steps + 1) for i in range(2)]
    tables: tuple[dict[Place, Fraction], ...]
    tables = ({}, {place: HALF * (-1) ** k for k, place in enumerate(places)})
    for table in tables:
        noise = partial(_engine_noise, table, steps)
        literal = algorithm_3(line, bits, steps, size, Fraction(1), table, divided=divided).models
        if virtual:
            run = simulate_virtual(
                FedLaAvg(), line.problem, trace, start=1, local_step_size=size, noise=noise
            )
            pairs = [(a, b) for _, _, a, b in virtual_pairs(run, literal, len(bits), steps)]
        else:
            models = simulate(
                FedLaAvg(), line.problem, trace, start=1, local_step_size=size, noise=noise
            ).models[:, 0]
            pairs = list(zip(models, literal[::steps], strict=True))
        quiet = not (table or virtual) and steps == 1
        run_again = Scenario("fedlaavg", line.problem, trace, start=1, local_step_size=size)
        for index, (server, written) in enumerate(pairs):
            measures = {"server_model": f"model:{index}"}
            if not divided:
                measures["literal_model"] = f"undivided:{index}"
            origin = Provenance(run=run_again.to_json(), measures=measures) if quiet else None
            yield Instance(
                {"server_model": server, "literal_model": written},
                f"N=2, C={steps}, participation {bits}",
                origin,
            )


def _engine_noise(
    table: Mapping[Place, Fraction], local_steps: int, index: int, step: int
) -> Array:
    """The noise of two clients in one local step of the engine, from a table by iteration."""
    t = index * local_steps + step + 1
    return np.array([[table.get((i, t), Fraction(0))] for i in range(2)], dtype=object)


@by_instances(Method.EXACT_RUN, covers="three clients, 124 participation tables of three rounds")
def running_mean() -> Iterator[Instance]:
    """Eq. (3): the engine's running mean against the mean of its table of latest updates."""
    problem = Quadratic((2, 1, 3), (0, 1, 4))
    for bits in product(((1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 0), (1, 1, 1)), repeat=3):
        if any(any(row) for row in bits):
            state = simulate(
                FedLaAvg(), problem, Trace.fresh(bits), start=2, local_step_size="1/5"
            ).final.server
            yield Instance(
                {
                    "running_gradient": state.mean_update[0, 0],
                    "mean_latest_gradient": sum(state.latest_updates[:, 0]) / 3,
                }
            )


def fewest_selections(chosen: BoolArray, length: int) -> int:
    """The fewest selections of a client in any period of so many successive rounds."""
    periods = range(len(chosen) - length + 1)
    return min(int(chosen[t : t + length].sum(axis=0).min()) for t in periods)


def periods(extra: int) -> Decide:
    """Section 3.2: count selections in every period of I + extra rounds, everybody available
    exactly every E rounds (and always, E = 1)."""

    @by_instances(Method.EXACT_RUN, covers="up to four clients, everybody every E <= 3 rounds")
    def decide() -> Iterator[Instance]:
        for window, clients in product((2, 1, 3), (1, 2, 3, 4)):
            for used in range(clients, 0, -1):
                length = -(-clients // used) * window - 1 + extra
                chosen = longest_absent(WithinWindow(clients, window).matrix(3 * length + 3), used)
                if length:
                    yield Instance(
                        {"fewest_selections": fewest_selections(chosen, length)},
                        f"N={clients}, K={used}, E={window}, periods of {length}",
                    )

    return decide


@by_instances(Method.ENUMERATION, covers="all availability of two clients in three rounds")
def latest_rounds() -> Iterator[Instance]:
    """Section 5: the round of the update in use against the latest round with the client
    available."""
    for available in availability_patterns(2, 3, 2):
        for chosen in selections(available, 1):
            for i in range(2):
                here, used = available.astype(int).tolist(), chosen.astype(int).tolist()
                yield Instance(
                    latest_of(available[:, i], chosen[:, i]),
                    f"K=1, available {here}, selected {used}, client {i + 1}",
                )


def latest_of(available: BoolArray, chosen: BoolArray) -> dict[str, Scalar]:
    """The latest rounds, counted from 1, with one client selected (0: never) and available."""
    used, there = np.flatnonzero(chosen), np.flatnonzero(available)
    return {
        "round_of_update": int(used[-1]) + 1 if used.size else 0,
        "latest_available_round": int(there[-1]) + 1,
    }


CHECKS = (
    Check("fedlaavg.alg1", engine_and_literal((1,))),
    Check("fedlaavg.eq3", running_mean),
    Check("fedlaavg.sec32.period", periods(0)),
    Check("fedlaavg.sec32.period.corrected", periods(1)),
    Check("fedlaavg.alg2", engine_and_literal((1, 2))),
    Check("fedlaavg.alg3", engine_and_literal((1, 2), divided=False)),
    Check("fedlaavg.alg3.corrected", engine_and_literal((2, 3), virtual=True)),
    Check("fedlaavg.sec5.latest", latest_rounds),
)
