"""OPEN FOLDER: one folder per paper, with its statements, checks and search spaces together (see
`fltheory.papers.library`)."""

from fltheory.papers.library import (
    all_claims,
    claims_of,
    find_claim,
    find_regime,
    is_claim,
    matching,
    modules,
    paper_spaces,
    papers,
    regimes,
)

__all__ = [
    "all_claims",
    "claims_of",
    "find_claim",
    "find_regime",
    "is_claim",
    "matching",
    "modules",
    "paper_spaces",
    "papers",
    "regimes",
]
