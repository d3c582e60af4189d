"""Attack: search the spaces that serve a claim, decide exactly, shrink; the same (claim, seed,
attempts) give the same outcome."""

import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fltheory.attacks.conditions import OUTCOMES, free_symbols
from fltheory.attacks.contradictions import contradiction
from fltheory.attacks.decide import refutation, told_ratio
from fltheory.attacks.minimize.shrink import shrink
from fltheory.attacks.minimize.simpler_runs import chosen_size, simplest
from fltheory.attacks.minimize.size import CounterexampleSize
from fltheory.attacks.minimize.smallest import drawn_size, lightened, smallest
from fltheory.attacks.moves import Shrunk, State, redrawn, still_contradicts
from fltheory.attacks.orders import GROWS, decide_path
from fltheory.attacks.strategies import KINDS, advanced, steered_spaces
from fltheory.attacks.suggest import suggestions
from fltheory.attacks.worst import WORST
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.measures import MEASURES
from fltheory.claims.spaces.runs import RUNS, runs
from fltheory.claims.spaces.scoring import ratio_of
from fltheory.claims.spaces.space import Space, without_meaning
from fltheory.core.enclosure import shown
from fltheory.core.errors import InvalidInput
from fltheory.core.words import counted
from fltheory.papers import paper_spaces

ATTEMPTS = 400
"""Attempts of an attack unless told otherwise."""

NOT_MADE, KEPT = "cannot be made: ", 80
"""How the reason begins where an instance could not be made, and how many of its characters
fltheory.attacks.moves keeps."""

Tell = Callable[[Claim, State], None]


@dataclass(frozen=True)
class Attack:
    """What an attack tried and found; `instance` is the shrunk counterexample, or the instance that
    came closest to one."""

    claim: Claim
    seed: int
    spaces: tuple[Space, ...]
    state: State
    evidence: Evidence
    instance: Instance | None = None
    looks: int = 0
    seconds: float = 0.0
    size: CounterexampleSize | None = None

    @property
    def refuted(self) -> bool:
        return self.evidence.verdict is Verdict.REFUTED

    @cached_property
    def suggestions(self) -> tuple[str, ...]:
        """What would make the claim true on everything tried; drawn when asked for."""
        if not self.refuted or self.instance is None:
            return ()
        drawn = [
            space for space in self.spaces if space.id != WORST
        ]  # a worst function takes seconds to find, and is no typical one
        first = self.state.broken  # often farther from the claim than the shrunk one
        broke = (
            [self.instance]
            if first is None
            else [self.instance, redrawn(self.claim, self.spaces, first)]
        )
        return tuple(suggestions(self.claim, drawn, seed=self.seed, extra=broke))


def spaces_for(claim: Claim) -> tuple[Space, ...]:
    """Every space that gives a value to all symbols of the claim: those of the papers, then whole
    runs, then free symbols."""
    built_in = [space for space in (runs(claim), free_symbols(claim)) if space is not None]
    return tuple(space for space in (*paper_spaces(), *built_in) if space.serves(claim))


def attack(
    claim: Claim,
    *,
    seed: int = 0,
    attempts: int = ATTEMPTS,
    seconds: float | None = None,
    spaces: Sequence[Space] | None = None,
    state: State | None = None,
    tell: Tell = lambda claim, state: None,
    kinds: Collection[str] = KINDS,
) -> Attack:
    """Try to break a claim; `state` goes on where another attack with the same seed stopped,
    `kinds` are the ways to search beside draws.

    Ends at the first exact contradiction, after `attempts`, or after `seconds` of processor time;
    only the last makes the outcome depend on the machine, and the attempts done are told.
    """
    if attempts < 1:
        raise InvalidInput("attempts", "be at least 1", attempts)
    if seconds is not None and not seconds > 0:
        raise InvalidInput("seconds", "be above 0", seconds)
    started = time.process_time()
    serving = (
        tuple(spaces) if spaces is not None else (*spaces_for(claim), *steered_spaces(claim, kinds))
    )
    now = state or State()
    if serving:
        while now.broken is None and now.tries < attempts:
            now = advanced(claim, serving, now, seed=seed, kinds=kinds)
            tell(claim, now)
            if seconds is not None and time.process_time() - started > seconds:
                break
    found = _concluded(claim, seed, serving, now)
    return replace(found, seconds=time.process_time() - started)


def _concluded(claim: Claim, seed: int, spaces: tuple[Space, ...], state: State) -> Attack:
    if not spaces:
        return Attack(
            claim, seed, spaces, state, _undecided(claim, "nothing was tried", _no_meaning(claim))
        )
    covers = (
        f"seed {seed}, {counted(state.tries, 'attempt')} in"
        f" {', '.join(space.id for space in spaces)}"
    )
    if state.broken is not None:
        return _broken(claim, seed, spaces, state, covers)
    if not state.instances:
        return Attack(claim, seed, spaces, state, _empty(claim, state, covers))
    best = state.best
    if best is None:
        return Attack(
            claim,
            seed,
            spaces,
            state,
            _undecided(
                claim,
                covers,
                "both sides were 0, or one had no value, in all "
                f"{counted(state.instances, 'instance')}",
            ),
        )
    instance = redrawn(claim, spaces, (best[0], best[1].taken))
    return Attack(claim, seed, spaces, state, _supported(claim, state, covers, instance), instance)


