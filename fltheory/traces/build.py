"""One call builds a trace: from who is available, or from how fast the clients are."""

from collections import ChainMap
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import cast

import fltheory.traces.availability
from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import REFERENCE
from fltheory.core.registry import Member, Settings, find_member, members
from fltheory.core.types import Whole
from fltheory.traces.availability.base import Availability
from fltheory.traces.availability.recorded import Recorded
from fltheory.traces.clocks import Policy, Synchronous, TimedTrace
from fltheory.traces.deliveries import FromAvailability, FromClock, Select, Selection, Work
from fltheory.traces.trace import Trace, boolean_matrix
from fltheory.traces.update_times import FixedTimes, UpdateTimes, UpdateTimesLike

Find = Callable[[ModuleType, str], Member]


def build_trace(
    availability: str | Availability | Whole,
    num_rounds: int,
    *,
    num_clients: int | None = None,
    clients_per_round: int | None = None,
    selection: Selection | Select = "longest-absent",
    max_delay: int | None = None,
    local_steps: Whole = 1,
    work: Work = "fresh",
    seed: int = 0,
) -> Trace:
    """Who delivers in each round, from which model and after how many local steps.

    `availability` is a model, its text as on the command line ("alternating:1,3"), or a table with
    one row per round and one 0/1 column per client. Of those available, `clients_per_round` are
    used, chosen by `selection`: "longest-absent", "uniform", "wait" (for a sample of all clients),
    or a function of the availability matrix. Each delivery starts from the newest model, with
    `max_delay` from a random model up to so many rounds old, and with work="continuous" from the
    one that its client received last.

    >>> build_trace("alternating:1,3", 4, num_clients=2).delivers.astype(int).tolist()
    [[1, 0], [0, 1], [0, 1], [0, 1]]
    >>> build_trace([[1, 1], [1, 1]], 2, clients_per_round=1).delivers.astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    model = availability_model(availability, {"num_clients": num_clients})
    if num_clients is not None and model.num_clients != num_clients:
        raise InvalidInput(
            "availability", f"be about {num_clients} clients", f"{model.num_clients} clients"
        )
    source = FromAvailability(
        model, clients_per_round, selection, max_delay, local_steps, work, seed
    )
    return source.trace(num_rounds)


def clock_trace(
    update_times: UpdateTimesLike,
    num_rounds: int,
    *,
    policy: Policy | None = None,
    local_steps: Whole = 1,
    seed: int = 0,
) -> TimedTrace:
    """Deliveries in the order in which clients finish, with the time at which each round ends.

    `update_times` are one number per client, or a model such as `ExponentialTimes`; the server
    waits by `policy`, for all clients by default.

    >>> from fltheory.traces.clocks import Asynchronous
    >>> run = clock_trace([1, 2], 3, policy=Asynchronous())
    >>> run.trace.delivers.astype(int).tolist(), [str(time) for time in run.times]
    ([[1, 0], [1, 0], [0, 1]], ['0', '1', '2', '2'])
    """
    times = update_times if isinstance(update_times, UpdateTimes) else FixedTimes(update_times)
    return FromClock(times, policy or Synchronous(), local_steps, seed).timed(num_rounds)


def availability_model(
    given: str | Availability | Whole,
    settings: Mapping[str, object],
    *,
    find: Find = find_member,
) -> Availability:
    """A model itself, one that is written as its name and arguments, or a table of 0 and 1.

    `find` looks up a name; the default one imports nothing.

    >>> availability_model("alternating:1,3", {"num_clients": 2})
    Alternating(num_clients=2, durations=(1, 3))
    """
    if isinstance(given, str):
        name, arguments = split_model(given)
        chained = ChainMap[str, object]({"arguments": arguments}, settings)  # type: ignore[arg-type]
        built: Availability = find(fltheory.traces.availability, name).build(Settings(chained))
        return built
    if hasattr(given, "matrix"):
        return cast(Availability, given)
    table = boolean_matrix(given, "availability")
    return Recorded(table, tuple(f"client_{i}" for i in range(table.shape[-1])))


def split_model(text: str) -> tuple[str, tuple[str, ...]]:
    """The name and the arguments of a model: name:arguments, or module:Name:arguments.

    >>> split_model("alternating:1,3"), split_model("mine:Blinking:3"), split_model("always")
    (('alternating', ('1', '3')), ('mine:Blinking', ('3',)), ('always', ()))
    """
    name, colon, rest = text.partition(":")
    if name not in members(fltheory.traces.availability):
        match = REFERENCE.match(text)
        if match is not None and text[match.end() : match.end() + 1] in ("", ":"):
            name, colon, rest = match[0], text[match.end() :], text[match.end() + 1 :]
    return name, tuple(rest.split(",")) if colon else ()
