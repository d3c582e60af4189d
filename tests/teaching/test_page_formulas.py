"""What scene 5 writes as a formula is the statement of the ledger: read back from its MathML, both
sides have the claim's values."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import sympy

from fltheory.claims.claim import evaluate
from fltheory.core.formulas import read_formula
from fltheory.papers import find_claim
from fltheory.teaching.instances import instances
from fltheory.teaching.page import page, sources
from tests.teaching.page_truth import drawn, open_page

INSTANCES = {instance["id"]: instance for instance in instances()}
READ = """(ids) => { const signs = { "·": "*", "−": "-", "⌈": "ceil(", "⌉": ")", "⌊": "floor(",
    "⌋": ")" };
  let bars = 0;
  const all = (one) => [...one.childNodes].map(text).join("");
  const letter = (one) => (one.localName === "mover" ? `${one.firstChild.textContent}\u0304`
      : one.textContent);
  const text = (one) => { const tag = one.localName, parts = [...one.childNodes];
    if (!tag) return one.textContent;
    if (tag === "mfrac") return `((${text(parts[0])})/(${text(parts[1])}))`;
    if (tag === "msup") return `((${text(parts[0])})^(${text(parts[1])}))`;
    if (tag === "msqrt") return `sqrt(${all(one)})`;
    if (tag === "msub") return `<${letter(parts[0])}_${parts[1].textContent}>`;
    if (tag === "mover") return `<${letter(one)}>`;
    if (tag === "mi") return /^(max|min|log|exp)$/.test(one.textContent) ? one.textContent
        : `<${one.textContent}>`;
    if (tag === "mtext") return `<${one.textContent}>`;
    if (tag === "mo" && one.textContent === "|") return bars++ % 2 ? ")" : "abs(";
    if (tag === "mo" || tag === "mn") return [...one.textContent].map((sign) => signs[sign] ?? sign)
        .join("");
    return all(one); };
  const choose = document.getElementById("set-claim");
  return ids.map((id) => { choose.value = id; choose.dispatchEvent(new Event("change"));
      fltheory.rest(); bars = 0;
    return all(document.querySelector(".statement")).replaceAll("−", "-"); }); }"""
"""Statements as text for the reader of formulas, symbols as they are shown in angle brackets."""
SIGNS = {"=": " = ", "<=": " ≤ ", ">=": " ≥ ", "= O of": " = O of "}


def value(text: str, instance: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """The number that a written side denotes."""
    shown = {letter: name for name, letter in instance["letters"].items()}
    for name in values:
        shown.setdefault(name.replace("_", " "), name)
    for sign, name in shown.items():
        text = text.replace(f"<{sign}>", name)
    symbols = {name: sympy.Symbol(name) for name in values}
    return evaluate(read_formula(text, symbols), values)


@cache
def own_sides(claim_id: str) -> tuple[dict[str, int], list[Any]]:
    """Random values of a claim's symbols, and its sides there."""
    claim, choose = find_claim(claim_id), drawn(list(INSTANCES).index(claim_id), 6)
    values = {symbol.name: choose(2, 9) for symbol in sorted(claim.symbols, key=str)}
    sides = (claim.statement.left, claim.statement.right)
    return values, [evaluate(side, values) for side in sides]


def read_in_parts(opened: Any, ids: list[str]) -> Iterator[str]:
    """The written statements, a few at a time, so that who looks for one mistake can stop."""
    for first in range(0, len(ids), 20):
        yield from opened.evaluate(READ, ids[first : first + 20])


def wrong(opened: Any) -> Iterator[str]:
    """Claims whose written sides differ from their own at random values, one by one."""
    for written, (claim_id, instance) in zip(
        read_in_parts(opened, list(INSTANCES)), INSTANCES.items(), strict=True
    ):
        values, ours = own_sides(claim_id)
        sides = written.split(SIGNS[instance["sign"]])
        if len(sides) != 2 or any(
            sympy.simplify(value(text, instance, values) - one) != 0
            for text, one in zip(sides, ours, strict=True)
        ):
            yield f"{claim_id}: {written}"


def test_every_formula_reads_back_as_its_claim(browser: Any) -> None:
    opened = open_page(browser, page(), "counterexample")
    assert list(wrong(opened)) == []


@pytest.mark.parametrize(
    ("right", "mistake"),
    [
        ("minus = !minus;", "minus = false;"),
        ("[[node[1], node[2].slice(1)]]", '[[node[1], "1"]]'),
        ("!simple ? inParens(base, names)", "false ? null"),
    ],
)
def test_a_formula_written_wrongly_is_noticed(right: str, mistake: str, browser: Any) -> None:
    texts = sources()
    assert right in texts["scenes/written.js"]
    opened = open_page(
        browser,
        page(texts | {"scenes/written.js": texts["scenes/written.js"].replace(right, mistake)}),
        "counterexample",
    )
    assert any(wrong(opened))
