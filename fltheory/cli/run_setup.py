"""From options to a run: the method, its problem, its deliveries and its step sizes."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.delivery_options import Watched, deliveries_of
from fltheory.cli.options import numbers, per_client, points
from fltheory.cli.run_options import RunOptions, option_name
from fltheory.core.errors import InvalidInput, Missing
from fltheory.core.exact import exact
from fltheory.core.results import told

if TYPE_CHECKING:
    from fltheory.engine.roles import Algorithm
    from fltheory.traces.deliveries import Deliveries

_DECAYING = re.compile(r"(?P<top>[^()t]+)/(t|\(t\+(?P<shift>[^()]+)\))")
STEP_SIZES = "be a number such as 1/4, or c/(t+b) such as 4/(t+100) with t = 1, 2, ..."


@dataclass(frozen=True)
class Setup:
    """What the options amount to."""

    algorithm: "Algorithm"
    problem: Any
    deliveries: "Deliveries"
    weights: tuple[Any, ...] | None
    server_step_size: Fraction


def make_setup(options: RunOptions, clock: ClockOptions) -> Setup:
    """Build what the options name; an option that is set but not used is refused."""
    from fltheory import algorithms, problems
    from fltheory.core.registry import Settings, import_member

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
    with naming_options(f"--problem {options.problem}"):
        problem = import_member(problems, options.problem).build(Settings(watched))
    member = import_member(algorithms, options.algorithm)
    chances = watched.given["probabilities"]
    if chances is not None and len(chances) == 1:  # one number holds for all clients
        watched = Watched(
            {**watched.given, "probabilities": chances * problem.num_clients}, watched.read
        )
    deliveries, fair = deliveries_of(options, clock, member, problem.num_clients, watched)
    weights = _weights(options, problem.num_clients, fair, watched["importance"])
    watched = Watched(
        {**watched.given, "weights": weights, "num_clients": problem.num_clients},
        watched.read | {"num_clients"},
    )
    with naming_options(f"--algorithm {options.algorithm}"):
        algorithm = member.build(Settings(watched))
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


@contextmanager
def naming_options(choice: str, **options: str) -> Iterator[None]:
    """Name the option that a choice cannot do without; `options` are those with another name.

    >>> with naming_options("--problem quadratic"):
    ...     raise Missing("optima")
    Traceback (most recent call last):
    fltheory.core.errors.Missing: --optima is required for --problem quadratic
    """
    try:
        yield
    except Missing as problem:
        setting = problem.owner.replace(" ", "_")
        raise Missing(options.get(setting, option_name(setting)), choice) from None


def step_sizes(text: str) -> tuple[Any, tuple[Fraction, ...]]:
    """A constant step size, or one that decays like 2/(t+100) with t = 1, 2, ...; and the exact
    numbers in it.

    >>> size, _ = step_sizes("2/(t+100)")
    >>> size(0)
    Fraction(2, 101)
    >>> step_sizes("1/sqrt(t)")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: --step-size must be a number such as 1/4, or c/(t+b) ...
    """
    decaying = _DECAYING.fullmatch(text.replace(" ", ""))
    if decaying is None:
        if "t" in text:
            raise InvalidInput("--step-size", STEP_SIZES, repr(text[:60]))
        size = exact(text, "--step-size")
        return size, (size,)
    top, shift = (
        exact(decaying["top"], "numerator of --step-size"),
        exact(decaying["shift"] or 0, "shift in --step-size"),
    )
    if shift <= -1:
        raise InvalidInput(
            "shift in --step-size",
            "be above -1, so that t + shift is positive from t = 1 on",
            shift,
        )
    return lambda index: top / (index + 1 + shift), (top, shift)


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


def average_weights(average: str, shift: Fraction | None, option: str) -> Callable[[int], Any]:
    """The weights of the models in an average: equal ones, or those that a method declares for step
    sizes c/(t + shift).

    >>> average_weights("mifa", Fraction(100), "--average")(0)
    Fraction(9900, 1)
    """
    from fltheory import algorithms
    from fltheory.core.registry import import_member, members

    if average == "uniform":
        return lambda index: 1
    declared = import_member(algorithms, average).average
    if declared is None:
        known = [m.name for m in members(algorithms).values() if m.average is not None]
        rule = f"be last, uniform or a method that declares an average ({', '.join(known)})"
        raise InvalidInput(option, rule, repr(average))
    if shift is None:
        rule = "come with a step size such as 4/(t+100)"
        raise InvalidInput(f"{option} {average}", rule, "a constant one")
    return declared(shift)