def _shrunk(claim: Claim, spaces: tuple[Space, ...], state: State, seed: int) -> Shrunk:
    """The smallest contradiction that can be found from the one that broke the claim."""
    assert state.broken is not None
    space = next(space for space in spaces if space.id == state.broken[0])
    choices, looks = shrink(state.broken[1], still_contradicts(claim, space))
    if not isinstance(claim.statement, Order):
        lighter = smallest(claim, spaces, (space, choices), seed=seed)
        if lighter != (space, choices):
            space, choices = lighter[0], lightened(claim, lighter, most=looks // 4)
    return space.id, choices, looks


def _broken(
    claim: Claim, seed: int, spaces: tuple[Space, ...], state: State, covers: str
) -> Attack:
    shrunk = state.shrunk or _shrunk(claim, spaces, state, seed)
    state = replace(state, shrunk=shrunk)
    space, choices, looks = (
        next(space for space in spaces if space.id == shrunk[0]),
        shrunk[1],
        shrunk[2],
    )
    instance = redrawn(claim, [space], (space.id, choices))
    size = None if isinstance(claim.statement, Order) else drawn_size(claim, (space, choices))
    if size is not None and space.id in (RUNS, WORST):
        drawn = instance
        instance, more = simplest(claim, drawn)
        looks, size = looks + more, size if instance is drawn else chosen_size(claim, instance)
    place = f"{covers}; found in attempt {state.tries}, shrunk in {counted(looks, 'look')}"
    if isinstance(claim.statement, Order):
        evidence = decide_path(claim, instance, covers=place)
        if evidence.verdict is not Verdict.REFUTED:
            raise InvalidInput(
                f"path that refutes {claim.id}", "do so when it is drawn again", instance.says
            )
    else:
        evidence = refutation(claim, instance, covers=place)
    return Attack(claim, seed, spaces, state, evidence, instance, looks, size=size)


def _supported(claim: Claim, state: State, covers: str, instance: Instance) -> Evidence:
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


def _empty(claim: Claim, state: State, covers: str) -> Evidence:
    """Nothing admissible was drawn: VACUOUS if printed conditions are shown to contradict each
    other, else not decided."""
    shown_why = contradiction(claim)
    if shown_why:
        return Evidence(claim.id, Method.ATTACK, Verdict.VACUOUS, covers, note=shown_why)
    reasons = "; ".join(f"{reason} ({count})" for reason, count in told_reasons(claim, state)[:4])
    return _undecided(
        claim,
        covers,
        f"no admissible instance in {counted(state.tries, 'attempt')}; assumptions that failed:"
        f" {reasons}",
    )


def told_doubts(claim: Claim, state: State) -> str:
    """How many of the admissible instances, or paths, say nothing about the claim, and how many
    were not decided."""
    untold = f"in {state.untold} of them a side had no value or both were 0" if state.untold else ""
    close = f"{counted(state.undecided, 'comparison')} too close to decide"
    if isinstance(claim.statement, Order):
        close = f"the limit along {state.undecided} of them is not known"
    return "; ".join(told for told in (untold, close if state.undecided else "") if told)


def told_reasons(claim: Claim, state: State) -> list[tuple[str, int]]:
    """Why draws were not admissible, and how many for each reason, most of them first; conditions
    in their own words.

    What was got instead is left out, so that the same reason is told once; a word that was cut is
    left out too.
    """
    texts = sorted(((a.id, a.says) for a in claim.assumes), key=lambda pair: -len(pair[0]))
    found: dict[str, int] = {}
    for reason, count in state.rejected.items():
        told = (
            f"{reason.rpartition(' ')[0]} ..."
            if reason.startswith(NOT_MADE) and len(reason) >= KEPT
            else reason
        )
        told = re.sub(r", got?\b.*$|, \.\.\.$", "", told.removeprefix(NOT_MADE))
        for name, says in texts:
            told = told.replace(name, says)
        found[told] = found.get(told, 0) + count
    return sorted(found.items(), key=lambda item: -item[1])


def _undecided(claim: Claim, covers: str, note: str) -> Evidence:
    return Evidence(claim.id, Method.ATTACK, Verdict.UNDECIDED, covers, note=note)


def _no_meaning(claim: Claim) -> str:
    """Which symbols no space knows at all; else those that need a run; else those that no space of
    this claim knows."""
    everywhere = frozenset[str]().union(*(space.symbols for space in paper_spaces()), MEASURES)
    unknown = sorted({symbol.name for symbol in claim.symbols} - everywhere)
    if unknown:
        return f"no space gives a meaning to {', '.join(unknown)}"
    shown = sorted({symbol.name for symbol in claim.symbols} & OUTCOMES)
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
