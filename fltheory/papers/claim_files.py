"""Claim files: a theorem of your own in one TOML file, with formulas and conditions as text.

[paper]
key = "mine"

[[claim]]
id = "mine.descent"
says = "Gradient descent has mean squared gradient at most 2 B/(gamma T)."
left = "mean_squared_gradient"
sign = "<="
right = "2*initial_loss_gap/(local_step_size*num_rounds)"
assumes = ["local_step_size*smoothness <= 1"]
about = ["fedavg"]
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import sympy

import fltheory.algorithms
from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    LowerBound,
    Order,
    Paper,
    Source,
    Statement,
    UpperBound,
)
from fltheory.claims.condition import Condition
from fltheory.claims.measures import MEASURES
from fltheory.claims.measures_of_clients import parsed
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import find_member
from fltheory.core.untrusted_io import bounded_toml
from fltheory.core.vocabulary import MEASURED, WORDS, symbol
from fltheory.papers.claim_texts import Letters, hypotheses_of, without_end
from fltheory.papers.known_quantities import KINDS, quantities
from fltheory.papers.library import papers

MAX_BYTES = 200_000
MAX_CLAIMS = 100

_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""Ids become names of files, so they hold nothing that leads out of a folder."""

STATEMENTS: Mapping[str, type[Statement]] = {
    "<=": UpperBound,
    ">=": LowerBound,
    "=": Identity,
    "O": Order,
}
_FIELDS = {
    "id": str,
    "says": str,
    "left": str,
    "sign": str,
    "right": str,
    "assumes": list,
    "about": list,
    "where": dict,
    "kinds": dict,
    "place": str,
    "participation": str,
    "losses": str,
    "step_size": str,
    "averaging": str,
}


def read_claims(path: Path, *, bad: list[str] | None = None) -> tuple[Claim, ...]:
    """The claims of a file, checked; what is wrong is told by name (in `bad`, if it is given)."""
    return claims_of(bounded_toml(path, MAX_BYTES), path.name, bad=bad)


def find_own_claim(path: Path, claim_id: str) -> Claim:
    """The claim of that id in a file."""
    bad: list[str] = []
    for claim in read_claims(path, bad=bad):
        if claim.id == claim_id:
            return claim
    for problem in bad:
        if claim_id in problem:
            raise InvalidInput(f"claim {claim_id[:60]}", "be in order", problem)
    raise InvalidInput(f"claim {claim_id[:60]}", f"be stated in {path.name}", "none of that id")


def claims_of(
    data: Mapping[str, object], name: str = "claim file", *, bad: list[str] | None = None
) -> tuple[Claim, ...]:
    """The claims that the content of a file states; what is wrong with one of them is an error, or
    is added to `bad`, if this list is given, and the others are returned."""
    unknown = set(data) - {"paper", "claim"}
    if unknown:
        raise InvalidInput(
            f"{name}", "have the tables [paper] and [[claim]] only", sorted(unknown)[0]
        )
    paper = _paper(data.get("paper"), name)
    listed = data.get("claim")
    if not isinstance(listed, list) or not 1 <= len(listed) <= MAX_CLAIMS:
        raise InvalidInput(
            f"{name}", f"have between 1 and {MAX_CLAIMS} tables [[claim]]", type(listed).__name__
        )
    found: list[Claim] = []
    for k, entry in enumerate(listed):
        try:
            claim = _claim(paper, entry, f"claim {k + 1} of {name}")
            if claim.id in {one.id for one in found}:
                raise InvalidInput(f"ids in {name}", "differ", f"{claim.id} twice")
        except InvalidInput as problem:
            if bad is None:
                raise
            bad.append(str(problem))
            continue
        found.append(claim)
    return tuple(found)


def _paper(data: object, name: str) -> Paper:
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("key"), str)
        or not data["key"].isidentifier()
    ):
        raise InvalidInput(
            f"[paper] of {name}", 'have a key that is one word, such as "mine"', repr(data)[:60]
        )
    if data["key"] in papers():
        raise InvalidInput(
            f"key of {name}",
            "not be that of a paper that is stored here, whose claims have a meaning of their own "
            '(take another one, such as "mine")',
            repr(data["key"]),
        )
    return Paper(
        data["key"],
        str(data.get("title", data["key"])),
        str(data.get("authors", "")),
        0,
        str(data.get("venue", "")),
    )


