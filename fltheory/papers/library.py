"""Find papers and what their modules hold: claims, checks, search spaces and more.

A paper is a package (a folder with `__init__.py`) whose module `paper` defines `PAPER`. Any module
below it may define

    CLAIMS      what the paper states                       (fltheory.claims.claim.Claim)
    CHECKS      how a claim is decided                      (fltheory.claims.checks.check.Check)
    SPACES      where an attack looks for counterexamples   (fltheory.claims.spaces.space.Space)
    PROOFS      cases with a stored certificate             (fltheory.claims.checks.certified)
    LEMMAS      inequalities with a stored certificate      (fltheory.claims.checks.inequality)
    ORIGINS     functions that compute a counterexample's values again, by kind
    COUNTEREXAMPLES  what a counterexample to a claim is made of    (fltheory.claims.meaning)
    REGIMES     rates and the step sizes they ask for       (fltheory.analysis.regimes.Regime)
    LOOSENESS   worst cases beside a theorem's bound        (fltheory.claims.bound_sweeps)
    FINDINGS    findings of an audit
    NOT_CLAIMS  numbered items of the paper that are not claims, each with the reason
    LARGER      why a counterexample is not smaller

Claims stand outside the folders `checks` and `spaces`, so that reading a claim does not load what
decides it.

`fltheory.papers.folders` finds the packages, those of this folder and anybody's in the same way. A
paper from outside names the folder of its own record.
"""

import pkgutil
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from fltheory.claims.claim import Claim, Paper
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import imported
from fltheory.papers.folders import packages, papers_option, remembered

if TYPE_CHECKING:
    from fltheory.analysis.regimes import Regime

KEY = re.compile("[a-z][a-z0-9_]*")
"""Keys of papers: they begin the ids of claims, which become names of files."""


@remembered
def modules() -> tuple[ModuleType, ...]:
    """All modules of all papers, in alphabetical order within a paper."""
    return tuple(module for package in packages() for module in _below(package, everything=True))


@remembered
def _below(package: ModuleType, *, everything: bool) -> tuple[ModuleType, ...]:
    """A paper's modules; without `everything` only those that may state claims: none of its folders
    `checks` and `spaces`."""
    names = sorted(_names_below(package.__path__, package.__name__))
    kept = [name for name in names if everything or not {"checks", "spaces"} & set(name.split("."))]
    return (package, *(imported(name) for name in kept))


def _names_below(folders: Iterable[str], prefix: str) -> Iterator[str]:
    """Names of all modules below a package; nothing is imported."""
    for module in pkgutil.iter_modules(folders):
        name = f"{prefix}.{module.name}"
        yield name
        if module.ispkg:
            yield from _names_below([str(Path(path) / module.name) for path in folders], name)


def entries(name: str) -> Iterator[object]:
    """All entries of the tuples of that name in the papers' modules; a tuple that several modules
    import counts once."""
    yield from _entries(name, modules())


def entries_of(key: str, name: str, *, beside: tuple[str, ...] = ()) -> Iterator[object]:
    """All entries of the tuples of that name in the modules of one paper; only modules whose text
    has the name are imported. `beside` are words of which the text must have one, too."""
    yield from _entries(name, _naming(_package(key), name, beside))


@remembered
def _naming(package: ModuleType, name: str, beside: tuple[str, ...]) -> tuple[ModuleType, ...]:
    names = sorted(_names_below(package.__path__, package.__name__))
    return (package, *(imported(one) for one in names if _says(one, name, beside)))


def _says(module: str, name: str, beside: tuple[str, ...]) -> bool:
    """Does the text of a module have the name and one of the words? Yes if there is no text."""
    found = find_spec(module)
    if found is None or not str(found.origin).endswith(".py"):
        return True
    text = Path(str(found.origin)).read_text("utf-8", "replace")
    return name in text and (not beside or any(word in text for word in beside))


def key_of(folder: Path) -> str:
    """The key of the paper whose package is this folder."""
    for key, package in zip(papers(), packages(), strict=True):
        if folder.resolve() in (Path(path).resolve() for path in package.__path__):
            return key
    raise InvalidInput("folder", "be that of one paper", str(folder))


