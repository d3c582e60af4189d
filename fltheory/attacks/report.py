"""The report of an attack, for someone who knows the paper but not the tool; and a short program
that shows the counterexample."""

import json
import math
from textwrap import fill
from typing import Any

import fltheory.algorithms
from fltheory.attacks.bounds import told_bounds
from fltheory.attacks.decide import told_factor, where
from fltheory.attacks.describe import told_run
from fltheory.attacks.orders import told_path
from fltheory.attacks.search import Attack, told_doubts, told_reasons
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import NOTHING
from fltheory.claims.claim import Claim, Order
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.scoring import ratio_of
from fltheory.core.enclosure import as_expression
from fltheory.core.expressions import to_lists
from fltheory.core.registry import find_member, is_own
from fltheory.core.words import counted
from fltheory.engine.traits import NOT_REPLAYED_ALONE
from fltheory.ledger.counterexamples import to_file
from fltheory.ledger.explain import statement_text
from fltheory.papers import all_claims, paper_spaces

WIDTH = 110

MOST_REASONS = 5
"""Most reasons that are told why draws were not admissible."""


def as_data(attack: Attack, *, file: str | None = None) -> dict[str, Any]:
    """Everything about an attack, as data."""
    state, evidence = attack.state, attack.evidence
    best, size = state.best, attack.size
    return {
        "id": attack.claim.id,
        "verdict": evidence.verdict.name,
        "says": attack.claim.says,
        "statement": statement_text(attack.claim),
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
        "counterexample": file,
        "seconds": round(attack.seconds, 2),
    }


def as_text(attack: Attack, *, file: str | None = None, own_file: str | None = None) -> str:
    """What was claimed, what was tried, what broke, by how much, how to replay."""
    claim, evidence = attack.claim, attack.evidence
    parts = [
        f"{claim.id}: {evidence.verdict.name} ({evidence.verdict.value})",
        "",
        "What is claimed",
        _wrapped(f"{claim.says} ({claim.source.place})"),
        _wrapped(statement_text(claim)),
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
    """The printed conditions, which every instance that is tried meets."""
    stated = [a.says for a in claim.assumes if a.stated]
    return [_wrapped(f"if {'; '.join(stated)}")] if stated else []


def _tried(attack: Attack) -> list[str]:
    state = attack.state
    if not attack.spaces:
        return [_wrapped("nothing: there is no region to search")]
    unit = "paths" if isinstance(attack.claim.statement, Order) else "instances"
    doubts = f"; {doubts}" if (doubts := told_doubts(attack.claim, state)) else ""
    told = [
        _wrapped(
            f"{counted(state.tries, 'attempt')} with seed {attack.seed}; {state.instances} of them"
            f" gave {unit} that meet every printed assumption{doubts}; {attack.seconds:.1f} s of"
            " processor time."
        )
    ]
    told += [
        _wrapped(f"Region `{space.id}`: {space.says} {told_bounds(space, attack.claim)}")
        for space in attack.spaces
    ]
    reasons = told_reasons(attack.claim, state)[:MOST_REASONS]
    if reasons:
        told.append(
            _wrapped(
                "Not admissible: "
                + "; ".join(f"{count} by `{reason}`" for reason, count in reasons)
                + "."
            )
        )
    return told


def _place(instance: Instance) -> list[str]:
    """The instance in words, a run in so many that a reader can repeat it."""
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
                "Its clients and deliveries are too many to be listed here; the counterexample file"
                " has them."
            )
        )
    if isinstance(claim.statement, Order):
        grows = f"left/right = {evidence.left} has no upper bound. {evidence.note}"
        alone = (
            f"left = {evidence.left} and right = 0, so that left is at most a constant times right"
            " for no constant."
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
        return told  # sides of different signs, or one that is 0, have no telling ratio
    told.append(
        _wrapped(
            f"left/right = {evidence.looseness} there, in the simplest instance; the first one"
            f" found was off by a factor of {told_factor(factor)}."
        )
    )
    return told


def _replay(attack: Attack, file: str | None, own_file: str | None) -> list[str]:
    path = file or "FILE"
    told = [
        f"  fltheory attack {own_file or attack.claim.id} --seed {attack.seed} --attempts"
        f" {attack.state.tries} -o FOLDER"
    ]
    told.append(f"  fltheory replay {path}" + (f" --claims {own_file}" if own_file else ""))
    return (
        [*told, f"  python3 verification/replay.py {path}   (standard library only)"]
        if _alone(attack)
        else told
    )


def _alone(attack: Attack) -> bool:
    """Can the replayer that needs nothing but the standard library repeat the run, if there is
    one?"""
    run = (attack.instance.scenario or {}).get("run") if attack.instance is not None else None
    if run is None:
        return True
    name = run["algorithm"]
    return is_own(fltheory.algorithms, name) and (
        NOT_REPLAYED_ALONE not in find_member(fltheory.algorithms, name).facts
    )


def counterexample(attack: Attack) -> dict[str, Any]:
    """The content of the counterexample file; values that no run gives come with the choices that
    their region made them from."""
    data = to_file(attack.claim, attack.evidence)
    shrunk = attack.state.shrunk
    if (
        data["run"] is None
        and data["origin"] is None
        and shrunk is not None
        and shrunk[0] in {space.id for space in paper_spaces()}
    ):
        data["origin"] = {
            "kind": "draw",
            "claim": attack.claim.id,
            "space": shrunk[0],
            "choices": list(shrunk[1]),
        }
    return data


def snippet(attack: Attack, *, own_file: str | None = None) -> str:
    """A program of at most ten lines that shows the counterexample: its run is repeated, and both
    sides are printed.

    `own_file` is where the claim was read from, for a claim of a user's own.
    """
    claim, instance = attack.claim, attack.instance
    assert instance is not None
    lines = ["from fltheory.claims.claim import evaluate"]
    if own_file is not None or claim.id not in all_claims():
        lines.append(
            "from pathlib import Path; from fltheory.papers.claim_files import read_claims"
        )
        lines.append(
            "claim = {c.id: c for c in"
            f" read_claims(Path({own_file or 'claims.toml'!r}))}}[{claim.id!r}]"
        )
    else:
        lines += ["from fltheory.papers import find_claim", f"claim = find_claim({claim.id!r})"]
    run = (instance.scenario or {}).get("run")
    measured = dict((instance.scenario or {}).get("measures", {})) if run else {}
    given = {
        s.name: to_lists(as_expression(instance.values[s.name]))
        for s in sorted(claim.symbols, key=str)
        if s.name not in measured
    }
    if given:
        lines[1:1] = ["from fltheory.core.expressions import from_lists"]
    lines.append(
        f"values = {{name: from_lists(x) for name, x in {json.dumps(given)}.items()}}"
        if given
        else "values = {}"
    )
    if run:
        lines[:0] = [
            "from fltheory.claims.measures import measure; from fltheory.claims.scenario import"
            " Scenario"
        ]
        lines.append(f"run = Scenario.from_json({run!r})")
        lines.append(
            f"values |= {{name: measure(run, [how])[how] for name, how in {measured!r}.items()}}"
        )
    if isinstance(claim.statement, Order):
        lines.append("ratio = evaluate(claim.statement.left / claim.statement.right, values)")
        lines.append("print([float(ratio.subs('scale', 10**k)) for k in (1, 2, 3, 4)])")
    else:
        lines.append(
            "left, right = (evaluate(side, values) for side in (claim.statement.left,"
            " claim.statement.right))"
        )
        lines.append(
            "print(f'left = {left}, right = {right}; the claim says left {claim.statement.sign}"
            " right')"
        )
    return "\n".join(lines)
