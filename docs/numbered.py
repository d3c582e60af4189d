"""Tables of docs/theorems.md that are made from the record: every numbered result of the papers
with the statement that is proved for it, and how near a known instance comes to each bound."""

import re
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from fltheory.claims.claim import Claim, LowerBound, Order, UpperBound
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.formulas import read_formula
from fltheory.ledger import runner
from fltheory.ledger.attack_record import recorded_attacks
from fltheory.ledger.lines import LedgerLine, verdicts
from fltheory.ledger.ranks import level, rank
from fltheory.papers import all_claims, papers

ROOT = Path(__file__).parents[1]
MEANS = {
    Method.KERNEL: "Coq",
    Method.ARITHMETIC: "arithmetic certificate",
    Method.SYMBOLIC: "algebra",
}
"""Short names of the means that prove; other methods have their usual name."""

OBSTACLES = {
    "mifa.prop6.1": (
        "needs the chain of Carmon et al., whose smoothness in every dimension is a proof of its"
        " own; the proof on paper cites four facts about it"
    ),
}
"""Numbered results without a proved statement, and what stands in the way."""


def standing_for(claim: Claim, verdict_of: dict[str, Verdict]) -> list[str]:
    """The proved statements of a numbered result: itself, or the proved corrections, the one to
    cite first."""
    if verdict_of.get(claim.id) is Verdict.PROVED:
        return [claim.id]
    found = [
        other
        for other in all_claims().values()
        if other.corrects == claim.id and verdict_of.get(other.id) is Verdict.PROVED
    ]
    return [other.id for other in sorted(found, key=lambda other: not other.to_cite)]


def numbered() -> Iterator[tuple[Claim, str]]:
    """Every numbered theorem, proposition, corollary and lemma, as the papers print it."""
    found = [(claim, rank(claim)) for claim in all_claims().values()]
    place = {key: number for number, key in enumerate(papers())}
    yield from sorted(
        ((claim, number) for claim, number in found if number),
        key=lambda one: (place[one[0].source.paper.key], level(one[0]), one[1]),
    )


def means(claim_id: str, lines: list[LedgerLine]) -> str:
    """What proves a claim, in words."""
    proving = [
        line.evidence.method
        for line in lines
        if line.evidence.claim == claim_id
        and line.evidence.verdict is Verdict.PROVED
        and line.evidence.scope.everything
    ]
    return ", ".join(dict.fromkeys(MEANS.get(one, one.value) for one in proving))


def numbered_table(lines: list[LedgerLine]) -> str:
    """One row per numbered result.

    >>> "| Theorem 2 |" in numbered_table(runner.recorded())
    True
    """
    verdict_of = verdicts(lines)
    told = ["| paper | result | as printed | proved statement | by |", "|---|---|---|---|---|"]
    for claim, number in numbered():
        printed = verdict_of[claim.id].name
        if printed == Verdict.REFUTED.name and claim.severity is not None:
            printed += f" ({claim.severity.name.lower()})"
        stand = standing_for(claim, verdict_of)
        if stand:
            proved = ", ".join(f"`{one}`" for one in stand)
            how = "; ".join(dict.fromkeys(means(one, lines) for one in stand))
        elif claim.id in OBSTACLES:
            proved, how = f"open: {OBSTACLES[claim.id]}", ""
        else:
            raise ValueError(f"{claim.id} has neither a proved statement nor an obstacle")
        paper = papers()[claim.source.paper.key].short_name
        told.append(f"| {paper} | {number} | {printed} | {proved} | {how} |")
    return "\n".join(told)


def factor(claim: Claim, found: list[Evidence]) -> float | None:
    """How many times larger a bound is than needed in the nearest instance known; None if nothing
    is known, 1 for an equality.

    >>> from fltheory.papers import find_claim
    >>> tried = Evidence("afl.lem1", Method.EXACT_RUN, Verdict.SUPPORTED, "", looseness="3/4")
    >>> round(factor(find_claim("afl.lem1"), [tried]), 2)
    1.33
    """
    statement = claim.statement
    if not isinstance(statement, UpperBound | LowerBound):
        return 1.0
    ratios = [ratio(one.looseness) for one in found if one.looseness]
    if isinstance(statement, UpperBound):
        return min((1 / one for one in ratios if 0 < one <= 1), default=None)
    return min((one for one in ratios if one >= 1), default=None)


def ratio(text: str) -> float:
    """A recorded ratio of the two sides as a number.

    >>> ratio("85/256"), ratio("12...7/34...9 (about 0.25)")
    (0.33203125, 0.25)
    """
    about = re.search(r"\(about ([^)]*)\)$", text)
    number = about[1] if about else text
    if re.fullmatch(r"[-\d./]+", number):
        return float(Fraction(number))
    return float(read_formula(number, {}, "recorded ratio"))


def constants_table(lines: list[LedgerLine], attacks: list[LedgerLine]) -> str:
    """One row per bound that Coq has checked, with the factor that is left."""
    told = ["| claim | theorem | factor |", "|---|---|---|"]
    for claim_id, name in kernel_theorems():
        claim = all_claims()[claim_id]
        if isinstance(claim.statement, Order):
            continue
        tried = [one.evidence for one in (*lines, *attacks) if one.evidence.claim == claim_id]
        left = factor(claim, tried)
        told.append(
            f"| `{claim_id}` | `{name}` | {'none known' if left is None else shown(left)} |"
        )
    return "\n".join(told)


def shown(left: float) -> str:
    """A factor in words."""
    return "exact" if left < 1.0005 else f"{left:.2f}"


def kernel_theorems() -> list[tuple[str, str]]:
    """Claim and theorem of every entry of the .toml files of verification/kernel."""
    return [
        (claim, entry["name"])
        for file in sorted((ROOT / "verification" / "kernel").glob("*.toml"))
        for entry in tomllib.loads(file.read_text("utf-8")).get("theorem", [])
        for claim in entry["claims"]
    ]


def with_tables(text: str) -> str:
    """The page with its tables, between their marks."""
    lines, attacks = runner.recorded(), recorded_attacks()
    made = proved_only_so(lines)
    tables = {
        "numbered results": numbered_table(lines),
        "factors": constants_table(lines, attacks),
        "means": (
            f"Without Coq and the arithmetic certificates {len(made)} of the claims that the ledger"
            " calls PROVED would be no more than SUPPORTED."
        ),
    }
    for name, table in tables.items():
        parts = re.split(
            rf"(?<=<!-- {name} -->\n).*?(?=\n<!-- end of {name} -->)", text, flags=re.S
        )
        if len(parts) != 2:
            raise ValueError(f"the page must have the marks of its {name} once")
        text = table.join(parts)
    return text


def proved_only_so(lines: list[LedgerLine]) -> list[str]:
    """Claims that are PROVED, and would not be without Coq and the arithmetic certificates."""
    made = {Method.KERNEL, Method.ARITHMETIC}
    before = verdicts([line for line in lines if line.evidence.method not in made])
    return [
        claim
        for claim, verdict in verdicts(lines).items()
        if verdict is Verdict.PROVED and before.get(claim) is not Verdict.PROVED
    ]
