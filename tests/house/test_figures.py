"""Figures: recorded numbers are what the exact runs give, drawings need nothing but those numbers,
colours can be told apart."""

import ast
import doctest
import importlib
import json
import re
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(
    0, str(ROOT)
)  # figures is a folder of the repository, not a part of the installed package

style, store = importlib.import_module("figures.style"), importlib.import_module("figures.store")
main = importlib.import_module("figures.__main__")
NAMES = store.names()
LARGEST_FILE = 150_000


def computing(name: str) -> Any:
    return importlib.import_module(f"figures.compute.{name}")


def drawing(name: str) -> Any:
    return importlib.import_module(f"figures.draw.{name}")


def close(found: Any, recorded: Any) -> bool:
    """Equal, floats up to rounding."""
    if isinstance(recorded, float):
        return bool(found == pytest.approx(recorded, rel=1e-12, abs=1e-12))
    if isinstance(recorded, dict):
        return found.keys() == recorded.keys() and all(
            close(found[key], part) for key, part in recorded.items()
        )
    if isinstance(recorded, list):
        return len(found) == len(recorded) and all(map(close, found, recorded))
    return bool(found == recorded)


def test_close_can_fail() -> None:
    assert close({"a": [1.0, "x"]}, {"a": [1.0 + 1e-13, "x"]})
    assert not close({"a": [1.0, "x"]}, {"a": [1.001, "x"]})
    assert not close({"a": [1.0]}, {"a": [1.0, 1.0]})


@pytest.mark.parametrize("name", ["drift", "kernel", "looseness", "per_clock_time", "verdicts"])
def test_recorded_numbers_are_what_the_runs_and_the_ledger_give(name: str) -> None:
    assert close(computing(name).numbers(), store.read(name)), (
        f"{name} is out of date: make figures-data figures"
    )


def first_rate(data: dict[str, Any]) -> tuple[Any, Any]:
    rates, regimes = computing("rates"), importlib.import_module("fltheory.papers").regimes()
    recorded = data["panels"]["rounds"][-1]
    regime = next(regime for regime in regimes if regime.claim == recorded["claim"])
    return rates.series(regime, "T", None), recorded


def one_delay(data: dict[str, Any]) -> tuple[Any, Any]:
    recorded = data["panels"]["staleness"][-1]
    regime = importlib.import_module("fltheory.papers").find_regime(recorded["claim"])
    return computing("rates").series(regime, "staleness", None), recorded


def one_straggler(data: dict[str, Any]) -> tuple[Any, Any]:
    recorded = data["same_mean"][0]
    return computing("staleness").point(recorded["late_clients"], recorded["period"]), recorded


def short_runs(data: dict[str, Any]) -> tuple[Any, Any]:
    found = {
        claim: list(computing("gap_versus_bound").point(claim, data["rounds"][1]))
        for claim in data["theorems"]
    }
    return found, {
        claim: [sides["measured"][1], sides["bound"][1]]
        for claim, sides in data["theorems"].items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("rates", first_rate),
        ("rates_local", one_delay),
        ("staleness", one_straggler),
        ("gap_versus_bound", short_runs),
    ],
)
def test_a_part_of_the_slower_numbers_is_as_recorded(
    name: str, part: Callable[[dict[str, Any]], tuple[Any, Any]]
) -> None:
    found, recorded = part(store.read(name))
    assert close(found, recorded), f"{name} is out of date: make figures-data figures"


def test_every_figure_has_its_parts_and_no_other_file_lies_about() -> None:
    assert {path.stem for path in (ROOT / "figures/compute").glob("*.py")} == {*NAMES, "__init__"}
    assert {path.stem for path in (ROOT / "figures/data").iterdir()} == set(NAMES)
    for kind in store.FORMATS:
        files = list((ROOT / "figures").glob(f"*.{kind}"))
        assert {path.stem for path in files} == set(NAMES)
        assert max(path.stat().st_size for path in files) < LARGEST_FILE


@pytest.mark.parametrize("name", NAMES)
def test_data_has_a_title_and_a_caption(name: str) -> None:
    data = store.read(name)
    assert data["title"]
    assert data["caption"].endswith(".")
    assert json.loads(store.as_text(data)) == data


def test_the_gallery_page_is_as_recorded() -> None:
    assert (ROOT / "figures/README.md").read_text() == main.gallery()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_drawing_needs_no_simulation(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a drawing ran a simulation")

    loops = (
        ("engine.simulate", "simulate"),
        ("analysis.moments", "state_moments"),
        ("analysis.moments", "expected_gap"),
        ("analysis.limits", "limit_cycle"),
    )
    for module, function in loops:
        monkeypatch.setattr(importlib.import_module(f"fltheory.{module}"), function, refuse)
    main.draw(name, tmp_path)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".pdf", ".png", ".svg"]
    assert min(path.stat().st_size for path in tmp_path.iterdir()) > 10_000


