"""Entries: what is reported of an attack, as plain data."""

from typing import NotRequired, TypedDict


class SizeEntry(TypedDict):
    """Sizes of a counterexample; `drawn_denominator` is the largest one that was chosen freely."""

    clients: int
    rounds: int
    local_steps: int
    denominator: int
    drawn_denominator: int


class AttackEntry(TypedDict):
    """One attack, as `fltheory attack --json` prints it.

    `size` and `exceeded` (the limits of a small counterexample that it exceeds) are those of a
    counterexample that is one instance; an attack that `failed` because of an error has only the
    required fields.
    """

    id: str
    verdict: str
    failed: bool
    seed: int
    attempts: int
    instances: int
    ratio: str
    where: str
    note: str
    size: SizeEntry | None
    exceeded: list[str]
    seconds: float
    counterexample: str | None
    says: NotRequired[str]
    statement: NotRequired[str]
    rejected: NotRequired[dict[str, int]]
    untold: NotRequired[int]
    undecided: NotRequired[int]
    spaces: NotRequired[list[str]]
    left: NotRequired[str]
    right: NotRequired[str]
    best_score: NotRequired[float | None]
    best: NotRequired[str]
    suggestions: NotRequired[list[str]]
    worst_case_ratio: NotRequired[float | None]
    resumed: NotRequired[bool]
