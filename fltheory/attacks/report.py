"""The report of an attack, for a reader who knows the paper but not the tool."""

import math
from textwrap import fill

import fltheory.algorithms
from fltheory.attacks.bounds import told_bounds
from fltheory.attacks.conclusions import told_doubts, told_reasons
from fltheory.attacks.decide import drawn_from, told_factor, where
from fltheory.attacks.describe import told_run
from fltheory.attacks.entries import AttackEntry
from fltheory.attacks.orders import told_path
from fltheory.attacks.search import Attack, is_order_of_runs
from fltheory.attacks.seen import told_seen
from fltheory.attacks.snippet import snippet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import NOTHING
from fltheory.claims.claim import Claim, Order, named_statement
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.scoring import ratio_of
from fltheory.claims.spaces.space import Space
from fltheory.claims.spaces.wide import WIDE
from fltheory.core.registry import find_member, is_own
from fltheory.core.words import counted
from fltheory.engine.traits import NOT_REPLAYED_ALONE
from fltheory.ledger.counterexamples import CounterexampleFile, to_file
from fltheory.ledger.meanings import derived_alone
from fltheory.papers.library import papers_option_of

WIDTH = 110

MOST_REASONS = 5
"""Maximum number of reasons for rejected draws in a report."""


def as_data(attack: Attack, *, worst_case_ratio: float | None = None) -> AttackEntry:
    """An attack as data; `worst_case_ratio` is left/right over all functions, if it was
    computed."""
    state, evidence = attack.state, attack.evidence
    best, size = state.best, attack.size
    return {
        "id": attack.claim.id,
        "verdict": evidence.verdict.name,
        "failed": False,
        "says": attack.claim.says,
        "statement": named_statement(attack.claim),
        "seed": attack.seed,
        "attempts": state.tries,
        "instances": state.instances,
        "rejected": dict(state.rejected),
        "untold": state.untold,
        "undecided": state.undecided,
        "spaces": [space.id for space in attack.spaces],
        "left": evidence.left,
        "right": evidence.right,
        "ratio": evidence.looseness,
        "best_score": best[1].score if best else None,
        "best": best[1].says if best else "",
        "where": where(attack.instance) if attack.instance else "",
        "note": evidence.note,
        "size": size.to_json() if size else None,
        "exceeded": size.exceeded if size else [],
        "suggestions": list(attack.suggestions),
        "counterexample": None,
        "seconds": round(attack.seconds, 2),
        "worst_case_ratio": worst_case_ratio,
    }


def as_text(attack: Attack, *, file: str | None = None, own_file: str | None = None) -> str:
    """What is claimed, what was tried, what broke the claim, by how much, and how to replay it."""
    claim, evidence = attack.claim, attack.evidence
    parts = [
        f"{claim.id}: {evidence.verdict.name} ({evidence.verdict.value})",
        "",
        "What is claimed",
        _wrapped(f"{claim.says} ({claim.source.place})"),
        _wrapped(named_statement(claim)),
        *_conditions(claim),
        "",
        "What was tried",
        *_tried(attack),
    ]
    if attack.refuted:
        parts += ["", "What broke", *_broke(attack)]
        if attack.suggestions:
            parts += [
                "",
                "What would help (suggestions, not theorems)",
                *(_wrapped(one) for one in attack.suggestions),
            ]
        parts += [
            "",
            "How to replay",
            *_replay(attack, file, own_file),
            "",
            "In Python",
            snippet(attack, own_file=own_file),
        ]
    elif evidence.note:
        parts += ["", "What was found", _wrapped(evidence.note)]
        if attack.instance is not None:
            parts += [_wrapped("Closest instance:"), *_place(attack.instance)]
    return "\n".join(parts)


def _wrapped(text: str) -> str:
    return fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False)


def _conditions(claim: Claim) -> list[str]:
    """The printed conditions, which every tried instance meets."""
    stated = [a.says for a in claim.assumes if a.stated]
    return [_wrapped(f"if {'; '.join(stated)}")] if stated else []


