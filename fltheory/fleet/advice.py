"""Advice for a fleet: statistics, applicable theorems, FedAvg's bias, predictions, fair weights."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import available, hint
from fltheory.core.results import Table, as_dict, as_html, as_text
from fltheory.core.types import FloatArray, Json
from fltheory.fleet.answer import (
    WEIGHTED_MEMBERS,
    AdviceInWords,
    answer,
    proof_row,
    recommended_row,
    robustness_rows,
)
from fltheory.fleet.answer_rows import CappingRow
from fltheory.fleet.certified import Guarantee, guarantees
from fltheory.fleet.clocked import predict_clocked
from fltheory.fleet.conditions import Reading
from fltheory.fleet.curve_rows import curve_rows
from fltheory.fleet.fair import MOST_TIMES, capped, misplaced
from fltheory.fleet.log import FleetLog
from fltheory.fleet.plans import predict
from fltheory.fleet.predict import Prediction, run_rounds
from fltheory.fleet.proofs import StepProof, prove_step
from fltheory.fleet.ranges import plausible
from fltheory.fleet.recommend import Choice
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

ABOUT_STEPS = 17
"""How often `watch` is told something for one log, more or less."""


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
    def tasks(self) -> tuple[LearningTask, ...]:
        """The task, and the other settings of the constants that were not given."""
        return plausible(self.task, self.given)

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """Fastest first; methods that never reach the target come last, by their floor."""
        made = predict if self.log.deliveries is None else predict_clocked
        found = made(self.summary, self.tasks, watch=self.watch)
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
    def known(self) -> dict[str, Verdict]:
        """The verdicts of the ledger."""
        return verdicts(recorded())

    @cached_property
    def choice(self) -> Choice:
        return Choice(
            self.predictions, self.readings, self.guarantees, self.bias, self.tasks, self.known
        )

    @cached_property
    def proof(self) -> StepProof | None:
        """A proved step size of the recommended method, or of the best one that has one."""
        order = (self.choice.best, *self.choice.candidates)
        column = self.choice.best.column
        return prove_step(self.summary, self.task, order, column, self.known, watch=self.watch)

    @cached_property
    def shares(self) -> FloatArray:
        """The share of rounds (of windows for FedFix, of buffers for FedBuff) in which each client
        counts.

        Deliveries count at their mean rates, as in the predictions: a client that was logged for a
        shorter time has fewer deliveries in the log, but not in the long run.
        """
        best, deliveries = self.choice.best, self.log.deliveries
        if best.buffer is not None:
            return Summary(self.log.windowed(best.buffer)).shares
        if deliveries is not None:
            return (
                deliveries.shares_of_arrivals
                if best.window is None
                else deliveries.shares_of_windows(best.window)
            )
        if best.window is None:
            return self.summary.shares
        return Summary(self.log.windowed(int(best.window))).shares

    @cached_property
    def wanted(self) -> FloatArray:
        """The influence that each client that came should have; 0 for the others."""
        held = np.where(self.summary.rounds_there > 0, self.log.wanted, 0.0)
        found: FloatArray = held / held.sum()
        return found

    @cached_property
    def weights(self) -> FloatArray:
        """The weights of the recommended method: the importance divided by the share, up to a cap;
        the importance itself for a method with memory, or one that has no weights. NaN for clients
        that never came."""
        divides = self.choice.best.member in WEIGHTED_MEMBERS
        found = capped(self.wanted, self.shares) if divides else self.wanted
        return np.where(self.summary.rounds_there > 0, found, math.nan)

    @cached_property
    def capping(self) -> CappingRow:
        """How many weights are capped, and the part of the influence that this misplaces."""
        if self.choice.best.member not in WEIGHTED_MEMBERS:
            return {"clients": 0, "misplaced_influence": 0.0, "most_times": MOST_TIMES}
        there = (self.shares > 0) & (self.shares < self.shares.max() / MOST_TIMES)
        influence = capped(self.wanted, self.shares) * self.shares
        return {
            "clients": int(there.sum()),
            "misplaced_influence": misplaced(self.wanted, influence),
            "most_times": MOST_TIMES,
        }

    @property
    def bias(self) -> float:
        """Share of influence that FedAvg gives to the wrong clients: half the sum of |w_i - p_i|
        over its long-run weights w_i and the importances p_i."""
        return float(np.abs(self.summary.fedavg_weights - self.log.wanted).sum() / 2)

    def to_json(self) -> Report:
        """The whole advice as plain data, each number with its evidence."""
        known = self.known
        return {
            "inputs": self.inputs,
            "recommendation": self.recommendation,
            "recommended": recommended_row(self),
            "robustness": robustness_rows(self.choice),
            "capping": self.capping,
            "proof": proof_row(self),
            "curves": curve_rows(self.predictions, self.choice.best),
            "log": {
                "clients": self.log.num_clients,
                "rounds": self.log.num_rounds,
                "round_seconds": self.log.round_seconds,
                "deliveries": self.log.deliveries is not None,
                "horizon": self.horizon,
                "notes": list(self.log.notes),
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

    @cached_property
    def answer(self) -> AdviceInWords:
        """What to do, how sure the choice is, and what is proved of it."""
        return answer(self)

    @property
    def recommendation(self) -> str:
        """The sentences of the answer, one a line, most important first."""
        return "\n".join(self.answer.lines)

    def told(self, name: str) -> str:
        """A constant, marked if it was assumed."""
        return f"{getattr(self.task, name)}{'' if name in self.given else ' (assumed, not given)'}"

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
