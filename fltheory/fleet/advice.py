"""Advice for a fleet: statistics, applicable theorems, FedAvg's bias, predictions, fair weights."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.extras import available, hint
from fltheory.core.results import Table, as_dict, as_html, as_text
from fltheory.core.types import FloatArray, Json
from fltheory.fleet.certified import Guarantee, guarantees
from fltheory.fleet.clocked import predict_clocked
from fltheory.fleet.conditions import Reading
from fltheory.fleet.log import FleetLog
from fltheory.fleet.plans import predict
from fltheory.fleet.predict import Prediction, run_rounds
from fltheory.fleet.recommend import BIASED, LITTLE, Choice, after
from fltheory.fleet.report import (
    InputRow,
    Report,
    absence_rows,
    availability_numbers,
    bias_row,
    fairness,
    guarantee_rows,
    prediction_rows,
    theorem_rows,
)
from fltheory.fleet.setting import MEANINGS, LearningTask
from fltheory.fleet.summary import Summary
from fltheory.fleet.tables import advice_tables
from fltheory.fleet.theorems import read_theorems
from fltheory.fleet.waiting import waiting
from fltheory.ledger.lines import verdicts
from fltheory.ledger.runner import recorded


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """All that is said about one log.

    `given` names the constants of MEANINGS that the user gave; the others are assumed. `watch` is
    told what is being computed.
    """

    log: FleetLog
    task: LearningTask
    given: frozenset[str] = frozenset()
    weights_file: str | None = None
    watch: Callable[[str], None] = lambda says: None

    def __post_init__(self) -> None:
        if not len(self.log.begins):
            raise InvalidInput("log", "have a client that is available in some round", "none")

    @cached_property
    def summary(self) -> Summary:
        return Summary(self.log)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        return read_theorems(self.summary, self.task)

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """Fastest first; methods that never reach the target come last, by their floor."""
        made = predict if self.log.deliveries is None else predict_clocked
        found = made(self.summary, self.task, watch=self.watch)
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
        return guarantees(self.summary, self.task, self.predictions, watch=self.watch)

    @cached_property
    def choice(self) -> Choice:
        return Choice(self.predictions, self.readings, self.guarantees, self.bias)

    @cached_property
    def shares(self) -> FloatArray:
        """The share of rounds (of windows, if FedFix is recommended) in which each client counts.

        Deliveries count at their mean rates, as in the predictions: a client that was logged for a
        shorter time has fewer deliveries in the log, but not in the long run.
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
    def fair_weights(self) -> FloatArray:
        """Weights 1/(N share) for the N clients that came, NaN for the others.

        The mean weight of each of the N clients over the log is then 1/N.
        """
        with np.errstate(divide="ignore"):
            weights = 1 / (self.summary.num_heard * self.shares)
        return np.where(self.shares > 0, weights, math.nan)

    @property
    def bias(self) -> float:
        """Share of influence that FedAvg gives to the wrong clients: half the sum of |w_i - 1/N|
        over its long-run weights w_i."""
        return float(np.abs(self.summary.fedavg_weights - 1 / self.log.num_clients).sum() / 2)

    def to_json(self) -> Report:
        """The whole advice as plain data, each number with its evidence."""
        known = verdicts(recorded())
        best = self.choice.best
        return {
            "inputs": self.inputs,
            "recommendation": self.recommendation,
            "recommended": {"method": best.method, "supports": self.choice.support(best)},
            "log": {
                "clients": self.log.num_clients,
                "rounds": self.log.num_rounds,
                "round_seconds": self.log.round_seconds,
                "deliveries": self.log.deliveries is not None,
                "horizon": self.horizon,
            },
            "availability": availability_numbers(self.summary),
            "longest_absences": absence_rows(self.summary),
            "fedavg_bias": bias_row(self.summary, self.bias),
            "fair_weights": fairness(self.summary, known),
            "waiting": waiting(self.summary),
            "theorems": theorem_rows(self.readings, known),
            "predictions": prediction_rows(self.predictions, self.task),
            "guarantees": guarantee_rows(self.guarantees, self.task),
        }

    @property
    def not_computed(self) -> str:
        """A sentence on what is left out for want of an extra, empty if nothing is."""
        if available("worst-case"):
            return ""
        return f"bounds for all losses are not computed: {hint('worst-case')}"

    def to_dict(self) -> Json:
        return as_dict(self.to_json())

    def tables(self) -> list[Table]:
        return advice_tables(self.to_json())

    __repr__ = as_text
    _repr_html_ = as_html

    @property
    def recommendation(self) -> str:
        """What to do, followed by one line each for its support, its alternatives and the
        assumptions."""
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
        # No warning of bias where there is none.
        harmless = best.method.startswith(BIASED) and self.bias <= LITTLE
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
                f"{first.method} would reach the target after {after(first)}, but favours clients"
                " that are heard often."
            )
        lines += self._weights(best)
        if assumed := [
            one["name"].replace("_", " ") for one in self.inputs if one["source"] == "assumed"
        ]:
            lines.append(
                f"Assumed, not given: {', '.join(assumed)}. Other values give other numbers and"
                " possibly another method."
            )
        return "\n".join(lines)

    def _told(self, name: str) -> str:
        """A constant, marked if it was assumed."""
        return f"{getattr(self.task, name)}{'' if name in self.given else ' (assumed, not given)'}"

    def _weights(self, best: Prediction) -> list[str]:
        """Where to find the weights for the arrivals."""
        if best.method.startswith("FedBuff"):
            return [
                "Its weights divide by the share of buffers that contain a client, which no log"
                " shows: count them during training."
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
    def inputs(self) -> list[InputRow]:
        """The constants behind all numbers, and whether they were given, assumed or logged."""
        found: list[InputRow] = [
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
        """How predictions use a log that is shorter or longer than their runs."""
        rounds = self.log.num_rounds
        if self.log.deliveries is not None:
            return (
                "Each client takes its logged times in order and starts again with the first when"
                " they are used up."
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
