"""Claims: what a paper says, as data. A claim does not say how it is decided."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import sympy

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Values
from fltheory.core.vocabulary import MEASURED, WORDS

if TYPE_CHECKING:
    from fltheory.claims.scenario import Scenario


ENTRIES = {
    "article": "journal",
    "inproceedings": "booktitle",
    "misc": "howpublished",
    "unpublished": "howpublished",
}
"""Types of BibTeX entries, and the field in which each names the venue."""


@dataclass(frozen=True)
class Paper:
    """A paper whose claims are judged, with the data of a citation.

    `version` says which version of the text is judged, `letters` gives the paper's own letter for a
    quantity of the vocabulary, `record` is the folder that keeps its ledger, counterexamples and
    certificates (None: the record of this package). `name` is what figures call the paper (its key
    if empty). `entry` is the BibTeX type, one of ENTRIES, and `citation` has further BibTeX fields.
    """

    key: str
    title: str
    authors: str
    year: int
    venue: str
    version: str = ""
    letters: Mapping[str, str] = field(default_factory=dict, compare=False)
    record: Path | None = None
    name: str = ""
    entry: str = "misc"
    citation: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.entry not in ENTRIES:
            rule = f"be one of {', '.join(ENTRIES)}"
            raise InvalidInput(f"entry of paper {self.key}", rule, repr(self.entry)[:60])

    @property
    def short_name(self) -> str:
        """What figures call the paper."""
        return self.name or self.key


class Authorship(Enum):
    """Whose words a claim repeats; the value is what the reader sees."""

    PRINTED = "printed in the paper"
    READ = "our reading of an informal sentence of the paper"
    OURS = "ours: a correction, a consequence or a self-test"


class Severity(Enum):
    """How bad it is that a claim is false; the value is what the reader sees."""

    THEOREM = "the result itself is wrong"
    HYPOTHESIS = "needs a condition that the paper does not state"
    SLIP = "a slip in a sign, an index or a constant; the result stands once it is mended"
    READING = "false under the reading named here, true under another one"


@dataclass(frozen=True)
class Source:
    """The place of a claim in its paper and whose words it repeats.

    `formula` gives what a printed claim repeats, in the paper's own letters. `reading` says how an
    informal sentence is read, and `alternatives` how else it may be read, with what is true then.
    """

    paper: Paper
    place: str
    kind: Authorship = Authorship.PRINTED
    formula: str = ""
    reading: str = ""
    alternatives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind is Authorship.READ and not self.reading:
            raise InvalidInput(f"source {self.place!r}", "say how the sentence is read", "nothing")

    @property
    def ours(self) -> bool:
        """Whether the paper does not say it."""
        return self.kind is Authorship.OURS


@dataclass(frozen=True)
class Assumption:
    """A hypothesis; `holds` answers True, False or None (unknown) on a scenario.

    `stated` is False if the claim needs the hypothesis but the paper does not state it.
    """

    id: str
    says: str
    holds: Callable[["Scenario"], bool | None]
    stated: bool = True


@dataclass(frozen=True)
class Identity:
    """left = right."""

    left: sympy.Expr
    right: sympy.Expr
    sign: str = field(default="=", init=False)


@dataclass(frozen=True)
class UpperBound:
    """left <= right."""

    left: sympy.Expr
    right: sympy.Expr
    sign: str = field(default="<=", init=False)


@dataclass(frozen=True)
class LowerBound:
    """left >= right."""

    left: sympy.Expr
    right: sympy.Expr
    sign: str = field(default=">=", init=False)


@dataclass(frozen=True)
class Order:
    """left = O(right): some constant C has |left| <= C |right| over the whole admissible region.

    `hides` names, in the paper's letters, what the constant may depend on; nothing if it is a
    number.
    """

    left: sympy.Expr
    right: sympy.Expr
    hides: str = ""
    sign: str = field(default="= O of", init=False)


Statement: TypeAlias = Identity | UpperBound | LowerBound | Order


@dataclass(frozen=True)
class SpecialCase:
    """A known answer: `side` of the statement equals `equals` at the given values of the symbols.

    `equals` is exact text ("14/15"), or a decimal whose last digit may be off by one.
    """

    says: str
    values: Values
    equals: str
    side: str = "right"


@dataclass(frozen=True)
class Claim:
    """One numbered statement of a paper, or a correction of one.

    `where` says in plain words what each symbol outside the vocabulary stands for.
    `corrects` names the printed claim that this one corrects, or states better; `to_cite` marks
    the best form known of it, the one to cite.
    `about` names the algorithms (members of fltheory.algorithms) of a claim about runs.
    `severity` says how bad it is that the claim is false, if it is. `proof` names the section of
    the documentation with a proof on paper, if there is one: no evidence by itself. `trivial` is
    what holds of the left side of an upper bound if nothing ever moves.
    """

    id: str
    source: Source
    says: str
    statement: Statement
    assumes: tuple[Assumption, ...] = ()
    special_cases: tuple[SpecialCase, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    corrects: str | None = None
    note: str = ""
    about: tuple[str, ...] = ()
    severity: Severity | None = None
    proof: str = ""
    trivial: sympy.Expr | None = None
    to_cite: bool = False
    beside: frozenset[sympy.Symbol] = frozenset()

    def __post_init__(self) -> None:
        if not self.id.startswith(self.source.paper.key + "."):
            raise InvalidInput(
                "claim id", f"start with its paper's key {self.source.paper.key!r}", repr(self.id)
            )
        if not self.says.endswith("."):
            raise InvalidInput(f"sentence of {self.id}", "end with a full stop", repr(self.says))
        used = {str(s) for s in self.symbols}
        usual = {word.name: word.says for word in MEASURED if word.name in used}
        object.__setattr__(self, "where", usual | dict(self.where))
        known = {word.name for word in WORDS} | set(self.where)
        for name in sorted(used):
            if name not in known:
                raise InvalidInput(
                    f"symbol {name} of {self.id}",
                    "be in the vocabulary or explained in `where`",
                    name,
                )

    @cached_property
    def symbols(self) -> frozenset[sympy.Symbol]:
        sides = self.statement.left.free_symbols | self.statement.right.free_symbols
        return frozenset(sides | self.beside)

    def planted(
        self, *, left: sympy.Expr | None = None, right: sympy.Expr | None = None
    ) -> "Claim":
        """The same claim with another left or right side: a planted falsehood, which the checks of
        the claim must refute."""
        sides = {"left": left, "right": right}
        return replace(
            self,
            statement=replace(self.statement, **{k: v for k, v in sides.items() if v is not None}),
        )


@dataclass(frozen=True)
class Finding:
    """One numbered finding of a paper's audit: the claims that reproduce it, and what they leave
    out, with the reason."""

    claims: tuple[str, ...]
    left_out: str = ""

    def __post_init__(self) -> None:
        if not self.claims and not self.left_out:
            raise InvalidInput("finding", "name claims or say why there are none", "neither")


def letter(name: str, **assumptions: bool) -> sympy.Symbol:
    """A symbol of one paper only; the claim's `where` explains it."""
    return sympy.Symbol(name, **(assumptions or {"real": True}))


def named_statement(claim: Claim) -> str:
    """The statement with the names of its quantities, on one line."""
    return f"{claim.statement.left} {claim.statement.sign} {claim.statement.right}"


def evaluate(expression: sympy.Expr, values: Values) -> sympy.Expr:
    """The expression at exact values, by symbol name; every symbol needs a value.

    >>> evaluate(sympy.Symbol("x") ** 2, {"x": "1/2"})
    1/4
    """
    from fltheory.core.enclosure import as_expression

    given = {}
    for symbol in expression.free_symbols:
        if symbol.name not in values:
            raise InvalidInput(f"symbol {symbol.name}", "have a value", "none")
        given[symbol] = as_expression(values[symbol.name])
    return expression.xreplace(given).doit()
