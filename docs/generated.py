"""Pages of the site that are made from the project itself: the ledger, the API and the gallery (a
hook of mkdocs)."""

import html
import re
from pathlib import Path
from typing import Any

import sympy
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from sympy.printing.mathml import mathml

from docs.api import api_pages
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Method
from fltheory.core.vocabulary import WORDS
from fltheory.ledger.lines import read
from fltheory.ledger.report_rows import Row, rows, totals
from fltheory.ledger.runner import counterexample_file, ledger_file
from fltheory.papers import all_claims, papers

ROOT = Path(__file__).parent.parent
SIGNS = {"=": "=", "<=": "&le;", ">=": "&ge;", "= O of": "= O of"}
MARKS = {r"\bar{\tau}": "τ̄", r"\bar{\nu}": "ν̄"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is generated to what is written."""
    found = rows(list(all_claims().values()), read(ledger_file()), counterexample_file)
    pages = {
        "ledger/index.md": ledger_index(found),
        **api_pages(ROOT),
        "gallery.md": gallery(),
    }
    pages |= {
        f"ledger/{paper}.md": paper_page(
            [row for row in found if row.claim.source.paper.key == paper]
        )
        for paper in papers()
    }
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    for picture in sorted((ROOT / "figures").glob("*.png")):
        files.append(
            File.generated(config, f"figures/{picture.name}", content=picture.read_bytes())
        )
    return files


def ledger_index(found: list[Row]) -> str:
    """How many claims of each paper have which verdict."""
    verdicts = sorted({row.verdict for row in found})
    table = [
        "| paper | claims | " + " | ".join(verdicts) + " |",
        "|---" * (len(verdicts) + 2) + "|",
    ]
    for paper in papers():
        mine = [row for row in found if row.claim.source.paper.key == paper]
        counts = [str(sum(row.verdict == v for row in mine)) for v in verdicts]
        table.append(
            f"| [{mine[0].claim.source.paper.title}]({paper}.md) | {len(mine)} | "
            + " | ".join(counts)
            + " |"
        )
    return (
        f"# Ledger\n\n{totals(found)}.\n\n"
        + "\n".join(table)
        + "\n\nThe same from the command line: `fltheory verify`, "
        "`fltheory explain CLAIM`, `fltheory report -o ledger.html`.\n"
    )


def paper_page(mine: list[Row]) -> str:
    """Every claim of one paper: sentence, formula, verdict, evidence, counterexample."""
    paper = mine[0].claim.source.paper
    parts = [f"# {paper.title}\n\n{paper.authors} ({paper.year}), {paper.venue}. {totals(mine)}.\n"]
    return "\n".join(parts + [claim_text(row) for row in mine])


def claim_text(row: Row) -> str:
    told = row.told
    origin = told.source.rpartition("), ")[2] + (
        "" if told.as_printed else " (correction or consequence)"
    )
    heading = f"## {row.claim.id}: {row.verdict} {{ #{row.claim.id} }}"
    parts = [f"{heading}\n", f"{text(told.says)} *{text(origin)}.*\n", formula(row.claim) + "\n"]
    for assumption in told.assumptions:
        stated = "" if assumption["stated_in_the_paper"] else " (**not stated in the paper**)"
        parts.append(f"- assumes: {text(assumption['says'])}{stated}")
    parts += [f"\n{text(told.note)}\n"] if told.note else [""]
    for line in told.evidence:
        sides = f"; left {text(line['left'])}, right {text(line['right'])}" if line["left"] else ""
        parts.append(
            f"- {line['verdict']} by {Method[line['method']].value}:"
            f" {text(line['scenario'])}{sides}"
        )
    if told.counterexample:
        parts.append(f"\nReplay it: `fltheory replay verification/{told.counterexample}`\n")
    return "\n".join(parts) + "\n"


def text(value: str) -> str:
    """Plain text, safe inside Markdown."""
    return re.sub(r"([\\`*_\[\]#|])", r"\\\1", html.escape(" ".join(value.split()), quote=False))


def formula(claim: Claim) -> str:
    """The statement in MathML, which browsers show without any script."""
    letters = {word.name: _plain(word.letter) for word in WORDS}
    names: dict[Any, Any] = {
        s: sympy.Symbol(letters.get(s.name, s.name.replace("_", " "))) for s in claim.symbols
    }
    left, right = (
        mathml(side.xreplace(names), printer="presentation")
        for side in (claim.statement.left, claim.statement.right)
    )
    return (
        "<math"
        f' display="block"><mrow>{left}<mo>{SIGNS[claim.statement.sign]}</mo>{right}</mrow></math>'
    )


def _plain(letter: str) -> str:
    """A letter of the vocabulary without LaTeX: greek names are understood by the printer, marks
    are not."""
    for mark, sign in MARKS.items():
        letter = letter.replace(mark, sign)
    return re.sub(r"[\\{}]", "", letter)


def gallery() -> str:
    """figures/README.md, with its pictures beside it and links to files of the repository left
    out."""
    written = (ROOT / "figures/README.md").read_text(encoding="utf-8")
    written = re.sub(r"\]\(([\w-]+\.png)\)", r"](figures/\1)", written)
    return re.sub(r" \(\[data\]\(.*?\), \[svg\]\(.*?\)\)", "", written)
