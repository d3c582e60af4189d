"""Find papers and what their modules hold: claims, checks, search spaces and more.

A paper is a package (a folder with `__init__.py`) whose module `paper` defines `PAPER`. Any module
below it may define the following (claims outside the folders `checks` and `spaces`, so that reading
a claim does not load what decides it)

    CLAIMS      what the paper states                       (fltheory.claims.claim.Claim)
    CHECKS      how a claim is decided                      (fltheory.claims.checks.check.Check)
    SPACES      where an attack looks for counterexamples   (fltheory.claims.spaces.space.Space)
    PROOFS, LEMMAS   cases with a stored certificate        (fltheory.claims.checks.certified, .inequality)
    ORIGINS     functions that compute a counterexample's values again, by kind
    REGIMES     rates and the step sizes they ask for       (fltheory.analysis.regimes.Regime)
    FINDINGS, NOT_CLAIMS, LARGER     findings of an audit, what is not a claim, why a counterexample is not smaller

Papers come from three places, all read in the same way: the folder `fltheory/papers`, folders named
by the environment variable FLTHEORY_PAPERS (which `--papers FOLDER` sets), and the entry-point
group `fltheory.papers` of installed packages.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import cast

from fltheory.analysis.regimes import Regime
from fltheory.claims.claim import Claim, Paper
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput

GROUP = "fltheory.papers"
"""Entry-point group of installed packages that bring papers."""

VARIABLE = "FLTHEORY_PAPERS"
"""Environment variable with folders of papers, so that worker processes find them too."""

HERE = Path(__file__).parent


def add_folder(folder: Path) -> None:
    """Read papers from this folder too: it is a paper itself, or it contains papers."""
    given = folder.resolve()
    if not given.is_dir():
        raise InvalidInput("papers folder", "be a folder", str(folder))
    if not _packages_of(given):
        raise InvalidInput(
            "papers folder",
            "be a paper (with __init__.py and paper.py) or contain papers",
            str(folder),
        )
    known = [text for text in os.environ.get(VARIABLE, "").split(os.pathsep) if text]
    if str(given) not in known:
        os.environ[VARIABLE] = os.pathsep.join([*known, str(given)])
        _forget()


def _packages_of(folder: Path) -> list[Path]:
    """The papers in a folder, which may be one itself."""
    if (folder / "__init__.py").exists() and (folder / "paper.py").exists():
        return [folder]
    return sorted(
        path.parent for path in folder.glob("*/paper.py") if (path.parent / "__init__.py").exists()
    )


@cache
def packages() -> tuple[ModuleType, ...]:
    """Every paper's package: those of this folder, of FLTHEORY_PAPERS, and of installed
    packages."""
    found = [importlib.import_module(f"fltheory.papers.{path.name}") for path in _packages_of(HERE)]
    for text in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        for path in _packages_of(Path(text)):
            found.append(_imported(path))
    found += [
        entry.load() for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    ]
    return tuple(found)


def _imported(path: Path) -> ModuleType:
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module = importlib.import_module(path.name)
    if Path(str(module.__file__)).parent != path:
        raise InvalidInput(
            f"paper {path.name}",
            "have a folder name that no other module has",
            str(module.__file__),
        )
    return module


def _forget() -> None:
    for remembered in (
        packages,
        modules,
        _below,
        papers,
        claims_of,
        all_claims,
        paper_spaces,
        regimes,
    ):
        remembered.cache_clear()


@cache
def modules() -> tuple[ModuleType, ...]:
    """All modules of all papers, in alphabetical order within a paper."""
    return tuple(module for package in packages() for module in _below(package, everything=True))


@cache
def _below(package: ModuleType, *, everything: bool) -> tuple[ModuleType, ...]:
    """A paper's modules; without `everything` only those that may state claims: none of its folders
    `checks` and `spaces`."""
    names = sorted(
        module.name for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    )
    kept = [name for name in names if everything or not {"checks", "spaces"} & set(name.split("."))]
    return (package, *(importlib.import_module(name) for name in kept))


def entries(name: str) -> Iterator[object]:
    """All entries of the tuples of that name in the papers' modules; a tuple that several modules
    import counts once."""
    yield from _entries(name, modules())


def _entries(name: str, found_in: Iterable[ModuleType]) -> Iterator[object]:
    tuples = {
        id(found): found
        for module in found_in
        if (found := getattr(module, name, None)) is not None
    }
    for found in tuples.values():
        yield from found


@cache
def papers() -> dict[str, Paper]:
    """Every paper by key, in the order in which they were found."""
    found: dict[str, Paper] = {}
    for package in packages():
        paper = getattr(importlib.import_module(f"{package.__name__}.paper"), "PAPER", None)
        if not isinstance(paper, Paper):
            raise InvalidInput(
                f"{package.__name__}.paper",
                "define PAPER, a fltheory.claims.claim.Paper",
                repr(paper)[:60],
            )
        if paper.key in found:
            raise InvalidInput(f"paper {paper.key}", "have a key of its own", "a second paper")
        found[paper.key] = paper
    return found


@cache
def claims_of(key: str) -> dict[str, Claim]:
    """The claims of one paper, by id; only that paper is read."""
    paper, package = papers()[key], packages()[list(papers()).index(key)]
    found: dict[str, Claim] = {}
    for claim in _entries("CLAIMS", _below(package, everything=False)):
        if not isinstance(claim, Claim):
            raise InvalidInput(f"CLAIMS of {key}", "hold claims", repr(claim)[:60])
        if claim.id in found:
            raise InvalidInput(f"claim {claim.id}", "be stated once", "a second statement")
        if claim.source.paper != paper or not claim.id.startswith(f"{key}."):
            raise InvalidInput(
                f"claim {claim.id}",
                f"have an id that begins with {key}. and cite that paper",
                claim.id,
            )
        found[claim.id] = claim
    return dict(sorted(found.items()))


@cache
def all_claims() -> dict[str, Claim]:
    """Every claim of every paper, by id."""
    return dict(sorted(item for key in papers() for item in claims_of(key).items()))


def find_claim(claim_id: str) -> Claim:
    """The claim of that id; an unknown one suggests near names."""
    key = claim_id.partition(".")[0]
    claims = claims_of(key) if key in papers() else {}
    if claim_id not in claims:
        claims = all_claims()
        near = get_close_matches(claim_id, claims, n=3, cutoff=0.5)
        hint = f" (near: {', '.join(near)})" if near else ""
        raise InvalidInput("claim", f"be one of the ledger's ids{hint}", repr(claim_id[:80]))
    return claims[claim_id]


def matching(patterns: list[str]) -> list[Claim]:
    """Claims whose id matches a pattern or begins with it; all of them without a pattern.

    >>> all(claim.id.startswith("fedlaavg.") for claim in matching(["fedlaavg"]))
    True
    """
    claims = all_claims()
    if not patterns:
        return list(claims.values())
    chosen = [
        c
        for c in claims.values()
        if any(fnmatchcase(c.id, p) or c.id.startswith(p + ".") for p in patterns)
    ]
    if not chosen:
        find_claim(patterns[0])
    return chosen


@cache
def paper_spaces() -> tuple[Space, ...]:
    """Every search space of every paper, each under an id of its own."""
    found: list[Space] = []
    for space in entries("SPACES"):
        if not isinstance(space, Space):
            raise InvalidInput("SPACES", "hold search spaces", repr(space)[:60])
        if any(
            other.id == space.id and set(other.claims or ("*",)) & set(space.claims or ("*",))
            for other in found
        ):
            raise InvalidInput(f"space {space.id}", "be defined once for a claim", "a second one")
        found.append(space)
    return tuple(found)


@cache
def regimes() -> tuple[Regime, ...]:
    """Every rate of every paper, with the step sizes that it asks for."""
    found = tuple(entries("REGIMES"))
    if wrong := [entry for entry in found if not isinstance(entry, Regime)]:
        raise InvalidInput("REGIMES", "hold regimes", repr(wrong[0])[:60])
    return cast(tuple[Regime, ...], found)


def find_regime(name: str) -> Regime:
    """The regime of a claim, or the first one of an algorithm.

    >>> find_regime("mifa").claim, find_regime("afl.cor3").algorithm
    ('mifa.thm5.1', 'afa-cs')
    """
    for regime in regimes():
        if name in (regime.claim, regime.algorithm):
            return regime
    known = ", ".join(f"{regime.algorithm} ({regime.claim})" for regime in regimes())
    raise InvalidInput("regime", f"be one of {known}", repr(name))
