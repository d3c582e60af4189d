"""Event simulation: clocks and waiting policies, run in exact time, give instances of a claim."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, islice

from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Provenance
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import shares
from fltheory.core.types import ExactLike, Values
from fltheory.traces.balance import Balance, common_multiple, simulated_balance
from fltheory.traces.clocks import (
    Asynchronous,
    Event,
    FixedWindow,
    Policy,
    Synchronous,
    TimedTrace,
    events,
    simulate_clock,
    trace_of,
)
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import max_delay
from fltheory.traces.update_times import FixedTimes, fixed_times

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class ClockRun:
    """Fixed update times under a waiting policy; all results are counted on simulated events, none
    comes from a formula.

    >>> from fltheory.traces.clocks import Asynchronous
    >>> run = ClockRun((1, 2), Asynchronous())
    >>> run.counted.period, run.counted.deliveries, [str(w) for w in run.needed_weights()]
    (3, (2, 1), ['3/4', '3/2'])
    """

    update_times: Sequence[ExactLike]
    policy: Policy

    @cached_property
    def times(self) -> tuple[Fraction, ...]:
        return fixed_times(self.update_times)

    @property
    def num_clients(self) -> int:
        return len(self.times)

    @cached_property
    def counted(self) -> Balance:
        """Period, deliveries and largest staleness of the repeating pattern."""
        return simulated_balance(self.times, self.policy)

    @cached_property
    def together(self) -> Fraction:
        """The least time that is a multiple of every update time (the paper's nu)."""
        return common_multiple(self.times)

    def events(self, count: int) -> list[Event]:
        """The start and the ends of the first rounds."""
        return list(islice(events(FixedTimes(self.times), self.policy), count + 1))

    def groups(self, num_rounds: int) -> Groups:
        """Who delivers in each of the first rounds."""
        return tuple(event.clients for event in self.events(num_rounds)[1:])

    def timed(self, num_rounds: int) -> TimedTrace:
        """The first rounds with their clock."""
        return simulate_clock(self.times, self.policy, num_rounds=num_rounds)

    def trace(self, num_rounds: int, *, local_steps: int | Sequence[int] = 1) -> Trace:
        """The first rounds as a trace."""
        return trace_of(self.groups(num_rounds), self.num_clients, local_steps=local_steps)

    def max_staleness(self, num_rounds: int) -> int:
        """Largest n - rho_i(n) within the first rounds."""
        return int(max_delay(self.trace(num_rounds)))

    def needed_weights(
        self, *, importance: Sequence[ExactLike] | None = None
    ) -> tuple[Fraction, ...]:
        """The constant weights for which every client's mean weight is its importance, from the
        counted deliveries."""
        counts = self.counted
        given = shares(importance, self.num_clients)
        return tuple(
            share * counts.period / count
            for share, count in zip(given, counts.deliveries, strict=True)
        )


def small_clocks(most: int, num_clients: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """All sorted whole update times up to `most`, for each number of clients, the fewest clients
    first.

    >>> list(small_clocks(2, [1, 2]))
    [(1,), (2,), (1, 1), (1, 2), (2, 2)]
    """
    for count in num_clients:
        yield from combinations_with_replacement(range(1, most + 1), count)


def clock_instances(
    clocks: Iterable[tuple[Sequence[ExactLike], Policy]],
    observe: Callable[[ClockRun], Iterable[Values]],
    *,
    kind: str | None = None,
) -> Iterator[Instance]:
    """Instances of a claim: what `observe` reads off the simulated events of each (update times,
    policy); `kind` names their origin.

    >>> from fltheory.traces.clocks import Synchronous
    >>> clocks = [((1, 3), Synchronous())]
    >>> found = clock_instances(clocks, lambda run: [{"balance_period": run.counted.period}])
    >>> next(found).values
    {'balance_period': 1}
    """
    for times, policy in clocks:
        run = ClockRun(times, policy)
        shown = ", ".join(str(time) for time in run.times)
        origin = _origin(kind, shown.split(", "), policy) if kind else None
        for values in observe(run):
            yield Instance(values, f"update times {shown} under {policy}", origin)


def _origin(kind: str, update_times: list[str], policy: Policy) -> Provenance:
    """How the instances of one clock can be computed again."""
    return {
        "origin": {
            "kind": kind,
            "update_times": [*update_times],
            "policy": policy_text(policy),
        }
    }


def policy_text(policy: Policy) -> str:
    """A waiting policy as text, for the origin of a counterexample."""
    match policy:
        case FixedWindow(duration=duration):
            return f"window {duration}"
        case Asynchronous(joint_ties=joint):
            return "async joint" if joint else "async"
        case Synchronous():
            return "sync"
    raise InvalidInput(
        "policy", "be synchronous, asynchronous or a fixed window to be written down", policy
    )


def run_of(update_times: Iterable[str], policy: str) -> ClockRun:
    """The clocks that a counterexample file names.

    >>> run_of(["1", "2"], "window 1/2").policy
    FixedWindow(duration=Fraction(1, 2))
    """
    known: dict[str, Policy] = {
        "sync": Synchronous(),
        "async": Asynchronous(),
        "async joint": Asynchronous(joint_ties=True),
    }
    if policy in known:
        return ClockRun(tuple(update_times), known[policy])
    return ClockRun(tuple(update_times), FixedWindow(policy.removeprefix("window ")))
