"""Conclusions of an attack that refuted nothing: evidence and the sentences of its note."""

import re

from fltheory.attacks.contradictions import contradiction
from fltheory.attacks.decide import told_ratio
from fltheory.attacks.moves import State
from fltheory.attacks.orders import GROWS
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.meaning import ONLY_OF_RUNS
from fltheory.claims.measures import MEASURES
from fltheory.claims.spaces.scoring import ratio_of
from fltheory.claims.spaces.space import without_meaning
from fltheory.core.enclosure import shown
from fltheory.core.words import counted
from fltheory.papers import paper_spaces

NOT_MADE, REASON_LENGTH = "cannot be made: ", 80
"""The beginning of a reason why an instance could not be made, and the number of characters of a
reason that fltheory.attacks.moves keeps."""


def supported(claim: Claim, state: State, covers: str, instance: Instance) -> Evidence:
    """The evidence of an attack without a contradiction; `instance` came closest to one."""
    assert state.best is not None
    score = state.best[1].score
    doubts = f"; {told}" if (told := told_doubts(claim, state)) else ""
    if isinstance(claim.statement, Order):
        grows, doubtful = score > GROWS, score > GROWS and state.undecided > 0
        limit = (
            "whose limit is not known"
            if doubtful
            else "which has no infinite limit"
            if grows
            else "which counts as no growth"
        )
        note = (
            f"{counted(state.instances, 'path')} tried; left/right grows like scale^{score:.3g}"
            f" along the fastest, {limit}{doubts}"
        )
        return Evidence(
            claim.id,
            Method.ATTACK,
            Verdict.UNDECIDED if doubtful else Verdict.SUPPORTED,
            covers,
            note=note,
        )
    left, right = (
        shown(evaluate(side, instance.values))
        for side in (claim.statement.left, claim.statement.right)
    )
    note = f"{counted(state.instances, 'instance')} tried, best ratio {ratio_of(score):.6g}{doubts}"
    verdict = (
        Verdict.UNDECIDED
        if state.undecided == state.instances - state.untold
        else Verdict.SUPPORTED
    )
    return Evidence(
        claim.id, Method.ATTACK, verdict, covers, left, right, told_ratio(claim, instance), note
    )


def nothing_admissible(claim: Claim, state: State, covers: str) -> Evidence:
    """The evidence of an attack without any admissible draw: VACUOUS if the printed conditions
    provably contradict each other, else UNDECIDED."""
    shown_why = contradiction(claim)
    if shown_why:
        return Evidence(claim.id, Method.ATTACK, Verdict.VACUOUS, covers, note=shown_why)
    reasons = "; ".join(f"{reason} ({count})" for reason, count in told_reasons(claim, state)[:4])
    return undecided(
        claim,
        covers,
        f"no admissible instance in {counted(state.tries, 'attempt')}; assumptions that failed:"
        f" {reasons}",
    )


def told_doubts(claim: Claim, state: State) -> str:
    """How many of the admissible instances, or paths, are uninformative, and how many were not
    decided."""
    untold = f"in {state.untold} of them a side had no value or both were 0" if state.untold else ""
    close = f"{counted(state.undecided, 'comparison')} too close to decide"
    if isinstance(claim.statement, Order):
        close = f"the limit along {state.undecided} of them is not known"
    return "; ".join(told for told in (untold, close if state.undecided else "") if told)


def told_reasons(claim: Claim, state: State) -> list[tuple[str, int]]:
    """The reasons why draws were rejected, with their counts, the most frequent first; conditions
    are quoted in their own words.

    The rejected value is left out, so that equal reasons are counted together; so is a word that
    was cut off.
    """
    texts = sorted(((a.id, a.says) for a in claim.assumes), key=lambda pair: -len(pair[0]))
    found: dict[str, int] = {}
    for reason, count in state.rejected.items():
        told = (
            f"{reason.rpartition(' ')[0]} ..."
            if reason.startswith(NOT_MADE) and len(reason) >= REASON_LENGTH
            else reason
        )
        told = re.sub(r", got?\b.*$|, \.\.\.$", "", told.removeprefix(NOT_MADE))
        for name, says in texts:
            told = told.replace(name, says)
        found[told] = found.get(told, 0) + count
    return sorted(found.items(), key=lambda item: -item[1])


def undecided(claim: Claim, covers: str, note: str) -> Evidence:
    """Evidence that decides nothing; the note says why."""
    return Evidence(claim.id, Method.ATTACK, Verdict.UNDECIDED, covers, note=note)


def no_meaning(claim: Claim) -> str:
    """Why no space serves the claim: symbols that no space knows; else those that need a run; else
    those that no space of this claim knows."""
    everywhere = frozenset[str]().union(*(space.symbols for space in paper_spaces()), MEASURES)
    unknown = sorted({symbol.name for symbol in claim.symbols} - everywhere)
    if unknown:
        return f"no space gives a meaning to {', '.join(unknown)}"
    shown = sorted({symbol.name for symbol in claim.symbols} & ONLY_OF_RUNS)
    if shown and not claim.about:
        return (
            f"only a run gives a value to {', '.join(shown)}: name the algorithms of the claim in"
            " its `about`"
        )
    missing = without_meaning(claim, paper_spaces())
    return (
        f"no space of this claim gives a value to {', '.join(missing)}"
        if missing
        else "no space gives a value to all its symbols"
    )