def papers_option_of(claim_id: str) -> str:
    """The option with which a command finds the paper of a claim, with a space before it; empty for
    the papers of this package."""
    key = claim_id.partition(".")[0]
    return papers_option(_package(key)) if key in papers() else ""


def _package(key: str) -> ModuleType:
    return packages()[list(papers()).index(key)]


def _entries(name: str, found_in: Iterable[ModuleType]) -> Iterator[object]:
    tuples = {
        id(found): found
        for module in found_in
        if (found := getattr(module, name, None)) is not None
    }
    for found in tuples.values():
        yield from found


@remembered
def papers() -> dict[str, Paper]:
    """Every paper by key, in the order in which they were found."""
    found: dict[str, Paper] = {}
    for package in packages():
        paper = getattr(imported(f"{package.__name__}.paper"), "PAPER", None)
        if not isinstance(paper, Paper):
            raise InvalidInput(
                f"{package.__name__}.paper",
                "define PAPER, a fltheory.claims.claim.Paper",
                repr(paper)[:60],
            )
        if paper.key in found:
            raise InvalidInput(f"paper {paper.key}", "have a key of its own", "a second paper")
        if not KEY.fullmatch(paper.key):
            rule = "be one word of small letters, digits and _"
            raise InvalidInput(f"key of {package.__name__}", rule, repr(paper.key)[:60])
        if paper.record is None and package.__name__.rpartition(".")[0] != "fltheory.papers":
            raise InvalidInput(
                f"paper {paper.key}",
                'name the folder of its record: record=Path(__file__).parent / "record"',
                "none",
            )
        found[paper.key] = paper
    return found


@remembered
def claims_of(key: str) -> dict[str, Claim]:
    """The claims of one paper, by id; only that paper is read."""
    paper, package = papers()[key], _package(key)
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


@remembered
def all_claims() -> dict[str, Claim]:
    """Every claim of every paper, by id."""
    return dict(sorted(item for key in papers() for item in claims_of(key).items()))


def is_claim(claim_id: str) -> bool:
    """Is it the id of a paper's claim? Only that paper is read."""
    key = claim_id.partition(".")[0]
    return key in papers() and claim_id in claims_of(key)


def find_claim(claim_id: str) -> Claim:
    """The claim of that id; an unknown one suggests near names."""
    if not isinstance(claim_id, str):
        raise InvalidInput("claim", "be an id such as fraboni.ex2", repr(claim_id)[:60])
    if not is_claim(claim_id):
        claims = all_claims()
        near = get_close_matches(claim_id, claims, n=3, cutoff=0.5)
        hint = f" (near: {', '.join(near)})" if near else ""
        raise InvalidInput("claim", f"be one of the ledger's ids{hint}", repr(claim_id[:80]))
    return claims_of(claim_id.partition(".")[0])[claim_id]


def matching(patterns: list[str]) -> list[Claim]:
    """Claims whose id matches a pattern or begins with it; all of them without a pattern.

    >>> all(claim.id.startswith("fedlaavg.") for claim in matching(["fedlaavg"]))
    True
    """
    if wrong := [one for one in patterns if not isinstance(one, str)]:
        raise InvalidInput("claims", "be ids or patterns", repr(wrong[0])[:60])
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


@remembered
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


@remembered
def regimes() -> "tuple[Regime, ...]":
    """Every rate of every paper, with the step sizes that it asks for."""
    from fltheory.analysis.regimes import Regime

    found = tuple(entries("REGIMES"))
    if wrong := [entry for entry in found if not isinstance(entry, Regime)]:
        raise InvalidInput("REGIMES", "hold regimes", repr(wrong[0])[:60])
    return cast("tuple[Regime, ...]", found)


def find_regime(name: str) -> "Regime":
    """The regime of a claim, or the first one of an algorithm.

    >>> find_regime("mifa").claim, find_regime("afl.cor3").algorithm
    ('mifa.thm5.1', 'afa-cs')
    """
    for regime in regimes():
        if name in (regime.claim, regime.algorithm):
            return regime
    known = ", ".join(f"{regime.algorithm} ({regime.claim})" for regime in regimes())
    rule = f"be one of {known}; another method needs --like and one of these claims"
    raise InvalidInput("algorithm or claim with a rate", rule, repr(name)[:60])
