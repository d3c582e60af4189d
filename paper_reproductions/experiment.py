"""Experiments as files: one TOML file each in `experiments`, with the printed parameters, three
sizes, deviations and claims."""

from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import parse_toml
from paper_reproductions.cells import Cell
from paper_reproductions.claims import Claim
from paper_reproductions.settings import MEASURES, Settings

FOLDER = Path(__file__).parent / "experiments"
SIZES = ("smoke", "small", "paper")
"""Seconds on embedded data; minutes on two cores with real data; as printed, for a GPU or a
cluster."""

Table = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A panel or a series: its name, how it is titled once its settings are known, what it changes,
    and its published counterpart."""

    name: str
    title: str = ""
    settings: Table = field(default_factory=dict)
    panels: tuple[str, ...] = ()
    tuned: tuple[str, ...] = ()
    published: Any = None

    @classmethod
    def read(cls, given: Table, owner: str) -> "Part":
        _known(given, ("name", "title", "settings", "panels", "tuned", "published"), owner)
        return cls(
            given["name"],
            str(given.get("title", given["name"])),
            given.get("settings", {}),
            tuple(given.get("panels", ())),
            tuple(given.get("tuned", ())),
            given.get("published"),
        )


@dataclass(frozen=True)
class Size:
    """How an experiment is cut down: seeds, settings of all runs, of single panels and series, and
    which of them are run.

    Seeds count from `first_seed`: a size that was looked at is confirmed with seeds that nobody has
    seen. `leave_out` holds [panel, series] pairs that are not run; `remarks` were written after the
    recorded run, about its outcome.
    """

    seeds: int
    first_seed: int = 0
    settings: Table = field(default_factory=dict)
    panel_settings: Table = field(default_factory=dict)
    series_settings: Table = field(default_factory=dict)
    panels: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    leave_out: tuple[list[str], ...] = ()
    deviations: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: Table, owner: str) -> "Size":
        _known(given, cls.__dataclass_fields__, owner)
        if not isinstance(given.get("seeds"), int) or not 1 <= given["seeds"] <= 1000:
            raise InvalidInput(
                f"seeds of {owner}", "be a whole number in [1, 1000]", given.get("seeds")
            )
        if (
            type(given.get("first_seed", 0)) is not int
            or not 0 <= given.get("first_seed", 0) < 1 << 31
        ):
            raise InvalidInput(
                f"first_seed of {owner}", "be a whole number in [0, 2^31)", given["first_seed"]
            )
        plain: Table = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
        }
        return cls(**plain)


@dataclass(frozen=True)
class Experiment:
    """What a paper ran and what it claims about it."""

    id: str
    title: str
    paper: str
    place: str
    says: str
    x: str
    draw: tuple[str, ...]
    settings: Table
    panels: tuple[Part, ...]
    series: tuple[Part, ...]
    sizes: dict[str, Size]
    deviations: tuple[str, ...]
    claims: tuple[Claim, ...]
    published: Table

    def cells(self, size: str) -> list[Cell]:
        """Every run of that size: runs with one seed stand together, since they share data."""
        chosen, made = self.size(size), []
        for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
            for panel, series in self.pairs(size):
                merged = (
                    self.settings
                    | chosen.settings
                    | panel.settings
                    | series.settings
                    | chosen.panel_settings.get(panel.name, {})
                    | chosen.series_settings.get(series.name, {})
                )
                for step in series.tuned or (None,):
                    given = merged if step is None else merged | {"local_step_size": step}
                    label = series.name if step is None else f"{series.name} @ {step}"
                    made.append(Cell(panel.name, label, seed, Settings.read(given)))
        return made

    def pairs(self, size: str) -> list[tuple[Part, Part]]:
        """Panels and the series in them, as far as this size runs them."""
        chosen = self.size(size)
        panels = [
            panel for panel in self.panels if not chosen.panels or panel.name in chosen.panels
        ]
        series = [one for one in self.series if not chosen.series or one.name in chosen.series]
        return [
            (panel, one)
            for panel in panels
            for one in series
            if (not one.panels or panel.name in one.panels)
            and [panel.name, one.name] not in chosen.leave_out
        ]

    def size(self, name: str) -> Size:
        if name not in self.sizes:
            raise InvalidInput("size", f"be one of {', '.join(self.sizes)}", repr(name))
        return self.sizes[name]


FIELDS = (
    "title",
    "paper",
    "place",
    "says",
    "x",
    "draw",
    "settings",
    "panels",
    "series",
    "sizes",
    "deviations",
    "claims",
    "published",
)


def parse(text: str, name: str) -> Experiment:
    """An experiment from the text of its file; whatever is wrong is named."""
    try:
        return _experiment(parse_toml(text, f"experiment {name}"), name)
    except (
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
    ) as problem:  # a table where a list should be, or the like
        raise InvalidInput(
            f"experiment {name}",
            "have the parts that experiments have",
            f"trouble with {problem}"[:80],
        ) from None


def _experiment(given: Table, name: str) -> Experiment:
    _known(given, FIELDS, f"experiment {name}")
    if missing := [one for one in FIELDS[:-2] if one not in given]:
        raise InvalidInput(f"experiment {name}", f"have {', '.join(missing)}", "nothing")
    panels = tuple(Part.read(part, f"a panel of {name}") for part in given["panels"])
    series = tuple(Part.read(part, f"a series of {name}") for part in given["series"])
    sizes = {size: Size.read(table, f"{name} --{size}") for size, table in given["sizes"].items()}
    if tuple(sizes) != SIZES:
        raise InvalidInput(f"sizes of {name}", f"be {', '.join(SIZES)}", ", ".join(sizes))
    if unknown := set(given["draw"]) - set(MEASURES):
        raise InvalidInput(
            f"draw of {name}", f"be among {', '.join(MEASURES)}", ", ".join(sorted(unknown))
        )
    if given["x"] not in ("rounds", "times"):
        raise InvalidInput(f"x of {name}", "be rounds or times", repr(given["x"]))
    claims = tuple(
        Claim.read(table, [part.name for part in panels], [part.name for part in series], name)
        for table in given.get("claims", ())
    )
    found = Experiment(
        name,
        given["title"],
        given["paper"],
        given["place"],
        given["says"],
        given["x"],
        tuple(given["draw"]),
        given["settings"],
        panels,
        series,
        sizes,
        tuple(given["deviations"]),
        claims,
        given.get("published", {}),
    )
    for size in SIZES:
        found.cells(size)
    return found


def names() -> list[str]:
    """Every experiment, by its file."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def find(name: str) -> Experiment:
    """The experiment of that name; an unknown one suggests its neighbours."""
    if name not in names():
        near = ", ".join(get_close_matches(name, names()) or names())
        raise InvalidInput(
            "experiment",
            f"be one that `python -m paper_reproductions run --list` names (near: {near})",
            repr(name),
        )
    return parse((FOLDER / f"{name}.toml").read_text(encoding="utf-8"), name)


def _known(given: Table, allowed: Any, owner: str) -> None:
    if unknown := set(given) - set(allowed):
        raise InvalidInput(
            owner, f"have no entries but {', '.join(allowed)}", ", ".join(sorted(unknown))
        )