def outside_imports(source: str) -> set[str]:
    """What a drawing imports beyond matplotlib, the style, other drawings and the standard
    library."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    ours = ("figures.style", "figures.draw.")
    return {
        name
        for name in names
        if name.split(".")[0] not in (*sys.stdlib_module_names, "matplotlib")
        and not name.startswith(ours)
    }


def test_drawings_import_neither_the_package_nor_the_computations() -> None:
    assert {
        path.stem: found
        for path in (ROOT / "figures/draw").glob("*.py")
        if (found := outside_imports(path.read_text()))
    } == {}
    assert outside_imports(
        "from fltheory.engine.simulate import simulate\nimport figures.compute.drift"
    ) == {"fltheory.engine.simulate", "figures.compute.drift"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["drift", "staleness"])
def test_the_same_numbers_give_the_same_files(name: str, tmp_path: Path) -> None:
    for folder in (tmp_path / "once", tmp_path / "again"):
        folder.mkdir()
        main.draw(name, folder)
    for kind in store.FORMATS:
        assert (tmp_path / "once" / f"{name}.{kind}").read_bytes() == (
            tmp_path / "again" / f"{name}.{kind}"
        ).read_bytes()


def test_the_palette_is_that_of_okabe_and_ito() -> None:
    published = [
        (0, 0, 0),
        (230, 159, 0),
        (86, 180, 233),
        (0, 158, 115),
        (240, 228, 66),
        (0, 114, 178),
        (213, 94, 0),
        (204, 121, 167),
    ]
    assert [colour.lower() for colour in style.OKABE_ITO] == [
        f"#{r:02x}{g:02x}{b:02x}" for r, g, b in published
    ]


def test_drawings_use_no_colour_of_their_own() -> None:
    for path in (ROOT / "figures/draw").glob("*.py"):
        assert not re.search(r"#[0-9A-Fa-f]{6}\b|[\"']C\d[\"']|tab:", path.read_text()), path.name


def test_what_shares_a_panel_differs_in_more_than_colour() -> None:
    looks = [
        style.paper_looks(),
        *(
            importlib.import_module(f"figures.draw.{name}").LOOKS
            for name in ("rates", "per_clock_time")
        ),
    ]
    for table in looks:
        for one, other in combinations(table.values(), 2):
            assert len({one[1], other[1]}) == len({one[2], other[2]}) == 2
    verdicts = importlib.import_module("figures.draw.verdicts").LOOKS
    for (one, hatch, _), (other, second_hatch, _) in combinations(verdicts.values(), 2):
        assert hatch != second_hatch or abs(style.luminance(one) - style.luminance(other)) > 0.05


@pytest.mark.parametrize("colour", ["ORANGE", "SKY", "GREEN", "BLUE", "VERMILLION", "PURPLE"])
def test_text_in_a_colour_can_be_read_on_white(colour: str) -> None:
    assert 1.05 / (style.luminance(style.readable(getattr(style, colour))) + 0.05) >= 4.5


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_title_is_in_the_caption_and_nothing_is_yellow(name: str, tmp_path: Path) -> None:
    main.draw(name, tmp_path)
    drawn = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
    assert f"<!-- {store.read(name)['title']} -->" not in drawn
    assert style.YELLOW.lower() not in drawn
    assert "<!-- " in drawn  # matplotlib tells every text in a comment


def bare(figure: Any) -> list[int]:
    """Panels of a figure on whose vertical axis fewer than two marks are labelled."""
    figure.draw_without_rendering()
    found = []
    for k, axes in enumerate(figure.axes):
        low, high = sorted(axes.get_ylim())
        shown = [
            tick
            for tick in axes.yaxis.get_major_ticks()
            if tick.label1.get_visible()
            and tick.label1.get_text()
            and low <= tick.get_loc() <= high
        ]
        if len(shown) < 2:
            found.append(k)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_vertical_axis_has_labelled_marks(name: str) -> None:
    assert bare(drawing(name).draw(store.read(name))) == []


def test_a_vertical_axis_without_marks_would_be_seen() -> None:
    figure, axes = style.panels(1, 2, sharey=True)
    axes[0].set_yticks([0.2, 0.4])
    assert bare(figure) == [1]
    axes[0].set_yticks([])
    assert bare(figure) == [0, 1]


def test_unknown_figures_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["figures", "drfit"])
    with pytest.raises(SystemExit) as refused:
        main.main()
    assert refused.value.code == 2
    assert "no figure is called drfit" in capsys.readouterr().err


@pytest.mark.parametrize(
    "module",
    [style, store, computing("looseness"), drawing("looseness_worst_case")],
    ids=lambda module: module.__name__,
)
def test_examples_in_docstrings_run(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_readme_shows_the_drift() -> None:
    assert "figures/drift.png" in (ROOT / "README.md").read_text()
