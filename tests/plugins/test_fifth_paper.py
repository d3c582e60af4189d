"""A fifth paper needs no edit elsewhere: figures, navigation, citations and comparisons of bounds
find it, and methods declare what they are."""

import importlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fltheory import algorithms
from fltheory.claims.claim import Paper
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import members
from fltheory.engine.traits import PLAYED_ON_PAGE
from fltheory.ledger import looseness
from fltheory.papers.folders import add_papers
from fltheory.papers.library import entries, papers

ROOT = Path(__file__).parents[2]
FIFTH = Path(__file__).parent / "papers"
KEYS = "mifa|fedlaavg|fraboni|afl"

sys.path.insert(0, str(ROOT))


@pytest.fixture(autouse=True)
def fifth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLTHEORY_PAPERS", "")
    add_papers(FIFTH)


@pytest.mark.slow
def test_figures_find_it() -> None:
    verdicts = importlib.import_module("figures.compute.verdicts").numbers()
    style = importlib.import_module("figures.style")
    assert list(verdicts["papers"]) == list(papers())
    assert f"claims of {len(papers())} papers" in verdicts["caption"]
    looks = style.paper_looks()
    assert looks["localsgd"].name == papers()["localsgd"].short_name == "Local SGD"
    assert len({look[1:] for look in looks.values()}) == len(looks) == 5
    drawn = importlib.import_module("figures.draw.verdicts").draw(verdicts)
    labels = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert "Local SGD, as printed" in labels


def test_looks_differ_for_many_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    style = importlib.import_module("figures.style")
    one = papers()["mifa"]
    monkeypatch.setattr(style, "papers", lambda: {f"p{k}": replace(one) for k in range(63)})
    assert len({look[1:] for look in style.paper_looks().values()}) == 63


def test_the_navigation_finds_it() -> None:
    from mkdocs.config import load_config

    generated = importlib.import_module("docs.generated")
    config = generated.on_config(load_config(str(ROOT / "mkdocs.yml")))
    nav = {title: place for entry in config.nav for title, place in entry.items()}
    assert nav["Ledger"] == ["ledger/index.md", *(f"ledger/{key}.md" for key in papers())]
    assert "ledger/localsgd.md" in nav["Ledger"]
    assert {"cli": "api/cli.md"} in nav["API"]


def test_bounds_are_compared_for_it() -> None:
    found = looseness.theorems()
    assert "localsgd.descent" in found
    assert {claim.split(".")[0] for claim in found} == set(papers())


@pytest.mark.parametrize("entry", ["a pair", ("mifa.thm5.1", len)])
def test_an_entry_of_another_kind_is_refused(
    monkeypatch: pytest.MonkeyPatch, entry: object
) -> None:
    monkeypatch.setattr(looseness, "entries", lambda name: iter((entry,)))
    with pytest.raises(InvalidInput, match="LOOSENESS must hold BoundSweeps"):
        looseness.theorems()


def test_a_bound_that_is_declared_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    first = next(iter(entries("LOOSENESS")))
    monkeypatch.setattr(looseness, "entries", lambda name: iter((first, first)))
    with pytest.raises(InvalidInput, match="must be declared once"):
        looseness.theorems()


def test_the_page_runs_the_methods_that_declare_it() -> None:
    """The methods of the page's JavaScript, with their names there."""
    assets = ROOT / "fltheory" / "teaching" / "assets"
    written = (assets / "core" / "methods.js").read_text(encoding="utf-8")
    table = written[written.index("METHODS = {") : written.index("};")]
    known = set(re.findall(r'^  "?([\w-]+)"?: \{', table, re.M))
    replay = (assets / "scenes" / "replay.js").read_text(encoding="utf-8")
    (names,) = re.findall(r"METHODS_OF = \{(.*)\}", replay)
    renamed = dict(re.findall(r'(\w+): "(\w+)"', names))
    declared = {name for name, m in members(algorithms).items() if PLAYED_ON_PAGE in m.facts}
    assert declared
    assert {renamed.get(name, name) for name in declared} <= known
    assert "scaffold" not in declared


def test_an_unknown_kind_of_entry_is_refused() -> None:
    with pytest.raises(InvalidInput, match="entry of paper x must be one of article"):
        Paper("x", "t", "a", 2024, "v", entry="thesis")


LISTS = re.compile(rf"""["'](?:{KEYS})["']""")


def papers_listed(text: str) -> set[str]:
    """Keys of papers that a line of code writes out as texts of their own."""
    return {found[1:-1] for found in LISTS.findall(text)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        *(ROOT / "figures").glob("*.py"),
        *(ROOT / "figures" / "draw").glob("*.py"),
        ROOT / "figures" / "compute" / "verdicts.py",
        ROOT / "figures" / "compute" / "looseness_worst_case.py",
        *(ROOT / "fltheory" / "ledger").glob("*.py"),
        ROOT / "fltheory" / "fleet" / "certified.py",
        ROOT / "fltheory" / "teaching" / "instances.py",
        ROOT / "mkdocs.yml",
    ],
    ids=lambda file: file.name,
)
def test_no_file_lists_the_papers(file: Path) -> None:
    allowed = {"drift.py": {"mifa", "fedlaavg"}}  # methods, not papers
    text = file.read_text(encoding="utf-8")
    assert len(papers_listed(text) - allowed.get(file.name, set())) < 2
    assert not re.search(rf"ledger/(?:{KEYS})\.md", text)


def test_a_planted_list_is_seen() -> None:
    assert papers_listed("PAPERS = (\"mifa\", 'afl')") == {"mifa", "afl"}
