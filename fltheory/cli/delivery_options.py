"""From options to deliveries: availability and selection, or a clock."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.options import counts
from fltheory.cli.run_options import RunOptions, Selection, StartOfWork, option_name
from fltheory.core.errors import InvalidInput

if TYPE_CHECKING:
    from fltheory.core.registry import Member
    from fltheory.traces.availability.base import Availability
    from fltheory.traces.deliveries import Deliveries


@dataclass(frozen=True)
class Watched(Mapping[str, Any]):
    """Settings that remember which of them were read."""

    given: Mapping[str, Any]
    read: set[str] = field(default_factory=set)

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self.given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


def deliveries_of(
    options: RunOptions,
    clock: ClockOptions,
    member: "Member",
    num_clients: int,
    watched: Watched,
) -> tuple["Deliveries", Callable[[], Any] | None]:
    """The source of traces, and how to compute weights that fit its clock, if it has one."""
    from fltheory.engine.traits import policy_of
    from fltheory.traces.deliveries import FromClock
    from fltheory.traces.weights import fair_weights

    steps = counts(options.local_steps, "--local-steps")
    if len(steps) not in (1, num_clients):
        raise InvalidInput(
            "--local-steps",
            f"have one entry, or one for each of {num_clients} clients",
            f"{len(steps)} entries",
        )
    if clock.update_times is None:
        clock.refuse_without_times()
        return _from_availability(options, member, num_clients, steps, watched), None
    for name in ("availability", "clients_per_round", "work", "max_delay"):
        if getattr(options, name) is not None:
            raise InvalidInput(
                option_name(name),
                "be left out where --update-times decide who delivers",
                getattr(options, name),
            )
    times = clock.times(num_clients)
    policy = clock.waiting(default=policy_of(member.facts))
    return FromClock(times, policy, steps, options.seed), partial(
        fair_weights, times, policy, importance=watched["importance"]
    )


def _from_availability(
    options: RunOptions,
    member: "Member",
    num_clients: int,
    steps: tuple[int, ...],
    watched: Watched,
) -> "Deliveries":
    from fltheory.engine.traits import WORKS_ON_LAST_RECEIVED
    from fltheory.traces.deliveries import FromAvailability

    model = named_availability(
        options.availability or "always",
        Watched({**watched.given, "num_clients": num_clients}, watched.read),
    )
    if model.num_clients != num_clients:
        raise InvalidInput(
            "--availability",
            f"be about the problem's {num_clients} clients",
            f"{model.num_clients} clients",
        )
    if options.selection is not None and options.clients_per_round is None:
        raise InvalidInput("--selection", "come with --clients-per-round", options.selection.value)
    usual = StartOfWork.CONTINUOUS if WORKS_ON_LAST_RECEIVED in member.facts else StartOfWork.FRESH
    return FromAvailability(
        model,
        options.clients_per_round,
        (options.selection or Selection.LONGEST_ABSENT).value,
        options.max_delay,
        steps,
        (options.work or usual).value,
        options.seed,
    )


def named_availability(text: str, given: Mapping[str, Any]) -> "Availability":
    """The model that an option names, imported if it is written module:Name."""
    from fltheory.core.registry import import_member
    from fltheory.traces.build import availability_model

    return availability_model(text, given, find=import_member)
