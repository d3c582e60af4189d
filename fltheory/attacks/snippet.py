"""A short program that shows a counterexample."""

import json

from fltheory.attacks.search import Attack
from fltheory.claims.claim import Order
from fltheory.core.enclosure import as_expression
from fltheory.core.expressions import to_lists
from fltheory.papers import is_claim


def snippet(attack: Attack, *, own_file: str | None = None) -> str:
    """A program of at most ten lines that shows the counterexample: it repeats the run and prints
    both sides.

    `own_file` is the file of a user's claim.
    """
    claim, instance = attack.claim, attack.instance
    assert instance is not None
    lines = ["from fltheory.claims.claim import evaluate"]
    if own_file is not None or not is_claim(claim.id):
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
