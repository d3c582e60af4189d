"""Options that describe a run: a method, a problem, and who delivers when."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

import typer


class Selection(Enum):
    """Which of the available clients are used."""

    LONGEST_ABSENT = "longest-absent"
    UNIFORM = "uniform"
    WAIT = "wait"


class StartOfWork(Enum):
    """Which model a delivery starts from: the newest one, or the one that its client received
    last."""

    FRESH = "fresh"
    CONTINUOUS = "continuous"


NAMED = "A name that `fltheory list` shows, or module:Name."


@dataclass(frozen=True)
class RunOptions:
    """A method on a problem; lists have one entry per client."""

    algorithm: Annotated[str, typer.Option(help=f"The method. {NAMED}")]
    problem: Annotated[str, typer.Option(help=f"The clients' losses. {NAMED}")] = "quadratic"
    optima: Annotated[
        str | None,
        typer.Option(help="Minimiser of each client's loss, such as 0,1 (coordinates: 0:0,1:2)."),
    ] = None
    curvatures: Annotated[
        str | None, typer.Option(help="Curvature of each client's loss (default 1).")
    ] = None
    tilts: Annotated[
        str | None, typer.Option(help="Slope that each client adds to a common loss.")
    ] = None
    phases: Annotated[str | None, typer.Option(help="Phase of each client's sine.")] = None
    gradient_bound: Annotated[
        str | None, typer.Option(help="Value at which gradients are clipped.")
    ] = None
    importance: Annotated[
        str | None,
        typer.Option(help="Weight of each client in the global loss (default: equal weights)."),
    ] = None
    availability: Annotated[
        str | None,
        typer.Option(
            help="Who is available when, such as alternating:1,3 (default: always). " + NAMED
        ),
    ] = None
    clients_per_round: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of available clients that are used.")
    ] = None
    selection: Annotated[
        Selection | None,
        typer.Option(help="Which of the available clients are used (default longest-absent)."),
    ] = None
    work: Annotated[
        StartOfWork | None,
        typer.Option(help="Start each update from the newest model, or from the last received."),
    ] = None
    max_delay: Annotated[
        int | None,
        typer.Option(min=0, help="Each update starts from a random model up to N rounds old."),
    ] = None
    local_steps: Annotated[
        str, typer.Option(help="Gradient steps per delivery: one number, or one per client.")
    ] = "1"
    server_step_size: Annotated[str, typer.Option(help="Step size of the server.")] = "1"
    weights: Annotated[
        str | None,
        typer.Option(help="Weight of each client's arrivals (default: those that fit the clock)."),
    ] = None
    identical: Annotated[
        bool, typer.Option("--identical", help="Weight 1 for every client's arrivals.")
    ] = False
    probabilities: Annotated[
        str | None, typer.Option(help="Availability probability of each client, or one for all.")
    ] = None
    proximal_strength: Annotated[
        str | None, typer.Option(help="Strength of FedProx's proximal term.")
    ] = None
    full_local_steps: Annotated[
        str | None,
        typer.Option(help="Local steps of complete work, for methods that rescale partial work."),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = 0


def option_name(name: str) -> str:
    """How a setting is written on the command line."""
    return f"--{name.replace('_', '-')}"
