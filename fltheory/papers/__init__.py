"""OPEN FOLDER: one folder per paper, holding only Claim values.

A module that defines CLAIMS adds its claims; a paper's NOT_CLAIMS lists what its catalogue names but is no claim, with the reason.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from types import ModuleType

from fltheory.claims import Claim
from fltheory.errors import InvalidInput


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """All modules below a package, in alphabetical order."""
    for module in sorted(pkgutil.walk_packages(package.__path__, package.__name__ + "."), key=lambda m: m.name):
        yield importlib.import_module(module.name)


@cache
def all_claims() -> dict[str, Claim]:
    """Every claim of every paper, by id."""
    import fltheory.papers

    found: dict[str, Claim] = {}
    for module in modules(fltheory.papers):
        for claim in getattr(module, "CLAIMS", ()):
            if claim.id in found:
                raise InvalidInput(f"claim {claim.id}", "be stated once", "a second statement")
            found[claim.id] = claim
    return dict(sorted(found.items()))


def find_claim(claim_id: str) -> Claim:
    """The claim of that id; an unknown one suggests near names."""
    claims = all_claims()
    if claim_id not in claims:
        near = get_close_matches(claim_id, claims, n=3, cutoff=0.5)
        hint = f" (near: {', '.join(near)})" if near else ""
        raise InvalidInput("claim", f"be one of the ledger's ids{hint}", repr(claim_id[:80]))
    return claims[claim_id]


def matching(patterns: list[str]) -> list[Claim]:
    """Claims whose id matches a pattern or begins with it; all of them without a pattern.

    >>> from fltheory.papers import matching
    >>> all(claim.id.startswith("fedlaavg.") for claim in matching(["fedlaavg"]))
    True
    """
    claims = all_claims()
    if not patterns:
        return list(claims.values())
    chosen = [c for c in claims.values() if any(fnmatchcase(c.id, p) or c.id.startswith(p + ".") for p in patterns)]
    if not chosen:
        find_claim(patterns[0])
    return chosen
