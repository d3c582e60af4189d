"""The order of `fltheory --help`: commands in groups, options in panels, completion of names."""

from collections.abc import Callable

from typer.core import TyperGroup

COMMANDS = {
    "Decide": (
        "verify",
        "explain",
        "cite",
        "report",
        "replay",
        "check-certificate",
        "prove",
        "conform",
        "list",
    ),
    "Analyse": (
        "limit",
        "simulate",
        "gap",
        "rates",
        "weights",
        "worst-case",
        "forever",
        "attack",
        "looseness",
        "trace",
    ),
    "Your fleet": ("advise",),
    "Teach": ("demo",),
    "Run at scale": ("sweep", "results", "train", "selftest"),
    "Extend": ("new",),
}
"""The commands of each group, in the order in which they are shown."""

OPTIONS = {
    "Method": (
        "algorithm",
        "step_size",
        "server_step_size",
        "local_steps",
        "start",
        "weights",
        "identical",
        "probabilities",
        "proximal_strength",
        "full_local_steps",
    ),
    "Problem": (
        "problem",
        "optima",
        "curvatures",
        "tilts",
        "phases",
        "gradient_bound",
        "importance",
        "noise",
        "clients",
    ),
    "Availability": (
        "availability",
        "clients_per_round",
        "selection",
        "work",
        "max_delay",
        "staleness",
        "cold_start",
        "probability",
        "pattern",
        "delay",
        "rounds",
        "seed",
    ),
    "Clock": ("update_times", "policy", "window", "buffer", "ties", "exponential"),
    "Function class": (
        "smoothness",
        "strong_convexity",
        "nonconvex",
        "initial_distance",
        "initial_gap",
        "heterogeneity",
        "dissimilarity",
        "mean_dissimilarity",
        "gradient_noise",
    ),
    "Work": ("jobs", "seconds", "attempts", "scheduler", "resume", "retry", "store"),
    "Output": ("output", "plot", "png", "certificate", "record", "summary", "as_json"),
}
"""The panel of an option by its name; an option that names its own panel keeps it."""


def group_of(command: str) -> str | None:
    """The group of a command, None for a command of somebody else.

    >>> group_of("worst-case")
    'Analyse'
    """
    return next((group for group, names in COMMANDS.items() if command in names), None)


def panel_of(option: str) -> str | None:
    """The panel of an option.

    >>> panel_of("optima")
    'Problem'
    """
    return next((panel for panel, names in OPTIONS.items() if option in names), None)


class InGroups(TyperGroup):
    """The application: commands in the order of their groups."""

    def list_commands(self, ctx: object) -> list[str]:
        order = [name for names in COMMANDS.values() for name in names]
        known = [name for name in order if name in self.commands]
        return known + sorted(set(self.commands) - set(order))


def claim_ids(incomplete: str) -> list[str]:
    """Ids of claims that begin with what was typed."""
    from fltheory.papers import all_claims

    return [name for name in all_claims() if name.startswith(incomplete)]


def algorithm_names(incomplete: str) -> list[str]:
    """Names of algorithms that begin with what was typed."""
    return _names("fltheory.algorithms", incomplete)


def problem_names(incomplete: str) -> list[str]:
    """Names of problems that begin with what was typed."""
    return _names("fltheory.problems", incomplete)


def availability_names(incomplete: str) -> list[str]:
    """Names of availability models that begin with what was typed."""
    return _names("fltheory.traces.availability", incomplete)


def _names(folder: str, incomplete: str) -> list[str]:
    from importlib import import_module

    from fltheory.core.registry import members

    return [name for name in members(import_module(folder)) if name.startswith(incomplete)]


COMPLETIONS: dict[str, Callable[[str], list[str]]] = {
    "algorithm": algorithm_names,
    "problem": problem_names,
    "availability": availability_names,
    "claim_id": claim_ids,
    "patterns": claim_ids,
    "theorems": claim_ids,
}
"""What the shell offers for an option or an argument, by its name."""
