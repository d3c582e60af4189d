"""Claims proved by arithmetic; the folder `sketches` has their proofs."""

from pathlib import Path

from fltheory.claims.checks.arithmetic import checks_of
from fltheory.papers import find_claim

CHECKS = tuple(checks_of(Path(__file__).parent / "sketches", find_claim))
