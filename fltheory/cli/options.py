"""Reading options: lists of exact numbers whose errors name the option and the position; shared
groups of options."""

import inspect
from collections.abc import Callable, Collection
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

from fltheory.cli.groups import COMPLETIONS, panel_of
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact

MOST_CLIENTS = 100_000
MOST_STEPS = 10_000

AsJson = Annotated[
    bool,
    typer.Option("--json", help='Print JSON; exact numbers are strings such as "14/15".'),
]

Papers = Annotated[
    list[Path] | None,
    typer.Option(
        "--papers",
        help="Folder with a paper or with papers of your own; repeatable.",
        metavar="FOLDER",
    ),
]
Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugins",
        help="Module, file or folder with members of your own; repeatable, before the command.",
        metavar="MODULE",
    ),
]


def add_papers(folders: list[Path] | None) -> None:
    """Read the papers of these folders too."""
    if folders:
        from fltheory.papers.folders import add_papers

        for folder in folders:
            add_papers(folder)


Point: TypeAlias = "Fraction | tuple[Fraction, ...]"
"""A number, or one number per coordinate."""

Entry = TypeVar("Entry")
Returned = TypeVar("Returned")

METAVARS = {bool: " ", int: "N", float: "X", str: "TEXT", Path: "FILE"}
"""How the value of an option is called in the help; short, so that its text has room."""


def numbers(text: str, option: str) -> tuple[Fraction, ...]:
    """Exact numbers separated by commas.

    >>> numbers("0,1/2,-.25", "--optima")
    (Fraction(0, 1), Fraction(1, 2), Fraction(-1, 4))
    """
    parts = text.split(",")
    if len(parts) > MOST_CLIENTS:
        raise InvalidInput(option, f"have at most {MOST_CLIENTS} entries", f"{len(parts)} entries")
    return tuple(exact(part, f"entry {i} of {option}") for i, part in enumerate(parts, start=1))


def points(text: str, option: str) -> tuple[Point, ...]:
    """One exact number per client, or one point per client with its coordinates separated by
    colons.

    >>> points("0:1,1/2:2", "--optima")
    ((Fraction(0, 1), Fraction(1, 1)), (Fraction(1, 2), Fraction(2, 1)))
    """
    if ":" not in text:
        return numbers(text, option)
    return tuple(
        tuple(
            exact(part, f"coordinate {j} of entry {i} of {option}")
            for j, part in enumerate(entry.split(":"), start=1)
        )
        for i, entry in enumerate(text.split(","), start=1)
    )


def one_point(text: str, option: str) -> Point:
    """One number, or one point with its coordinates separated by colons.

    >>> one_point("0:1", "--start")
    (Fraction(0, 1), Fraction(1, 1))
    """
    first, *more = points(text, option)
    if more:
        raise InvalidInput(option, "separate coordinates by colons", repr(text))
    return first


def counts(text: str, option: str) -> tuple[int, ...]:
    """Whole numbers of at least 1, separated by commas.

    >>> counts("2,1", "--local-steps")
    (2, 1)
    """
    read = numbers(text, option)
    for i, count in enumerate(read, start=1):
        if count.denominator != 1 or not 1 <= count <= MOST_STEPS:
            raise InvalidInput(
                f"entry {i} of {option}", f"be a whole number in [1, {MOST_STEPS}]", count
            )
    return tuple(int(count) for count in read)


def per_client(values: tuple[Entry, ...], num_clients: int, option: str) -> tuple[Entry, ...]:
    """The values, if there is one for each client."""
    if len(values) != num_clients:
        raise InvalidInput(
            option, f"have one entry for each of {num_clients} clients", f"{len(values)} entries"
        )
    return values


def flattened(
    function: Callable[..., Returned], *, hides: Collection[str] = ()
) -> Callable[..., Returned]:
    """The same function with each parameter of a dataclass type replaced by that class's fields.

    Typer reads options from a signature; this lets several commands share a group of options,
    written once. Options get their panel, a short name for their value, and completion; those in
    `hides` are understood (and refused with a reason) but not shown in the help.
    """
    hints = get_type_hints(function, include_extras=True)
    own = inspect.signature(function).parameters
    groups = {name: hints[name] for name in own if is_dataclass(hints[name])}
    flat_parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=_dressed(name, annotation, hidden=name in hides),
        )
        for parameter in own.values()
        for name, default, annotation in (
            _fields_of(groups[parameter.name])
            if parameter.name in groups
            else [(parameter.name, parameter.default, hints[parameter.name])]
        )
    ]

    def flat(**given: object) -> Returned:
        built = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        return function(**built, **given)

    flat.__doc__ = function.__doc__
    flat.__signature__ = inspect.Signature(flat_parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in flat_parameters}
    return flat


def _fields_of(kind: type) -> list[tuple[str, object, object]]:
    types = get_type_hints(kind, include_extras=True)
    return [
        (
            field.name,
            inspect.Parameter.empty if field.default is MISSING else field.default,
            types[field.name],
        )
        for field in fields(kind)
    ]


def _dressed(name: str, annotation: object, *, hidden: bool) -> object:
    """An option's annotation with its panel, a short name for its value, and completion."""
    if get_origin(annotation) is not Annotated:
        return annotation
    kind, *notes = get_args(annotation)
    return Annotated[kind, *(_dressed_note(name, kind, note, hidden) for note in notes)]


def _dressed_note(name: str, kind: object, note: object, hidden: bool) -> object:
    if not isinstance(note, ParameterInfo):
        return note
    dressed = copy(note)
    dressed.hidden = note.hidden or hidden
    is_option = type(note).__name__ == "OptionInfo"
    dressed.rich_help_panel = note.rich_help_panel or (panel_of(name) if is_option else None)
    if note.autocompletion is None and name in COMPLETIONS:
        dressed.autocompletion = COMPLETIONS[name]
    kinds = [part for part in (get_args(kind) or (kind,)) if isinstance(part, type)]
    chosen = next((part for part in kinds if issubclass(part, Enum)), None)
    if note.metavar is None and is_option:
        dressed.metavar = (
            "NAME" if chosen else next((METAVARS[part] for part in kinds if part in METAVARS), None)
        )
    if chosen is not None:
        dressed.help = _with_choices(note.help or "", [str(member.value) for member in chosen])
    return dressed


def _with_choices(text: str, names: list[str]) -> str:
    """A help text that ends with the names to choose from.

    >>> _with_choices("How the quantity is found.", ["moments", "samples"])
    'How the quantity is found (moments or samples).'
    """
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{text.rstrip('.')} ({listed})."