def _tried(attack: Attack) -> list[str]:
    state = attack.state
    if not attack.spaces:
        return [_wrapped("Nothing: there is no region to search.")]
    order = isinstance(attack.claim.statement, Order)
    unit = "paths" if order and not is_order_of_runs(attack.claim) else "instances"
    doubts = f"; {doubts}" if (doubts := told_doubts(attack.claim, state)) else ""
    told = [
        _wrapped(
            f"{counted(state.tries, 'attempt')} with seed {attack.seed}; {state.instances} of them"
            f" gave {unit} that meet every printed assumption{doubts}; {attack.seconds:.1f} s of"
            " processor time."
        )
    ]
    told += [
        _wrapped(f"Region `{space.id}`: {space.says} {_bounds(attack, space)}")
        for space in attack.spaces
    ]
    reasons = told_reasons(attack.claim, state)[:MOST_REASONS]
    if reasons:
        told.append(
            _wrapped(
                "Rejected draws: "
                + "; ".join(f"{count} because of `{reason}`" for reason, count in reasons)
                + "."
            )
        )
    return told


def _bounds(attack: Attack, space: Space) -> str:
    """The range of what was drawn: counted while it was drawn, or read off the code that draws."""
    return told_seen(attack.state.seen) if space.id == WIDE else told_bounds(space, attack.claim)


def _place(instance: Instance) -> list[str]:
    """The instance in words; a run in enough detail to repeat it."""
    run = (instance.scenario or {}).get("run")
    return [
        _wrapped(line) for line in (told_run(Scenario.from_json(run)) if run else [where(instance)])
    ]


def _broke(attack: Attack) -> list[str]:
    claim, evidence, instance = attack.claim, attack.evidence, attack.instance
    assert instance is not None
    told = _place(instance)
    if len(told) == 1 and (instance.scenario or {}).get("run"):
        told.append(
            _wrapped(
                "The run has too many clients and deliveries to list them here; they are in the"
                " counterexample file."
            )
        )
    if isinstance(claim.statement, Order):
        grows = f"left/right = {evidence.left} has no upper bound. {evidence.note}"
        alone = (
            f"left = {evidence.left} and right = 0, so no constant C satisfies |left| <= C |right|."
        )
        along = _wrapped(alone if evidence.right == NOTHING else grows)
        return [*told, _wrapped(f"Along {told_path(instance)}"), along]
    told.append(
        _wrapped(
            f"left = {evidence.left}, right = {evidence.right}, but the claim says left"
            f" {claim.statement.sign} right."
        )
    )
    best = attack.state.best
    factor = ratio_of(best[1].score) if best is not None else 0.0
    if evidence.looseness.startswith("-") or not 1 < factor < math.inf:
        return told  # the ratio says nothing if a side is 0 or the signs differ
    told.append(
        _wrapped(
            f"left/right = {evidence.looseness} in this instance, the simplest one found; the first"
            f" one found was off by a factor of {told_factor(factor)}."
        )
    )
    return told


def _replay(attack: Attack, file: str | None, own_file: str | None) -> list[str]:
    path = file or "FILE"
    outside = "" if own_file else papers_option_of(attack.claim.id)
    told = [
        f"  fltheory attack {own_file or attack.claim.id} --seed {attack.seed} --attempts"
        f" {attack.state.tries} -o FOLDER{outside}"
    ]
    told.append(
        f"  fltheory replay {path}{outside}" + (f" --claims {own_file}" if own_file else "")
    )
    beside = " --claims FOLDER/claims.jsonl" if own_file else ""
    return (
        [*told, f"  python3 verification/replay.py{beside} {path}   (standard library only)"]
        if _alone(attack)
        else told
    )


def _alone(attack: Attack) -> bool:
    """Can the standalone replayer, which needs only the standard library, derive the values?"""
    run = (attack.instance.scenario or {}).get("run") if attack.instance is not None else None
    if run is None:
        origin = (attack.instance.scenario or {}).get("origin") if attack.instance else None
        elsewhere = (
            origin is None or origin["kind"] == "draw"
        )  # which the package alone draws again
        return derived_alone(attack.claim, "" if elsewhere else "run")
    name = str(run["algorithm"])
    known = is_own(fltheory.algorithms, name) and (
        NOT_REPLAYED_ALONE not in find_member(fltheory.algorithms, name).facts
    )
    return known and derived_alone(attack.claim, "run")


def counterexample(attack: Attack) -> CounterexampleFile:
    """The content of the counterexample file; a path comes with the choices from which its region
    made it."""
    data = to_file(attack.claim, attack.evidence)
    shrunk = attack.state.shrunk
    if data["run"] is None and data["origin"] is None and shrunk is not None:
        data["origin"] = drawn_from(attack.claim, *shrunk[:2])
    return data