def _claim(paper: Paper, data: Any, owner: str) -> Claim:
    if not isinstance(data, dict):
        raise InvalidInput(owner, "be a table", type(data).__name__)
    for field, value in data.items():
        if field not in _FIELDS:
            near = get_close_matches(field, _FIELDS, n=1)
            hint = f" (near: {near[0]})" if near else ""
            raise InvalidInput(
                owner, f"have the fields {', '.join(_FIELDS)}{hint}", repr(field)[:40]
            )
        if not isinstance(value, _FIELDS[field]):
            raise InvalidInput(
                f"{field} of {owner}", f"be a {_FIELDS[field].__name__}", type(value).__name__
            )
    for needed in ("id", "says", "left", "sign", "right"):
        if needed not in data:
            raise InvalidInput(owner, f"have the field {needed}", "none")
    if not _ID.fullmatch(data["id"]) or not data["id"].startswith(f"{paper.key}."):
        raise InvalidInput(
            f"id of {owner}",
            f"start with its paper's key, as in {paper.key}.name, and hold letters, digits, _ . and"
            " - only (100 at most)",
            repr(data["id"])[:60],
        )
    owner = f"claim {data['id'][:60]}"
    if data["sign"] not in STATEMENTS:
        raise InvalidInput(
            f"sign of {owner}", f"be one of {', '.join(STATEMENTS)}", repr(data["sign"])[:20]
        )
    where = {str(key): str(value) for key, value in data.get("where", {}).items()}
    symbols = _symbols(where, data.get("kinds", {}), owner)
    letters = Letters(symbols, owner)
    left, right = (letters.formula(data[side], f"{side} side") for side in ("left", "right"))
    conditions = [
        letters.condition(text, f"assumption {k + 1}")
        for k, text in enumerate(data.get("assumes", []))
    ]
    if without_end((left, right), conditions):
        conditions = [replace(one, forever=True) for one in conditions]
    assumes = (
        *(
            Assumption(f"{paper.key}.assumption{k + 1}", one.text, one)
            for k, one in enumerate(conditions)
        ),
        *hypotheses_of(data, paper.key, letters),
    )
    about = tuple(str(algorithm) for algorithm in data.get("about", []))
    for algorithm in about:
        try:
            find_member(fltheory.algorithms, algorithm)
        except InvalidInput as problem:
            owner = f"about of {letters.owner}"
            raise InvalidInput(owner, problem.rule, repr(algorithm)[:80]) from None
    beyond = {
        s.name: "over all clients"
        for s in left.free_symbols | right.free_symbols
        if parsed(s.name) is not None
    }
    sides = left.free_symbols | right.free_symbols
    named = set().union(*(one.symbols for one in conditions)) - sides
    claim = Claim(
        data["id"],
        Source(paper, data.get("place", "own claim")),
        data["says"],
        STATEMENTS[data["sign"]](left, right),
        assumes,
        where=where | beyond,
        about=about,
        beside=frozenset() if about else frozenset(named),
    )
    _all_measured(claim)
    return claim


def _symbols(
    where: Mapping[str, str], kinds: Mapping[str, str], owner: str
) -> dict[str, sympy.Symbol]:
    """The vocabulary and the claim's own letters."""
    found = {word.name: symbol(word.name) for word in (*WORDS, *MEASURED)}
    for name in (*where, *kinds):
        if name in found:
            raise InvalidInput(
                f"letter {name} of {owner}",
                f'have another name, for {name} is "{quantities(runs=False)[name]}" here; if '
                "it means that, leave it out of `where` and `kinds`",
                repr(where.get(name, kinds.get(name)))[:60],
            )
    for name in kinds:
        if name not in where:
            raise InvalidInput(
                f"kind of {name} in {owner}", "be of a symbol that `where` explains", "another one"
            )
    for name in where:
        kind = kinds.get(name, "real")
        if not name.isidentifier() or kind not in KINDS:
            raise InvalidInput(
                f"symbol {name[:40]!r} of {owner}",
                f"be one word, of kind {', '.join(KINDS)}",
                repr(kind)[:40],
            )
        found[name] = sympy.Symbol(name, **KINDS[kind])
    return found


def _conditions(claim: Claim) -> list[Condition]:
    return [a.holds for a in claim.assumes if isinstance(a.holds, Condition)]


def _all_measured(claim: Claim) -> None:
    """A claim about runs can only speak of what a run shows."""
    names = {s.name for s in claim.symbols} | {
        s.name for one in _conditions(claim) for s in one.symbols
    }
    missing = sorted(name for name in names - set(MEASURES) if parsed(name) is None)
    clients = sorted(names - set(missing) - set(MEASURES))
    if not claim.about and (clients or len(claim.assumes) > len(_conditions(claim))):
        raise InvalidInput(
            f"claim {claim.id}",
            "name the algorithms whose runs it speaks of in `about`, for only a run has clients,"
            " losses, participation and rounds",
            clients[0] if clients else "none",
        )
    if claim.about and missing:
        raise InvalidInput(
            f"symbol {missing[0]} of {claim.id}",
            "be a quantity that a run shows, for a claim about runs",
            "another one",
        )
