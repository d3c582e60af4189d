"""Advice for a fleet: its statistics, the theorems that speak of it, FedAvg's bias, predictions,
and fair weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.fleet.certified import Guarantee, guarantees
from fltheory.fleet.clocked import predict_clocked
from fltheory.fleet.log import FleetLog, Floats
from fltheory.fleet.predict import Prediction, predict, run_rounds
from fltheory.fleet.recommend import BIASED, LITTLE, Choice, after
from fltheory.fleet.setting import MEANINGS, Basis, Task, basis_of
from fltheory.fleet.summary import Summary
from fltheory.fleet.theorems import Reading, read_theorems
from fltheory.fleet.waiting import waiting
from fltheory.ledger.lines import verdicts
from fltheory.ledger.runner import recorded

SHOWN = 5
"""Clients named in lists of extremes."""


@dataclass(frozen=True, eq=False)
class Advice:
    """Everything that is said about one log; `given` names what the user gave of MEANINGS, all else
    is assumed."""

    log: FleetLog
    task: Task
    given: frozenset[str] = frozenset()
    weights_file: str | None = None

    def __post_init__(self) -> None:
        if not len(self.log.begins):
            raise InvalidInput("log", "have a client that is there in some round", "none")

    @cached_property
    def summary(self) -> Summary:
        return Summary(self.log)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        return read_theorems(self.summary, self.task)

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """Best first; those that never reach the target last, by their floor."""
        clocked = self.log.deliveries is not None
        found = (
            predict_clocked(self.summary, self.task)
            if clocked
            else predict(self.summary, self.task)
        )
        return tuple(
            sorted(
                found,
                key=lambda p: (
                    p.rounds is None,
                    p.seconds if p.seconds is not None else p.rounds or 0,
                    p.floor,
                ),
            )
        )

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return guarantees(self.summary, self.task, self.predictions)

    @cached_property
    def choice(self) -> Choice:
        return Choice(self.predictions, self.readings, self.guarantees, self.bias)

    @cached_property
    def shares(self) -> Floats:
        """In which part of the rounds each client counts; of its windows, where FedFix is
        recommended.

        Deliveries count at their mean rates, as in the predictions: who was logged for a shorter
        time has fewer, and will not later.
        """
        window, deliveries = self.choice.best.window, self.log.deliveries
        if deliveries is not None:
            return (
                deliveries.shares_of_arrivals
                if window is None
                else deliveries.shares_of_windows(window)
            )
        if window is None:
            return self.summary.shares
        return Summary(self.log.windowed(int(window))).shares

    @cached_property
    def fair_weights(self) -> Floats:
        """1/(N share) for the arrivals of each of the N clients that came, so that their mean over
        the log is 1/N; NaN for others."""
        with np.errstate(divide="ignore"):
            weights = 1 / (self.summary.num_heard * self.shares)
        return np.where(self.shares > 0, weights, math.nan)

    @property
    def bias(self) -> float:
        """Half the sum of |w_i - 1/N|, w_i FedAvg's long-run weights: the share of influence that
        sits with the wrong clients."""
        return float(np.abs(self.summary.fedavg_weights - 1 / self.log.num_clients).sum() / 2)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data, each number with what it rests on."""
        s, names, known = self.summary, self.log.names, verdicts(recorded())
        order = np.argsort(s.fedavg_weights, kind="stable")
        weights = [{"client": names[i], "weight": float(s.fedavg_weights[i])} for i in order]
        worst = np.argsort(-s.longest_absence, kind="stable")[:SHOWN]
        smooth = float(self.task.smoothness)
        return {
            "inputs": self.inputs,
            "recommendation": self.recommendation,
            "recommended": {
                "method": self.choice.best.method,
                "supports": self.choice.support(self.choice.best),
            },
            "log": {
                "clients": self.log.num_clients,
                "rounds": self.log.num_rounds,
                "round_seconds": self.log.round_seconds,
                "deliveries": self.log.deliveries is not None,
                "horizon": self.horizon,
            },
            "availability": _numbers(
                Basis.MEASURED,
                {
                    "least_share": float(s.shares.min()),
                    "mean_share": float(s.shares.mean()),
                    "largest_share": float(s.shares.max()),
                    "mean_staleness": float(s.mean_staleness),
                    "max_staleness": s.max_staleness,
                    "availability_window": s.availability_window,
                    "empty_rounds": int((s.present == 0).sum()),
                    "fewest_present": int(s.present.min()),
                    "most_present": int(s.present.max()),
                    "max_delay": self.log.max_delay,
                },
            ),
            "longest_absences": [
                {
                    "client": names[i],
                    "rounds": int(s.longest_absence[i]),
                    "from_round": s.absent_from(i) + 1,
                    "basis": Basis.MEASURED.value,
                }
                for i in worst
            ],
            "fedavg_bias": {
                "misplaced_influence": self.bias,
                "basis": Basis.MEASURED.value,
                "claim": "fedlaavg.thm1.limit",
                "says": (
                    "with small steps FedAvg minimises losses with these weights (proved for two"
                    " quadratic clients, a rule of thumb beyond)"
                ),
                "least_heard": weights[:SHOWN],
                "most_heard": weights[::-1][:SHOWN],
            },
            "fair_weights": self.fairness(known),
            "waiting": waiting(self.summary),
            "theorems": [_theorem(reading, known) for reading in self.readings],
            "predictions": [
                {
                    "method": p.method,
                    "rounds": p.rounds,
                    "unit": p.unit,
                    "seconds": p.seconds,
                    "repeats_log": p.repeats_log,
                    "step_size": _finite(p.step_size),
                    "step_size_times_smoothness": _finite(p.step_size * smooth),
                    "floor": _finite(p.floor),
                    "error_at_most": p.error,
                    "basis": p.basis.value,
                    "says": p.says,
                }
                for p in self.predictions
            ],
            "guarantees": [
                {
                    "method": g.method,
                    "clients": list(g.clients),
                    "first_round": g.first_round,
                    "rounds": g.rounds,
                    "step_size": str(g.step_size),
                    "step_size_times_smoothness": str(g.step_size * self.task.smoothness),
                    "gap_at_most": float(g.bound),
                    "gap_at_most_exactly": str(g.bound),
                    "basis": Basis.CERTIFIED.value,
                    "certificate": g.certificate,
                }
                for g in self.guarantees
            ],
        }

    def fairness(self, known: Mapping[str, Verdict]) -> dict[str, Any]:
        """What dividing arrivals by shares does: mean weights 1/N (MIFA Section 3), and added
        variance (1/N^2) sum of (1 - p_i)/p_i."""
        there = self.summary.shares[self.summary.shares > 0]
        mean, variance = ("mifa.alg.is", "mifa.alg.is.variance")
        return {
            "unbiased": {
                "mean_weight": 1 / self.summary.num_heard,
                "basis": basis_of(known.get(mean)).value,
                "claim": mean,
                "says": (
                    "mean weight of every client that came, "
                    + (
                        "over this log"
                        if self.log.deliveries is None
                        else "in the long run, at the mean times of this log"
                    )
                ),
            },
            "variance": {
                "added_variance": float(((1 - there) / there).sum() / self.summary.num_heard**2),
                "basis": basis_of(known.get(variance)).value,
                "claim": variance,
                "says": (
                    "added variance, for coin flips with the log's shares, in units of the squared"
                    " update of a client"
                ),
            },
        }

    @property
    def recommendation(self) -> str:
        """What to do, and below it, a line each, what supports it, why it is preferred, and what
        was assumed."""
        choice, best, target = self.choice, self.choice.best, f"the target {self._told('target')}"
        if best.rounds is None:
            return (
                f"No method reaches {target} of the initial gap on this log; {best.method} comes"
                f" closest, to {best.floor:.3g}. Raise the target, lower the noise or run for"
                " longer."
            )
        absent = self.log.num_clients - self.summary.num_heard
        missing = (
            f"{absent} of {self.log.num_clients} clients never came, and no method learns from"
            " them. "
            if absent
            else ""
        )
        heard = (
            f"Plain FedAvg would give {100 * self.bias:.0f} % of the influence to the wrong"
            " clients. "
            if self.bias > LITTLE
            else ""
        )
        harmless = (
            best.method.startswith(BIASED) and self.bias <= LITTLE
        )  # a warning of bias where there is none
        how, first = f" ({best.says})" if best.says and not harmless else "", self.predictions[0]
        lines = [
            (
                f"{missing}{heard}Use {best.method}{how} with step size"
                f" {self.task.told_step(best.step_size)}, where L is {self._told('smoothness')}: it"
                f" stays below {target} after {after(best)} ({best.basis.value})."
            ),
            *choice.reasons(),
        ]
        if first not in choice.candidates:
            lines.append(
                f"{first.method} would be there after {after(first)}, but leans towards clients"
                " that are heard often."
            )
        lines += self._weights(best)
        if assumed := [
            one["name"].replace("_", " ") for one in self.inputs if one["source"] == "assumed"
        ]:
            lines.append(
                f"Assumed, not given: {', '.join(assumed)}. Other values give other numbers, and"
                " may give another method."
            )
        return "\n".join(lines)

    def _told(self, name: str) -> str:
        """A constant, and whether somebody gave it."""
        return f"{getattr(self.task, name)}{'' if name in self.given else ' (assumed, not given)'}"

    def _weights(self, best: Prediction) -> list[str]:
        """Where the weights are that arrivals are multiplied by."""
        if best.method.startswith("FedBuff"):
            return [
                "Its weights divide by the share of buffers in which a client is, which no log"
                " shows: count them while it runs."
            ]
        unit = "rounds" if best.window is None else "windows"
        if self.weights_file is not None:
            fair = (
                "FedFix with this window"
                if best.window is not None
                else (
                    "asynchronous aggregation"
                    if self.log.deliveries is not None
                    else "FedAvg-IS and asynchronous aggregation"
                )
            )
            return [
                f"Weights 1/(N share of {unit}) that make {fair} fair on this log are in"
                f" {self.weights_file}."
            ]
        needed = best.method.startswith(("FedAvg-IS", "asynchronous", "FedFix"))
        return (
            [f"The option --weights FILE writes its weights 1/(N share of {unit})."]
            if needed
            else []
        )

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """What everything else follows from, and where it comes from: given by the user, assumed,
        or the log."""
        found = [
            {
                "name": name,
                "value": str(getattr(self.task, name)),
                "source": "given" if name in self.given else "assumed",
                "says": says,
            }
            for name, says in MEANINGS.items()
            if hasattr(self.task, name)
        ]
        seconds = self.log.round_seconds
        source, says = (
            ("given", MEANINGS["round_seconds"])
            if "round_seconds" in self.given
            else (
                ("from the log", "Mean time between deliveries; each delivery is a round.")
                if self.log.deliveries is not None
                else (
                    ("not given", "No clock times are predicted; --round-seconds gives them.")
                    if seconds is None
                    else ("assumed", "A hundredth of the log's length; --round-seconds sets it.")
                )
            )
        )
        value = "unknown" if seconds is None else f"{seconds:.6g}"
        return [*found, {"name": "round_seconds", "value": value, "source": source, "says": says}]

    @property
    def horizon(self) -> str:
        """What a prediction does with a log that is shorter or longer than its runs."""
        rounds = self.log.num_rounds
        if self.log.deliveries is not None:
            return (
                "Each client takes its logged times one after the other; when they are used up, it"
                " begins again with the first."
            )
        run = run_rounds(rounds)
        runs = f"Runs last {run} rounds"
        return (
            f"{runs}: the log's {rounds} are repeated."
            if run > rounds
            else (
                f"{runs}, the first of the log's {rounds}."
                if run < rounds
                else f"{runs}, as long as the log."
            )
        )


def _theorem(reading: Reading, known: Mapping[str, Verdict]) -> dict[str, Any]:
    conditions = [{"says": c.says, "holds": c.holds, "where": c.where} for c in reading.conditions]
    return {
        "claim": reading.claim,
        "ledger": known.get(reading.claim, Verdict.UNDECIDED).name,
        "method": reading.method,
        "applies": reading.applies,
        "step_size": reading.step_size,
        "basis": basis_of(known.get(reading.claim)).value,
        "conditions": conditions,
    }


def _numbers(basis: Basis, values: Mapping[str, Any]) -> dict[str, Any]:
    return {**values, "basis": basis.value}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
