"""Options that describe a run: a method, a problem, and who delivers when; shared by `limit` and
`simulate`."""

import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

import typer

from fltheory.cli.clock_options import ClockOptions, weights_of
from fltheory.cli.options import counts, numbers, per_client, points
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.results import told
from fltheory.traces.deliveries import check_size

_DECAYING = re.compile(r"(?P<top>[^()]+)/\(t\+(?P<shift>[^()]+)\)")


class Selection(Enum):
    """Who among the available is used."""

    LONGEST_ABSENT = "longest-absent"
    UNIFORM = "uniform"
    WAIT = "wait"


class Work(Enum):
    """Which model a delivery began with: the newest one, or the one that its client received
    last."""

    FRESH = "fresh"
    CONTINUOUS = "continuous"


@dataclass(frozen=True)
class RunOptions:
    """A method on a problem; lists have one entry per client."""

    algorithm: Annotated[str, typer.Option(help="One of those that `fltheory list` names.")]
    problem: Annotated[str, typer.Option(help="One of those that `fltheory list` names.")] = (
        "quadratic"
    )
    optima: Annotated[
        str | None,
        typer.Option(help="Minimiser of each client's loss, such as 0,1 (coordinates: 0:0,1:2)."),
    ] = None
    curvatures: Annotated[
        str | None, typer.Option(help="Curvature of each client's loss; 1 by default.")
    ] = None
    tilts: Annotated[
        str | None, typer.Option(help="Slope that each client adds to a common loss.")
    ] = None
    phases: Annotated[str | None, typer.Option(help="Phase of each client's sine.")] = None
    gradient_bound: Annotated[str | None, typer.Option(help="Where gradients are clipped.")] = None
    importance: Annotated[
        str | None,
        typer.Option(help="Weight of each client in the global loss; equal ones by default."),
    ] = None
    availability: Annotated[
        str | None,
        typer.Option(help="Who is available when, such as alternating:1,3; `always` by default."),
    ] = None
    clients_per_round: Annotated[
        int | None, typer.Option(min=1, help="Use only so many of those available.")
    ] = None
    selection: Annotated[
        Selection | None, typer.Option(help="Which of them; longest-absent by default.")
    ] = None
    work: Annotated[
        Work | None,
        typer.Option(help="Deliveries begin with the newest model, or with the one last received."),
    ] = None
    max_delay: Annotated[
        int | None,
        typer.Option(min=0, help="Deliveries begin with a random one of so many older models."),
    ] = None
    local_steps: Annotated[
        str, typer.Option(help="Gradient steps per delivery; one number, or one per client.")
    ] = "1"
    server_step_size: Annotated[str, typer.Option(help="Step size of the server.")] = "1"
    weights: Annotated[
        str | None,
        typer.Option(help="Weight of each client's arrivals, instead of those that fit the clock."),
    ] = None
    identical: Annotated[
        bool, typer.Option("--identical", help="Weight 1 for everybody's arrivals.")
    ] = False
    probabilities: Annotated[
        str | None, typer.Option(help="Availability probability of each client.")
    ] = None
    proximal_strength: Annotated[
        str | None, typer.Option(help="How strongly FedProx holds clients to the model.")
    ] = None
    full_local_steps: Annotated[
        str | None,
        typer.Option(help="Local steps of complete work, where partial work is rescaled."),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0


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


@dataclass(frozen=True)
class Setup:
    """What the options amount to."""

    algorithm: Any
    problem: Any
    deliveries: Any
    weights: tuple[Any, ...] | None
    server_step_size: Fraction


def make_setup(options: RunOptions, clock: ClockOptions) -> Setup:
    """Build what the options name; what is set but of no use is refused, so that nothing is ignored
    in silence."""
    from fltheory import algorithms, problems
    from fltheory.core.registry import Settings, find_member

    lists = {name: getattr(options, name) for name in ("optima", "curvatures", "tilts", "phases")}
    watched = Watched(
        {
            **{
                name: None if text is None else points(text, option_name(name))
                for name, text in lists.items()
            },
            **{
                name: _given(getattr(options, name), numbers, name)
                for name in ("importance", "probabilities")
            },
            **{
                name: _given(getattr(options, name), exact, name)
                for name in ("gradient_bound", "proximal_strength", "full_local_steps")
            },
        }
    )
    problem = find_member(problems, options.problem).build(Settings(watched))
    deliveries, fair = deliveries_of(options, clock, problem.num_clients, watched)
    weights = _weights(options, problem.num_clients, fair, watched["importance"])
    watched = Watched(
        {**watched.given, "weights": weights, "num_clients": problem.num_clients},
        watched.read | {"num_clients"},
    )
    algorithm = find_member(algorithms, options.algorithm).build(Settings(watched))
    computed = (
        {"weights"}
        if fair is not None and options.weights is None and not options.identical
        else set()
    )
    for name, value in watched.given.items():
        if value and name not in watched.read | computed:
            option = "--identical" if name == "weights" and options.identical else option_name(name)
            raise InvalidInput(
                option,
                f"be left out: {options.algorithm} on {options.problem} does not use it",
                told(value),
            )
    used = weights if "weights" in watched.read else None
    return Setup(
        algorithm, problem, deliveries, used, exact(options.server_step_size, "--server-step-size")
    )


def step_sizes(text: str) -> tuple[Any, tuple[Fraction, ...]]:
    """A constant step size, or one that decays like 2/(t+100) with t = 1, 2, ...; and the exact
    numbers in it.

    >>> size, _ = step_sizes("2/(t+100)")
    >>> size(0)
    Fraction(2, 101)
    """
    decaying = _DECAYING.fullmatch(text.replace(" ", ""))
    if decaying is None:
        size = exact(text, "--step-size")
        return size, (size,)
    top, shift = (
        exact(decaying["top"], "numerator of --step-size"),
        exact(decaying["shift"], "shift in --step-size"),
    )
    if shift <= -1:
        raise InvalidInput(
            "shift in --step-size",
            "be above -1, so that t + shift is positive from t = 1 on",
            shift,
        )
    return lambda index: top / (index + 1 + shift), (top, shift)


def option_name(name: str) -> str:
    """How a setting is written on the command line."""
    return f"--{name.replace('_', '-')}"


def _given(text: str | None, read: Callable[[str, str], Any], name: str) -> Any:
    return None if text is None else read(text, option_name(name))


def _weights(
    options: RunOptions, num_clients: int, fair: Callable[[], Any] | None, importance: Any
) -> Any:
    """Weights of arrivals: as given, or 1 for everybody, or those that fit the clock; None without
    any of these."""
    if options.identical and options.weights is not None:
        raise InvalidInput("--identical", "be left out where --weights are given", "both")
    if options.identical:
        return (Fraction(1),) * num_clients
    if options.weights is not None:
        return per_client(numbers(options.weights, "--weights"), num_clients, "--weights")
    return None if fair is None else fair()


def deliveries_of(
    options: RunOptions, clock: ClockOptions, num_clients: int, watched: Watched
) -> tuple[Any, Callable[[], Any] | None]:
    """The source of traces, and how to compute weights that fit its clock, if it has one."""
    from fltheory.traces.deliveries import FromClock

    steps = counts(options.local_steps, "--local-steps")
    if len(steps) not in (1, num_clients):
        raise InvalidInput(
            "--local-steps",
            f"have one entry, or one for each of {num_clients} clients",
            f"{len(steps)} entries",
        )
    if clock.update_times is None:
        clock.refuse_without_times()
        return _from_availability(options, num_clients, steps, watched), None
    for name in ("availability", "clients_per_round", "work", "max_delay"):
        if getattr(options, name) is not None:
            raise InvalidInput(
                option_name(name),
                "be left out where --update-times decide who delivers",
                getattr(options, name),
            )
    times = clock.times(num_clients)
    policy = clock.waiting(
        default=options.algorithm if options.algorithm in clock.policies() else "sync"
    )
    return FromClock(times, policy, steps, options.seed), partial(
        weights_of, times, policy, watched["importance"]
    )


def _from_availability(
    options: RunOptions, num_clients: int, steps: tuple[int, ...], watched: Watched
) -> Any:
    from fltheory.traces.delays import random_delays
    from fltheory.traces.deliveries import FromAvailability
    from fltheory.traces.selection import everyone, longest_absent, uniform, wait_for_sample
    from fltheory.traces.trace import Trace

    model = availability_model(
        options.availability or "always",
        Watched({**watched.given, "num_clients": num_clients}, watched.read),
    )
    if model.num_clients != num_clients:
        raise InvalidInput(
            "--availability",
            f"be about the problem's {num_clients} clients",
            f"{model.num_clients} clients",
        )

    def available(num_rounds: int) -> Any:
        check_size(num_rounds, num_clients)
        return model.matrix(num_rounds, seed=options.seed)

    select, random = everyone, options.max_delay is not None
    if options.clients_per_round is not None:
        wanted = options.selection or Selection.LONGEST_ABSENT
        random |= wanted is not Selection.LONGEST_ABSENT
        select = {
            Selection.LONGEST_ABSENT: partial(
                longest_absent, clients_per_round=options.clients_per_round
            ),
            Selection.UNIFORM: partial(
                uniform, clients_per_round=options.clients_per_round, seed=options.seed
            ),
            Selection.WAIT: partial(
                wait_for_sample, sample_size=options.clients_per_round, seed=options.seed
            ),
        }[wanted]
    elif options.selection is not None:
        raise InvalidInput("--selection", "come with --clients-per-round", options.selection.value)
    continuous = (options.work or default_work(options.algorithm)) is Work.CONTINUOUS

    def work(delivers: Any) -> Trace:
        trace = (Trace.continuous if continuous else Trace.fresh)(delivers, local_steps=steps)
        return (
            trace
            if options.max_delay is None
            else random_delays(trace, options.max_delay, seed=options.seed)
        )

    return FromAvailability(
        available,
        select,
        work,
        None if random else model.declares.period,
        model.declares.warm_up,
        None if random else getattr(model, "num_rounds", None),
    )


def availability_model(text: str, given: Mapping[str, Any]) -> Any:
    """The model that is written as its name, or as its name and arguments: always,
    alternating:1,3."""
    from fltheory.core.registry import Settings, find_member
    from fltheory.traces import availability

    name, colon, arguments = text.partition(":")
    chained = ChainMap({"arguments": tuple(arguments.split(",")) if colon else ()}, given)  # type: ignore[arg-type]
    return find_member(availability, name).build(Settings(chained))


def default_work(algorithm: str) -> Work:
    """Clients of asynchronous methods work on what they received last, those of the others on the
    newest model."""
    return Work.CONTINUOUS if algorithm in ClockOptions.policies() else Work.FRESH
