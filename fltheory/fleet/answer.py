"""The answer: what to do first, and the rows that tell it as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fltheory.fleet.answer_rows import CappingRow, ProofRow, RecommendedRow, RobustnessRow
from fltheory.fleet.formulas import FORMULAS
from fltheory.fleet.log import FleetLog
from fltheory.fleet.predict import Prediction
from fltheory.fleet.proofs import StepProof, unproved
from fltheory.fleet.recommend import BIASED, LITTLE, Choice, after
from fltheory.fleet.report import InputRow
from fltheory.fleet.setting import Basis, LearningTask
from fltheory.fleet.summary import Summary
from fltheory.fleet.words import counted


class Advised(Protocol):
    """What the answer is made of: `fltheory.fleet.advice.Advice`."""

    @property
    def log(self) -> FleetLog: ...
    @property
    def task(self) -> LearningTask: ...
    @property
    def tasks(self) -> Sequence[LearningTask]: ...
    @property
    def weights_file(self) -> str | None: ...
    @property
    def summary(self) -> Summary: ...
    @property
    def predictions(self) -> tuple[Prediction, ...]: ...
    @property
    def choice(self) -> Choice: ...
    @property
    def proof(self) -> StepProof | None: ...
    @property
    def capping(self) -> CappingRow: ...
    @property
    def bias(self) -> float: ...
    @property
    def inputs(self) -> list[InputRow]: ...
    def told(self, name: str) -> str: ...


WEIGHTED_MEMBERS = ("importance-sampling", "async", "fedfix", "fedbuff")
"""Members of predictions whose weights divide by shares."""


@dataclass(frozen=True)
class AdviceInWords:
    """The answer in sentences: what to do, how sure the choice is, and what is proved of it."""

    act: tuple[str, ...]
    sure: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All sentences, most important first."""
        return self.act + self.sure + self.proved


def answer(advice: Advised) -> AdviceInWords:
    """The answer, most important first in each part."""
    choice, best = advice.choice, advice.choice.best
    target = f"the target {advice.told('target')}"
    if not choice.candidates:
        none = (
            f"No method reaches {target} of the initial gap on this log; {best.method} comes"
            f" closest, to {best.floor:.3g}. Raise the target, lower the noise or run for longer."
        )
        return AdviceInWords((none,))
    step = advice.task.told_step(float(best.steps[best.column]))
    absent = advice.log.num_clients - advice.summary.num_heard
    missing = (
        f"{absent} of {advice.log.num_clients} clients never came, and no method learns from them. "
        if absent
        else ""
    )
    how = "" if best.member in BIASED or not best.says else f" ({best.says})"
    reached = after(best, best.column)
    stays = (
        f"it stays below {target} after {reached}"
        if reached != "never"
        else f"it reaches {target} for most settings of the constants, but not for the first one"
    )
    buffer = f" of {best.buffer} deliveries" if best.buffer is not None else ""
    use = (
        f"{missing}Use {best.method}{buffer}{how} with step size {step}, where L is"
        f" {advice.told('smoothness')}: {stays} ({best.basis.value})." + _spread(advice)
    )
    update = f"The update: {FORMULAS[best.member].words}."
    return AdviceInWords(
        (use, *_fedavg(advice), update, *_weights(advice)),
        (*choice.robustness(), *_sooner(advice), *_assumed(advice)),
        (*filter(None, [_proof(advice)]), *choice.reasons()),
    )


def _spread(advice: Advised) -> str:
    """The range of times over the settings."""
    best, count = advice.choice.best, len(advice.tasks)
    reached = _reached(best, best.column)
    if count == 1 or not reached:
        return ""
    missed = count - len(reached)
    run = round(best.num_rounds * best.per_round)
    tail = f", not within {counted(run, best.unit)} in {missed} of them" if missed else ""
    told = f" Over {count} settings of the assumed constants: {_span(reached, best)}{tail}."
    surest = max(range(len(best.steps)), key=lambda column: len(_reached(best, column)))
    more = _reached(best, surest)
    if len(more) > len(reached):
        step = advice.task.told_step(float(best.steps[surest]))
        told += f" Step size {step} gets there in {len(more)} of them ({_span(more, best)})."
    return told


def _reached(prediction: Prediction, column: int) -> list[int]:
    """The times to the target at a step size, in increasing order, of the settings in which it is
    reached."""
    times = (prediction.rounds_at(column, row) for row in range(len(prediction.times)))
    return sorted(time for time in times if time is not None)


def _span(times: list[int], prediction: Prediction) -> str:
    return f"{times[0]} to {counted(times[-1], prediction.unit)}"


