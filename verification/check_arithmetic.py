"""Check arithmetic certificates with the standard library alone; README.md explains the format.

    python3 verification/check_arithmetic.py [CLAIM or FILE...]

What a claim says, and the model and the hypotheses of its proof, come from statements.jsonl, which
is made from the claims and the sketches of their proofs. A file gives multipliers and coefficients
only. arithmetic_core.py, at most 80 lines, decides. Exit code: 0 proved, 1 rejected, 2 unusable,
3 not checkable: the claim is not known.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from arithmetic_core import facts, prove
from arithmetic_forms import Reader, Work
from arithmetic_grammar import grammar, side
from strict_json import NotCheckable, need, parse  # type: ignore[import-not-found]

HERE = Path(__file__).resolve().parent
BYTES = 1_000_000


def proved(data, claim, others):
    """An error if the certificate does not prove the claim; the claims on which it rests."""
    Work.start()
    grammar(data)
    need(data["claim"] == claim["claim"], "it is about another claim")
    model = claim["model"]
    plain = Reader(model["variables"])
    stored = {name: [side(terms, plain.place) for terms in sides] for name, *sides in data["facts"]}
    above = {v for v, kinds in claim["kinds"].items() if "positive" in kinds} & {*plain.names}
    above |= {row[2] for row in model["let"] if len(row) > 2}
    free = plain.mask({*plain.names} - above)
    uses = data.get("uses", {})
    loops = {name for name in stored if not name.startswith("range")}
    need({*uses} <= loops, "it uses facts for what it does not prove")
    for name, value, sign in facts({**model, "uses": uses}, claim, others):
        need(name in stored, f"{name} is not proved")
        over, under = stored.pop(name)
        prove(name, value, sign, over, under, plain, free)
    need(not stored, "it has facts that prove nothing")
    return [says for _, _, because, says in model.get("given", ()) if because == "claim"]


def known_claims():
    """Claims with their models, by id."""
    lines = map(json.loads, (HERE / "statements.jsonl").read_text("utf-8").splitlines())
    return {line["claim"]: line for line in lines}


def main(path, claims=None):
    """Check one file; its exit code."""
    try:
        with open(path, "rb") as file:
            text = file.read(BYTES + 1)
        need(len(text) <= BYTES, f"more than {BYTES} bytes")
        data = parse(text.decode("utf-8"))
        need(isinstance(data, dict) and isinstance(data.get("claim"), str), "it names no claim")
    except (OSError, ValueError, RecursionError) as problem:
        return print(f"{path}: unusable: {problem}") or 2
    claims, name = claims or known_claims(), data["claim"]
    try:
        if name not in claims or "model" not in claims[name]:
            raise NotCheckable(f"{name[:60]!r} is no claim with a model")
        rest = proved(data, claims[name], claims)
    except NotCheckable as reason:
        return print(f"{path}: not checkable: {reason}") or 3
    except (ValueError, RecursionError) as reason:
        return print(f"{path}: rejected: {reason}") or 1
    return print(f"{name}: proved" + (f", if {' and '.join(rest)} holds" if rest else "")) or 0


if __name__ == "__main__":
    folder, asked = HERE / "certificates" / "arithmetic", sys.argv[1:]
    files = [p if p.endswith(".json") else folder / f"{p}.json" for p in asked]
    every = known_claims()
    sys.exit(max(main(file, every) for file in files or sorted(folder.glob("*.json"))))
