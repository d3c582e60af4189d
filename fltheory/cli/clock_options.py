"""Options about clocks: update times and what the server waits for."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from fltheory.cli.options import numbers, per_client
from fltheory.core.errors import InvalidInput, Missing

if TYPE_CHECKING:
    from fltheory.traces.clocks import Policy
    from fltheory.traces.update_times import ExponentialTimes, FixedTimes

Value = TypeVar("Value")


class Ties(Enum):
    """What an asynchronous server does with clients that finish at the same time."""

    SEQUENTIAL = "sequential"
    JOINT = "joint"


@dataclass(frozen=True)
class ClockOptions:
    """How long each client works, and what the server waits for."""

    update_times: Annotated[
        str | None, typer.Option(help="Time of one delivery of each client, such as 2,3,5.")
    ] = None
    policy: Annotated[
        str | None, typer.Option(help="What the server waits for: sync, async, fedfix or fedbuff.")
    ] = None
    window: Annotated[str | None, typer.Option(help="Duration of a round of fedfix.")] = None
    buffer: Annotated[int | None, typer.Option(help="Arrivals in a round of fedbuff.")] = None
    ties: Annotated[
        Ties, typer.Option(help="Clients of async that finish together: one round each, or one.")
    ] = Ties.SEQUENTIAL
    exponential: Annotated[
        bool,
        typer.Option("--exponential", help="Random update times, exponential with these means."),
    ] = False

    @staticmethod
    def policies() -> tuple[str, ...]:
        """Names of the waiting policies."""
        return ("sync", "async", "fedfix", "fedbuff")

    def refuse_without_times(self) -> None:
        """Without update times there is no clock, and nothing else here makes sense."""
        for option, value in (
            ("--policy", self.policy),
            ("--window", self.window),
            ("--buffer", self.buffer),
        ):
            if value is not None:
                raise InvalidInput(option, "come with --update-times", value)

    def times(self, num_clients: int | None = None) -> "FixedTimes | ExponentialTimes":
        """Update times, fixed or exponential, of as many clients as there are."""
        from fltheory.traces.update_times import ExponentialTimes, FixedTimes

        if self.update_times is None:
            raise Missing("--update-times")
        given = numbers(self.update_times, "--update-times")
        if num_clients is not None:
            per_client(given, num_clients, "--update-times")
        return ExponentialTimes(given) if self.exponential else FixedTimes(given)

    def waiting(self, default: str | None = None) -> "Policy":
        """The waiting policy that was asked for, or the default one."""
        from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Synchronous

        name = self.policy or default
        builders: dict[str, Callable[[], Policy]] = {
            "sync": Synchronous,
            "async": lambda: Asynchronous(joint_ties=self.ties is Ties.JOINT),
            "fedfix": lambda: FixedWindow(_needed(self.window, "--window", "fedfix")),
            "fedbuff": lambda: Buffer(_needed(self.buffer, "--buffer", "fedbuff")),
        }
        if name not in self.policies():
            raise InvalidInput(
                "--policy",
                f"be one of {', '.join(self.policies())}",
                "nothing" if name is None else repr(name),
            )
        for option, value, owner in (
            ("--window", self.window, "fedfix"),
            ("--buffer", self.buffer, "fedbuff"),
        ):
            if value is not None and name != owner:
                raise InvalidInput(
                    option, f"be left out unless the server waits like {owner}", value
                )
        return builders[str(name)]()


def _needed(value: Value | None, option: str, owner: str) -> Value:
    if value is None:
        raise Missing(option, f"--policy {owner}")
    return value