def _fedavg(advice: Advised) -> list[str]:
    """What plain FedAvg would do on this log, and by how much it is worse."""
    plain = next((p for p in advice.predictions if p.member == "fedavg"), None)
    if advice.bias <= LITTLE:
        return []
    told = (
        f"Plain FedAvg would give {100 * advice.bias:.0f} % of the influence to the wrong clients"
    )
    if plain is None:
        return [told + "."]
    if plain.rounds is None:
        return [f"{told}: its gap never falls below {plain.floor:.3g} of the initial one."]
    rounds = advice.choice.best.rounds_at(advice.choice.best.column)
    times = f", {plain.rounds / rounds:.1f} times as many" if rounds else ""
    return [f"{told} and needs {counted(plain.rounds)}{times}, with a smaller step size."]


def _weights(advice: Advised) -> list[str]:
    """Where the weights are, and what the cap costs."""
    best, found = advice.choice.best, []
    formula = FORMULAS[best.member]
    if formula.weights:
        place = (
            f"The weights in {advice.weights_file} are"
            if advice.weights_file is not None
            else "The option --weights FILE writes its weights,"
        )
        found.append(f"{place} {formula.weights}; they belong to {best.method} alone.")
    capping = advice.capping
    if capping["clients"]:
        times = f"{capping['most_times']:.0f}"
        found.append(
            f"The weights of {counted(capping['clients'], 'clients')} that come more than {times}"
            f" times as rarely as the most frequent one are capped at {times} times its weight (for"
            f" equal importance): this misplaces {capping['misplaced_influence']:.1%} of the"
            " influence, a bias that stays."
        )
    return found


def _proof(advice: Advised) -> str:
    """The proved step size, and what it costs."""
    proof = advice.proof
    if proof is None:
        return unproved(advice.summary)
    one = next(p for p in advice.predictions if p.method == proof.method)
    step = advice.task.told_step(float(proof.step_size))
    where = (
        "the certificate is in the JSON report, and --certificate FILE writes it"
        if proof.certificate is not None
        else f"claim {proof.claim}, PROVED"
    )
    same = proof.method == advice.choice.best.method and proof.column == advice.choice.best.column
    begin = (
        "This step size is"
        if same
        else f"If you want a guarantee, use {proof.method} with step size {step}: it is"
    )
    cost = "" if same else f" Predicted: {after(one, proof.column)}."
    mean = "" if proof.measured else " in the mean square"
    return (
        f"{begin} proved to be stable{mean} for all rounds, all numbers of clients, all losses with"
        f" these curvatures and every log in which {proof.language} ({where}).{cost}"
    )


def _sooner(advice: Advised) -> list[str]:
    """A faster method that is not recommended because it is biased."""
    first = advice.predictions[0]
    if first in advice.choice.candidates or first.rounds is None:
        return []
    return [
        f"{first.method} would reach the target after {after(first, first.column)}, but favours"
        " clients that are heard often."
    ]


def _assumed(advice: Advised) -> list[str]:
    names = [one["name"].replace("_", " ") for one in advice.inputs if one["source"] == "assumed"]
    return [f"Assumed, not given: {', '.join(names)}."] if names else []


def recommended_row(advice: Advised) -> RecommendedRow:
    """The recommended method as data."""
    choice, best = advice.choice, advice.choice.best
    step = float(best.steps[best.column])
    formula = FORMULAS[best.member]
    return {
        "method": best.method,
        "member": best.member,
        "supports": choice.support(best),
        "step_size": step,
        "step_size_times_smoothness": step * float(advice.task.smoothness),
        "rounds": best.rounds_at(best.column),
        "seconds": best.seconds_at(best.column),
        "unit": best.unit,
        "window": best.window,
        "buffer": best.buffer,
        "update": formula.words,
        "python": list(formula.python),
        "weights": formula.weights,
        "basis": best.basis.value,
    }


def robustness_rows(choice: Choice) -> list[RobustnessRow]:
    """Candidates by their mean factor on the least time."""
    if not choice.candidates:
        return []
    means = np.exp(np.log(choice.regrets).mean(axis=0))
    return [
        {
            "method": choice.candidates[k].method,
            "settings": len(choice.tasks),
            "fastest": choice.wins(choice.candidates[k])[0],
            "nearly_fastest": choice.wins(choice.candidates[k])[1],
            "mean_factor": float(means[k]),
            "worst_factor": float(choice.regrets[:, k].max()),
            "basis": Basis.STAND_IN.value,
        }
        for k in np.argsort(means, kind="stable")
    ]


def proof_row(advice: Advised) -> ProofRow | None:
    """The proved step size as data."""
    proof = advice.proof
    if proof is None:
        return None
    one = next(p for p in advice.predictions if p.method == proof.method)
    same = proof.method == advice.choice.best.method and proof.column == advice.choice.best.column
    return {
        "method": proof.method,
        "step_size": str(proof.step_size),
        "step_size_times_smoothness": str(proof.step_size * advice.task.smoothness),
        "language": proof.language,
        "says": proof.says,
        "rounds": one.rounds_at(proof.column),
        "recommended_step": same,
        "claim": proof.claim,
        "basis": Basis.FOREVER.value,
        "certificate": proof.certificate,
    }
