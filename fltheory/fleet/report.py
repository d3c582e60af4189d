"""The advice as plain data: the parts of the JSON report, each number with its evidence."""

import math
from collections.abc import Mapping, Sequence
from typing import TypedDict

import numpy as np

from fltheory.claims.evidence import Verdict
from fltheory.core.types import JsonValue
from fltheory.fleet.answer_rows import (
    CappingRow,
    CurveRow,
    ProofRow,
    RecommendedRow,
    RobustnessRow,
)
from fltheory.fleet.certified import Guarantee
from fltheory.fleet.conditions import Reading
from fltheory.fleet.predict import Prediction
from fltheory.fleet.setting import Basis, LearningTask, basis_of
from fltheory.fleet.summary import Summary
from fltheory.fleet.waiting import Waiting

MOST_EXTREMES = 5
"""Clients named in lists of extremes."""

Numbers = dict[str, float | str | None]
"""Numbers by name, with their `basis`."""


class InputRow(TypedDict):
    """A constant, and whether it was given, assumed or read from the log."""

    name: str
    value: str
    source: str
    says: str


class LogRow(TypedDict):
    """The size of the log."""

    clients: int
    rounds: int
    round_seconds: float | None
    deliveries: bool
    horizon: str
    notes: list[str]


class AbsenceRow(TypedDict):
    """The longest absence of one client; rounds count from 1."""

    client: str
    rounds: int
    from_round: int
    basis: str


class WeightRow(TypedDict):
    """The weight of one client."""

    client: str
    weight: float


class BiasRow(TypedDict):
    """The weights that plain FedAvg gives the clients."""

    misplaced_influence: float
    basis: str
    claim: str
    says: str
    least_heard: list[WeightRow]
    most_heard: list[WeightRow]


class ConditionRow(TypedDict):
    """One assumption of a theorem on this log."""

    says: str
    holds: bool | None
    where: str


class TheoremRow(TypedDict):
    """A theorem on this log."""

    claim: str
    ledger: str
    method: str
    applies: bool
    step_size: str
    basis: str
    conditions: list[ConditionRow]


class PredictionRow(TypedDict):
    """When a method reaches the target."""

    method: str
    rounds: int | None
    unit: str
    seconds: float | None
    repeats_log: bool
    step_size: float | None
    step_size_times_smoothness: float | None
    floor: float | None
    error_at_most: float
    basis: str
    says: str


class GuaranteeRow(TypedDict):
    """A certified bound for a method."""

    method: str
    clients: list[str]
    first_round: int
    rounds: int
    step_size: str
    step_size_times_smoothness: str
    gap_at_most: float
    gap_at_most_exactly: str
    basis: str
    certificate: Mapping[str, JsonValue]


class Report(TypedDict):
    """The whole report."""

    inputs: list[InputRow]
    recommendation: str
    recommended: RecommendedRow
    robustness: list[RobustnessRow]
    capping: CappingRow
    proof: ProofRow | None
    curves: list[CurveRow]
    log: LogRow
    availability: Numbers
    longest_absences: list[AbsenceRow]
    fedavg_bias: BiasRow
    fair_weights: dict[str, Numbers]
    waiting: Waiting
    theorems: list[TheoremRow]
    predictions: list[PredictionRow]
    guarantees: list[GuaranteeRow]


def availability_numbers(summary: Summary) -> Numbers:
    """Statistics of availability and staleness."""
    return {
        "least_share": float(summary.shares.min()),
        "mean_share": float(summary.shares.mean()),
        "largest_share": float(summary.shares.max()),
        "mean_staleness": float(summary.mean_staleness),
        "max_staleness": summary.max_staleness,
        "availability_window": summary.availability_window,
        "empty_rounds": int((summary.present == 0).sum()),
        "fewest_present": int(summary.present.min()),
        "most_present": int(summary.present.max()),
        "max_delay": summary.log.max_delay,
        "basis": Basis.MEASURED.value,
    }


