"""Advice for a fleet: its statistics, the theorems that speak of it, FedAvg's bias, predictions, and fair weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.errors import InvalidInput
from fltheory.evidence import Verdict
from fltheory.fleet.certified import Guarantee, guarantees
from fltheory.fleet.clocked import predict_clocked
from fltheory.fleet.log import FleetLog, Floats
from fltheory.fleet.predict import Prediction, predict
from fltheory.fleet.setting import Basis, Task, basis_of
from fltheory.fleet.summary import Summary
from fltheory.fleet.theorems import Reading, read_theorems
from fltheory.ledger import read, verdicts
from fltheory.selection import expected_wait
from fltheory.verifying import ledger_file

WAITING_CLIENTS = 10
"""Clients at evenly spaced ranks for which waiting is computed exactly."""
BIASED = ("FedAvg over whoever", "AFA-CD")
"""Methods that lean towards clients that are heard often; not recommended where FedAvg's bias is more than LITTLE."""
LITTLE = 0.01
SHOWN = 5
"""Clients named in lists of extremes."""


@dataclass(frozen=True, eq=False)
class Advice:
    """Everything that is said about one log."""

    log: FleetLog
    task: Task

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
        found = predict_clocked(self.summary, self.task) if clocked else predict(self.summary, self.task)
        return tuple(sorted(found, key=lambda p: (p.rounds is None, p.seconds if p.seconds is not None else p.rounds or 0, p.floor)))

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return guarantees(self.summary, self.task, self.predictions)

    @cached_property
    def fair_weights(self) -> Floats:
        """1/(N share) for each client's arrivals, so that their mean over the log is 1/N; NaN for one that never came."""
        with np.errstate(divide="ignore"):
            weights = 1 / (self.log.num_clients * self.summary.shares)
        return np.where(self.summary.shares > 0, weights, math.nan)

    @property
    def bias(self) -> float:
        """Half the sum of |w_i - 1/N|, w_i FedAvg's long-run weights: the share of influence that sits with the wrong clients."""
        return float(np.abs(self.summary.fedavg_weights - 1 / self.log.num_clients).sum() / 2)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data, each number with what it rests on."""
        s, names, known = self.summary, self.log.names, verdicts(read(ledger_file()))
        order = np.argsort(s.fedavg_weights, kind="stable")
        weights = [{"client": names[i], "weight": float(s.fedavg_weights[i])} for i in order]
        worst = np.argsort(-s.longest_absence, kind="stable")[:SHOWN]
        return {
            "log": {"clients": self.log.num_clients, "rounds": self.log.num_rounds, "round_seconds": self.log.round_seconds,
                    "deliveries": self.log.deliveries is not None},
            "availability": _numbers(Basis.MEASURED, {
                "least_share": float(s.shares.min()), "mean_share": float(s.shares.mean()), "largest_share": float(s.shares.max()),
                "mean_staleness": float(s.mean_staleness), "max_staleness": s.max_staleness,
                "availability_window": s.availability_window, "empty_rounds": int((s.present == 0).sum()),
                "fewest_present": int(s.present.min()), "most_present": int(s.present.max()), "max_delay": self.log.max_delay}),
            "longest_absences": [{"client": names[i], "rounds": int(s.longest_absence[i]), "from_round": s.absent_from(i) + 1,
                                  "basis": Basis.MEASURED.value} for i in worst],
            "fedavg_bias": {"misplaced_influence": self.bias, "basis": Basis.MEASURED.value, "claim": "fedlaavg.thm1.limit",
                            "says": "with small steps FedAvg minimises losses with these weights (proved for two quadratic clients, a rule "
                                    "of thumb beyond)",
                            "least_heard": weights[:SHOWN], "most_heard": weights[::-1][:SHOWN]},
            "fair_weights": self.fairness(known),
            "waiting": self.waiting(),
            "theorems": [_theorem(reading, known) for reading in self.readings],
            "predictions": [{"method": p.method, "rounds": p.rounds, "seconds": p.seconds, "step_size": _finite(p.step_size),
                             "floor": _finite(p.floor), "error_at_most": p.error, "basis": p.basis.value, "says": p.says}
                            for p in self.predictions],
            "guarantees": [{"method": g.method, "clients": list(g.clients), "first_round": g.first_round, "rounds": g.rounds,
                            "step_size": str(g.step_size),
                            "gap_at_most": float(g.bound), "gap_at_most_exactly": str(g.bound), "basis": Basis.CERTIFIED.value,
                            "certificate": g.certificate} for g in self.guarantees],
            "recommendation": self.recommendation,
        }

    def waiting(self) -> dict[str, Any]:
        """Expected rounds until a sample has answered, were availability coin flips with the measured shares (exact)."""
        there = np.sort(self.summary.rounds_there[self.summary.rounds_there > 0])
        chosen = there[np.linspace(0, len(there) - 1, min(len(there), WAITING_CLIENTS)).round().astype(int)]
        chances = [Fraction(int(rounds), self.log.num_rounds) for rounds in chosen]
        sizes = sorted({1, max(len(chances) // 2, 1), len(chances)})
        return {"sample_of_" + str(size): float(expected_wait(chances, sample_size=size)) for size in sizes} | {
            "clients": len(chances), "basis": Basis.RULE.value, "says": "rounds, exact for independent coin flips with the log's shares"}

    def fairness(self, known: Mapping[str, Verdict]) -> dict[str, Any]:
        """What dividing arrivals by shares does: mean weights 1/N (MIFA Section 3), and added variance (1/N^2) sum of (1 - p_i)/p_i."""
        there = self.summary.shares[self.summary.shares > 0]
        mean, variance = ("mifa.alg.is", "mifa.alg.is.variance")
        return {"unbiased": {"mean_weight": 1 / self.log.num_clients, "basis": basis_of(known.get(mean)).value, "claim": mean,
                             "says": "mean weight of every client that came, over this log"},
                "variance": {"added_variance": float(((1 - there) / there).sum() / self.log.num_clients**2),
                             "basis": basis_of(known.get(variance)).value, "claim": variance,
                             "says": "added variance, for coin flips with the log's shares, in units of the squared update of a client"}}

    @property
    def recommendation(self) -> str:
        """What to do, in two or three sentences."""
        fair = [p for p in self.predictions if not p.method.startswith(BIASED)]
        best = fair[0] if self.bias > LITTLE and fair[0].rounds is not None else self.predictions[0]
        if best.rounds is None:
            return (f"No method reaches the target {float(self.task.target):.3g} of the initial gap on this log; "
                    f"{best.method} comes closest, to {best.floor:.3g}. Raise the target, lower the noise or run for longer.")
        absent = int((self.summary.rounds_there == 0).sum())
        missing = f"{absent} of {self.log.num_clients} clients never came, and no method learns from them. " if absent else ""
        heard = f"Plain FedAvg would give {100 * self.bias:.0f} % of the influence to the wrong clients. " if self.bias > LITTLE else ""
        first = self.predictions[0]
        sooner = (f"{first.method} would be there after {_after(first)}, but leans towards clients that are heard often. "
                  if first.method != best.method and first.method.startswith(BIASED) else "")
        return (f"{missing}{heard}Use {best.method} with step size {best.step_size:.3g}: it stays below the target after {_after(best)} "
                f"({best.basis.value}). {sooner}{self._safety(best)}The weights file makes any weighted aggregation fair on this log.")

    def _safety(self, best: Prediction) -> str:
        """What is certified of the best method at its step size."""
        for g in self.guarantees:
            if g.method == best.method:
                after = f"over {g.rounds} rounds of {', '.join(g.clients)} from round {g.first_round} on, without noise"
                if g.bound <= 1:
                    return f"Certified for all losses with these curvatures: {after}, at most {float(g.bound):.3g} of the gap is left. "
                return (f"With this step size losses with these curvatures may first grow: {after}, a gap of {float(g.bound):.3g} times "
                        "the first is all that is certified; begin with half of the step size if you cannot afford that. ")
        return ""


def _after(prediction: Prediction) -> str:
    if prediction.seconds is None:
        return f"{prediction.rounds} rounds"
    return f"{prediction.seconds:.4g} s ({prediction.rounds} updates)"


def _theorem(reading: Reading, known: Mapping[str, Verdict]) -> dict[str, Any]:
    conditions = [{"says": c.says, "holds": c.holds, "where": c.where} for c in reading.conditions]
    return {"claim": reading.claim, "ledger": known.get(reading.claim, Verdict.UNDECIDED).name, "method": reading.method,
            "applies": reading.applies, "step_size": reading.step_size, "basis": basis_of(known.get(reading.claim)).value,
            "conditions": conditions}


def _numbers(basis: Basis, values: Mapping[str, Any]) -> dict[str, Any]:
    return {**values, "basis": basis.value}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
