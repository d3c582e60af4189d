"""Which claims are numbered results of a paper, and the headline: theorems first, false ones by
severity."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

from fltheory.claims.claim import Authorship, Claim, Severity
from fltheory.claims.evidence import Verdict
from fltheory.core.words import counted

_RESULT = re.compile(r"(Theorem|Proposition|Corollary|Lemma) (\d+(?:\.\d+)*)")

LEVELS = ("Theorem", "Proposition", "Corollary", "Lemma", "")
"""Kinds of numbered results, the most important first; the last one is everything else."""


def rank(claim: Claim) -> str:
    """The numbered result that a claim states as the paper does, or "" for any other claim.

    Papers name the claim of Theorem 2 `thm2`, that of Proposition 5.1 `prop5.1`; steps of a proof
    and corrections have longer names.

    >>> from fltheory.papers import find_claim
    >>> [rank(find_claim(name)) for name in ("afl.thm2", "afl.thm2.a12", "mifa.prop5.1")]
    ['Theorem 2', '', 'Proposition 5.1']
    """
    found = _RESULT.match(claim.source.place)
    if found is None or claim.source.ours:
        return ""
    tail = claim.id.removeprefix(f"{claim.source.paper.key}.")
    return found[0] if re.fullmatch(rf"[a-z]+{re.escape(found[2])}", tail) else ""


def level(claim: Claim) -> int:
    """Place of the claim in LEVELS, by which lists are sorted.

    >>> from fltheory.papers import find_claim
    >>> level(find_claim("afl.thm2")) < level(find_claim("afl.lem1")) < level(find_claim("afl.a4"))
    True
    """
    return LEVELS.index(rank(claim).split(" ")[0])


UNSTATED = "with a hypothesis that the paper does not state"
"""What is said of a printed claim that is proved under more than its paper states."""


class TallyEntry(TypedDict):
    """A tally as data."""

    group: str
    claims: int
    verdicts: dict[str, int]
    severities: dict[str, int]
    conditional: int


@dataclass(frozen=True)
class Tally:
    """How many claims of a group have which verdict, and the refuted ones which severity.

    `conditional` counts the proved claims of papers that need a hypothesis which their paper does
    not state.
    """

    group: str
    claims: int
    verdicts: dict[Verdict, int]
    severities: dict[Severity | None, int]
    conditional: int = 0

    def to_json(self) -> TallyEntry:
        return {
            "group": self.group,
            "claims": self.claims,
            "verdicts": {verdict.name: number for verdict, number in self.verdicts.items()},
            "severities": {
                severity.name if severity else "": number
                for severity, number in self.severities.items()
            },
            "conditional": self.conditional,
        }

    @property
    def says(self) -> str:
        """The tally in words, false claims by severity.

        >>> Tally("lemmas", 3, {Verdict.PROVED: 1, Verdict.REFUTED: 2}, {Severity.SLIP: 2}).says
        '1 PROVED, 2 REFUTED (2 slip)'
        >>> Tally("lemmas", 3, {Verdict.PROVED: 3}, {}, conditional=2).says
        '3 PROVED (2 with a hypothesis that the paper does not state)'
        """
        parts = []
        for verdict, number in self.verdicts.items():
            told = f"{number} {verdict.name}"
            if verdict is Verdict.REFUTED:
                told += f" ({severities_say(self.severities)})"
            if verdict is Verdict.PROVED and self.conditional:
                told += f" ({self.conditional} {UNSTATED})"
            parts.append(told)
        return ", ".join(parts)


def severities_say(severities: dict[Severity | None, int]) -> str:
    """Numbers of false claims by severity.

    >>> severities_say({Severity.THEOREM: 2, None: 1})
    '2 theorem, 1 not graded'
    """
    return ", ".join(
        f"{number} {severity.name.lower() if severity else 'not graded'}"
        for severity, number in severities.items()
    )


GROUPS = (
    "printed theorems, propositions, corollaries",
    "printed lemmas",
    "other statements of the papers",
    "corrections, consequences and self-tests of ours",
)


def _group(claim: Claim) -> str:
    if claim.source.kind is Authorship.OURS:
        return GROUPS[3]
    return GROUPS[(0, 0, 0, 1, 2)[level(claim)]]


def tallies(found: Iterable[tuple[Claim, Verdict]]) -> list[Tally]:
    """The headline: one tally per group that has claims, theorems first."""
    members: dict[str, list[tuple[Claim, Verdict]]] = {group: [] for group in GROUPS}
    for claim, verdict in found:
        members[_group(claim)].append((claim, verdict))
    return [_tally(group, pairs) for group, pairs in members.items() if pairs]


def _tally(group: str, pairs: list[tuple[Claim, Verdict]]) -> Tally:
    verdicts = Counter(verdict for _, verdict in pairs)
    severities = Counter(claim.severity for claim, verdict in pairs if verdict is Verdict.REFUTED)
    return Tally(
        group,
        len(pairs),
        {verdict: verdicts[verdict] for verdict in Verdict if verdicts[verdict]},
        {one: severities[one] for one in (*Severity, None) if severities[one]},
        sum(verdict is Verdict.PROVED and _needs_more(claim) for claim, verdict in pairs),
    )


def _needs_more(claim: Claim) -> bool:
    """Whether a claim of a paper needs a hypothesis that the paper does not state."""
    return not claim.source.ours and not all(one.stated for one in claim.assumes)


def headline(found: Iterable[tuple[Claim, Verdict]]) -> str:
    """The totals: the theorems as printed, then everything, what the papers say apart from what we
    add.

    >>> from fltheory.papers import find_claim
    >>> print(headline([(find_claim("mifa.thm5.2"), Verdict.PROVED)]))
    1 printed theorems, propositions, corollaries: 1 PROVED. 1 claim in all: 1 PROVED
    """
    pairs = list(found)
    first = [
        f"{one.claims} {one.group}: {one.says}. "
        for one in tallies(pairs)[:1]
        if one.group == GROUPS[0]
    ]
    ours = [pair for pair in pairs if pair[0].source.ours]
    parts = (("of the papers", [pair for pair in pairs if pair not in ours]), ("ours", ours))
    told = [(whose, _tally("", some)) for whose, some in parts if some]
    lone = len(told) == 1
    sums = (one.says if lone else f"{one.claims} {whose}: {one.says}" for whose, one in told)
    return "".join(first) + f"{counted(len(pairs), 'claim')} in all: {'; '.join(sums)}"