def absence_rows(summary: Summary) -> list[AbsenceRow]:
    """The clients with the longest absences."""
    return [
        {
            "client": summary.log.names[i],
            "rounds": int(summary.longest_absence[i]),
            "from_round": summary.absent_from(i) + 1,
            "basis": Basis.MEASURED.value,
        }
        for i in np.argsort(-summary.longest_absence, kind="stable")[:MOST_EXTREMES]
    ]


def bias_row(summary: Summary, bias: float) -> BiasRow:
    """The clients that FedAvg hears least and most."""
    weights: list[WeightRow] = [
        {"client": summary.log.names[i], "weight": float(summary.fedavg_weights[i])}
        for i in np.argsort(summary.fedavg_weights, kind="stable")
    ]
    return {
        "misplaced_influence": bias,
        "basis": Basis.MEASURED.value,
        "claim": "fedlaavg.thm1.limit",
        "says": (
            "with small steps FedAvg minimises losses with these weights (proved for two"
            " quadratic clients, a rule of thumb beyond)"
        ),
        "least_heard": weights[:MOST_EXTREMES],
        "most_heard": weights[::-1][:MOST_EXTREMES],
    }


def fairness(summary: Summary, known: Mapping[str, Verdict]) -> dict[str, Numbers]:
    """Effects of dividing arrivals by shares: mean weights 1/N (MIFA Section 3), and added
    variance, the sum of w_i^2 (1 - q_i)/q_i for importances w_i and shares q_i."""
    there, wanted = summary.shares[summary.shares > 0], summary.log.wanted[summary.shares > 0]
    mean, variance = "mifa.alg.is", "mifa.alg.is.variance"
    clocked = summary.log.deliveries is not None
    return {
        "unbiased": {
            "mean_weight": 1 / summary.num_heard,
            "basis": basis_of(known.get(mean)).value,
            "claim": mean,
            "says": (
                "mean weight of every client that came, "
                + ("in the long run, at the mean times of this log" if clocked else "over this log")
            ),
        },
        "variance": {
            "added_variance": float(((1 - there) / there * (wanted / wanted.sum()) ** 2).sum()),
            "basis": basis_of(known.get(variance)).value,
            "claim": variance,
            "says": (
                "added variance, for coin flips with the log's shares, in units of the squared"
                " update of a client"
            ),
        },
    }


def theorem_rows(readings: Sequence[Reading], known: Mapping[str, Verdict]) -> list[TheoremRow]:
    """The theorems with their conditions and their verdicts in the ledger."""
    return [
        {
            "claim": reading.claim,
            "ledger": known.get(reading.claim, Verdict.UNDECIDED).name,
            "method": reading.method,
            "applies": reading.applies,
            "step_size": reading.step_size,
            "basis": basis_of(known.get(reading.claim)).value,
            "conditions": [
                {"says": c.says, "holds": c.holds, "where": c.where} for c in reading.conditions
            ],
        }
        for reading in readings
    ]


def prediction_rows(predictions: Sequence[Prediction], task: LearningTask) -> list[PredictionRow]:
    """The predictions; numbers that are not finite become None."""
    return [
        {
            "method": p.method,
            "rounds": p.rounds,
            "unit": p.unit,
            "seconds": p.seconds,
            "repeats_log": p.repeats_log,
            "step_size": _finite(p.step_size),
            "step_size_times_smoothness": _finite(p.step_size * float(task.smoothness)),
            "floor": _finite(p.floor),
            "error_at_most": p.error,
            "basis": p.basis.value,
            "says": p.says,
        }
        for p in predictions
    ]


def guarantee_rows(guarantees: Sequence[Guarantee], task: LearningTask) -> list[GuaranteeRow]:
    """The certified bounds with their certificates."""
    return [
        {
            "method": g.method,
            "clients": list(g.clients),
            "first_round": g.first_round,
            "rounds": g.rounds,
            "step_size": str(g.step_size),
            "step_size_times_smoothness": str(g.step_size * task.smoothness),
            "gap_at_most": float(g.bound),
            "gap_at_most_exactly": str(g.bound),
            "basis": Basis.CERTIFIED.value,
            "certificate": g.certificate,
        }
        for g in guarantees
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
