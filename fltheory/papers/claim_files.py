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
from fltheory.core.errors import InvalidInput
from fltheory.core.formulas import read_formula, read_relation
from fltheory.core.registry import find_member
from fltheory.core.untrusted_io import bounded_toml
from fltheory.core.vocabulary import WORDS, quantity, symbol
from fltheory.papers.library import papers

MAX_BYTES = 200_000
MAX_CLAIMS = 100

KINDS: Mapping[str, dict[str, bool]] = {
    "real": {"real": True},
    "positive": {"positive": True},
    "nonnegative": {"nonnegative": True},
    "count": {"integer": True, "positive": True},
    "index": {"integer": True, "nonnegative": True},
}
"""What may be said of a symbol of one's own."""

BEYOND: Mapping[str, tuple[str, str]] = {
    "max_delay": (
        "index",
        "most rounds between the model that a delivery began with and its arrival",
    ),
    "staleness_bound": ("index", "availability_window - 1"),
    "fresh_entries": (
        "index",
        "fewest clients of any round whose entry in the server's memory is new",
    ),
    "optimum": ("real", "minimiser of the global loss, its first coordinate"),
    "limit": (
        "real",
        (
            "where the models tend to if the trace is repeated for ever, first coordinate at the"
            " end of a period"
        ),
    ),
    "limit_error": ("nonnegative", "|grad f|^2 there, averaged over the period"),
}
"""What a run shows beyond the vocabulary: kind and meaning. A letter of one's own must have another
name, or it would be measured."""

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
}


def quantities(*, runs: bool) -> dict[str, str]:
    """Every name that a claim may use, with its meaning; with `runs`, those that a claim about runs
    may use.

    >>> quantities(runs=True)["max_staleness"]
    'largest staleness'
    >>> "update_time" in quantities(runs=True), "update_time" in quantities(runs=False)
    (False, True)
    """
    known = {word.name: word.says for word in WORDS} | {
        name: says for name, (_, says) in BEYOND.items()
    }
    return {name: says for name, says in known.items() if not runs or name in MEASURES}


def kind_of(name: str) -> str:
    """The kind of a quantity that needs no declaration.

    >>> kind_of("num_clients"), kind_of("limit")
    ('count', 'real')
    """
    return BEYOND[name][0] if name in BEYOND else quantity(name).kind.name.lower()


def read_claims(path: Path) -> tuple[Claim, ...]:
    """The claims of a file, checked; what is wrong is told by name."""
    return claims_of(bounded_toml(path, MAX_BYTES), path.name)


def find_own_claim(path: Path, claim_id: str) -> Claim:
    """The claim of that id in a file."""
    for claim in read_claims(path):
        if claim.id == claim_id:
            return claim
    raise InvalidInput(f"claim {claim_id[:60]}", f"be stated in {path.name}", "none of that id")


def claims_of(data: Mapping[str, object], name: str = "claim file") -> tuple[Claim, ...]:
    """The claims that the content of a file states."""
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
    found = tuple(
        _claim(paper, entry, f"claim {k + 1} of {name}") for k, entry in enumerate(listed)
    )
    if len({claim.id for claim in found}) < len(found):
        raise InvalidInput(f"ids in {name}", "differ", "one twice")
    return found


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
            raise InvalidInput(owner, f"have the fields {', '.join(_FIELDS)}", repr(field)[:40])
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
    left, right = (
        read_formula(data[side], symbols, f"{side} side of {owner}") for side in ("left", "right")
    )
    assumes = tuple(
        _assumption(paper, k, text, symbols, owner)
        for k, text in enumerate(data.get("assumes", []))
    )
    about = tuple(str(algorithm) for algorithm in data.get("about", []))
    for algorithm in about:
        find_member(fltheory.algorithms, algorithm)
    beyond = {
        s.name: BEYOND[s.name][1]
        for s in left.free_symbols | right.free_symbols
        if s.name in BEYOND
    }
    claim = Claim(
        data["id"],
        Source(paper, data.get("place", "own claim")),
        data["says"],
        STATEMENTS[data["sign"]](left, right),
        assumes,
        where=where | beyond,
        about=about,
    )
    _all_measured(claim)
    return claim


def _symbols(
    where: Mapping[str, str], kinds: Mapping[str, str], owner: str
) -> dict[str, sympy.Symbol]:
    """The vocabulary and the claim's own letters."""
    found = {word.name: symbol(word.name) for word in WORDS}
    found |= {name: sympy.Symbol(name, **KINDS[kind]) for name, (kind, _) in BEYOND.items()}
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


def _assumption(
    paper: Paper, number: int, text: str, symbols: Mapping[str, sympy.Symbol], owner: str
) -> Assumption:
    left, sign, right = read_relation(text, symbols, f"assumption {number + 1} of {owner}")
    if sign in (">=", ">"):
        left, sign, right = right, sign.replace(">", "<"), left
    return Assumption(
        f"{paper.key}.assumption{number + 1}", text, Condition(text, left, sign, right)
    )


def _all_measured(claim: Claim) -> None:
    """A claim about runs can only speak of what a run shows."""
    names = {s.name for s in claim.symbols} | {
        s.name for a in claim.assumes if isinstance(a.holds, Condition) for s in a.holds.symbols
    }
    missing = sorted(names - set(MEASURES))
    if claim.about and missing:
        raise InvalidInput(
            f"symbol {missing[0]} of {claim.id}",
            "be a quantity that a run shows, for a claim about runs",
            "another one",
        )
