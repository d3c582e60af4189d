"""The answer as plain data: what is recommended, how robust and how sure that is."""

from collections.abc import Mapping
from typing import TypedDict


class RecommendedRow(TypedDict):
    """The recommended method, its step size and times at it, and what the server does."""

    method: str
    member: str
    supports: int
    step_size: float
    step_size_times_smoothness: float
    rounds: int | None
    seconds: float | None
    unit: str
    window: float | None
    buffer: int | None
    update: str
    python: list[str]
    weights: str
    basis: str


class RobustnessRow(TypedDict):
    """How a method does over all settings of the constants that were not given."""

    method: str
    settings: int
    fastest: int
    nearly_fastest: int
    mean_factor: float
    worst_factor: float
    basis: str


class CappingRow(TypedDict):
    """How many weights are capped, and what it costs."""

    clients: int
    misplaced_influence: float
    most_times: float


class ProofRow(TypedDict):
    """A step size that is proved to be stable, and the predicted time at it."""

    method: str
    step_size: str
    step_size_times_smoothness: str
    language: str
    says: str
    rounds: int | None
    recommended_step: bool
    claim: str
    basis: str
    certificate: Mapping[str, object] | None


class CurveRow(TypedDict):
    """Expected gaps of a method along the rounds, with the least and the largest over the
    settings."""

    method: str
    step_size: float
    unit: str
    times: list[float]
    gap: list[float | None]
    least: list[float | None]
    largest: list[float | None]
    basis: str
