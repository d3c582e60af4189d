"""The ledger as one page: HTML (self-contained, with a filter), Markdown or LaTeX; one row per
claim."""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Method, Verdict
from fltheory.core.errors import InvalidInput
from fltheory.ledger.explain import explanation, statement_latex
from fltheory.ledger.lines import LedgerLine


@dataclass(frozen=True)
class Row:
    """One claim with all that is known of it."""

    claim: Claim
    told: dict[str, Any]

    @property
    def verdict(self) -> str:
        return str(self.told["verdict"])


def rows(
    claims: Sequence[Claim],
    lines: Sequence[LedgerLine],
    counterexample: Callable[[str], Path],
    attacks: Sequence[LedgerLine] = (),
) -> list[Row]:
    """Claims in the order of their papers and ids, each with its lines; recorded attacks stand
    beside them."""
    by_claim, attacked = _by_claim(lines), _by_claim(attacks)

    def file(claim: Claim) -> str | None:
        path = counterexample(claim.id)
        return f"counterexamples/{path.name}" if path.exists() else None

    return [
        Row(
            claim,
            explanation(
                claim,
                by_claim.get(claim.id, []),
                claims,
                file(claim),
                attacks=attacked.get(claim.id, []),
            ),
        )
        for claim in claims
    ]


def _by_claim(lines: Sequence[LedgerLine]) -> dict[str, list[LedgerLine]]:
    found: dict[str, list[LedgerLine]] = {}
    for line in lines:
        found.setdefault(line.evidence.claim, []).append(line)
    return found


def totals(found: Sequence[Row]) -> str:
    """How many claims have which verdict, in one sentence."""
    counts = [(v.name, sum(row.verdict == v.name for row in found)) for v in Verdict]
    return f"{len(found)} claims: " + ", ".join(f"{n} {name}" for name, n in counts if n)


def as_markdown(found: Sequence[Row]) -> str:
    """A table per paper."""
    parts = ["# Ledger\n", totals(found) + ".\n"]
    for paper in dict.fromkeys(row.claim.source.paper for row in found):
        parts.append(
            f"\n## {paper.title}\n\n| claim | verdict | says | evidence |\n|---|---|---|---|"
        )
        for row in found:
            if row.claim.source.paper == paper:
                cells = (row.claim.id, row.verdict, row.claim.says, _evidence_text(row))
                parts.append(
                    "| "
                    + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
                    + " |"
                )
    return "\n".join(parts) + "\n"


def _evidence_text(row: Row) -> str:
    told = [
        f"{Method[e['method']].value}: {e['scenario']}"
        + (f"; {e['left']} against {e['right']}" if e["left"] else "")
        for e in row.told["evidence"]
    ]
    told += [f"attacked: {e['verdict']}, {e['scenario']}" for e in row.told["attacks"]]
    return "; ".join(told) + (
        f" ({row.told['counterexample']})" if row.told["counterexample"] else ""
    )


_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "_": r"\_",
        "%": r"\%",
        "&": r"\&",
        "#": r"\#",
        "$": r"\$",
        "{": r"\{",
        "}": r"\}",
        "^": r"\^{}",
        "~": r"\~{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def as_latex(found: Sequence[Row]) -> str:
    """A document that compiles on its own: each claim with its formula."""
    parts = [
        r"\documentclass{article}\usepackage{amsmath,amssymb}\usepackage[margin=2cm]{geometry}\setlength{\parindent}{0pt}",
        r"\begin{document}\section*{Ledger}",
        totals(found).translate(_TEX) + ".",
    ]
    for row in found:
        parts.append(
            rf"\paragraph{{{row.claim.id.translate(_TEX)}: {row.verdict}.}}"
            rf" {row.claim.says.translate(_TEX)}"
        )
        parts.append(rf"\begin{{multline*}}{statement_latex(row.claim)}\end{{multline*}}")
        parts.append(_evidence_text(row).translate(_TEX))
    return "\n".join([*parts, r"\end{document}", ""])


_STYLE = """
:root{color-scheme:light dark;--line:#8884}body{font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:.2rem}button{font:inherit;margin:.2rem .3rem .2rem 0;padding:.2rem .7rem;border:1px solid var(--line);border-radius:1rem;
background:none;color:inherit;cursor:pointer}button[aria-pressed=true]{outline:2px solid currentColor}
details{border-top:1px solid var(--line);padding:.4rem 0}
summary{cursor:pointer;display:grid;gap:.2rem .8rem;grid-template-columns:minmax(8rem,17rem) 7rem 1fr}summary code{overflow-wrap:anywhere}
@media(max-width:50rem){summary{grid-template-columns:1fr auto}summary span:last-child{grid-column:1/-1}}.v{font-weight:600}
.REFUTED{color:#c2410c}.PROVED{color:#0f766e}.CERTIFIED{color:#0f766e}
.SUPPORTED{color:#2563eb}.VACUOUS{color:#9333ea}.UNDECIDED{color:#6b7280}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8881;padding:.6rem;border-radius:.4rem}
dt{font-weight:600}dd{margin:0 0 .4rem 1rem}
"""

_SCRIPT = """
const buttons=[...document.querySelectorAll('button')],rows=[...document.querySelectorAll('details')];
buttons.forEach(b=>b.onclick=()=>{buttons.forEach(o=>o.setAttribute('aria-pressed',o===b));
rows.forEach(r=>r.hidden=b.value&&r.dataset.verdict!==b.value)});
"""


def as_html(found: Sequence[Row]) -> str:
    """A page without any outside resource; buttons filter by verdict, each row unfolds."""
    verdicts = [v.name for v in Verdict if any(row.verdict == v.name for row in found)]
    buttons = '<button value="" aria-pressed="true">all</button>' + "".join(
        f'<button value="{v}" aria-pressed="false">{v}'
        f" {sum(row.verdict == v for row in found)}</button>"
        for v in verdicts
    )
    body = []
    for paper in dict.fromkeys(row.claim.source.paper for row in found):
        body.append(
            f"<h2>{html.escape(paper.title)}</h2><p>{html.escape(paper.authors)} ({paper.year}),"
            f" {html.escape(paper.venue)}</p>"
        )
        body += [_html_row(row) for row in found if row.claim.source.paper == paper]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport"'
        ' content="width=device-width,initial-scale=1"><title>fltheory'
        f" ledger</title><style>{_STYLE}</style><h1>Ledger</h1><p>{html.escape(totals(found))}.</p><nav"
        ' aria-label="filter by'
        f' verdict">{buttons}</nav>{"".join(body)}<script>{_SCRIPT}</script></html>\n'
    )


def _html_row(row: Row) -> str:
    told = row.told
    link = (
        "<p>Counterexample: <a"
        f' href="{html.escape(told["counterexample"])}">{html.escape(told["counterexample"])}</a>,'
        " replay with <code>fltheory replay</code></p>"
        if told["counterexample"]
        else ""
    )
    where = "".join(
        f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in told["where"].items()
    )
    assumes = "".join(
        f"<li>{html.escape(a['says'])}{'' if a['stated_in_the_paper'] else ' <em>(not stated in the paper)</em>'}</li>"
        for a in told["assumptions"]
    )
    evidence = "".join(
        f"<li><span class='{e['verdict']}'>{e['verdict']}</span> by"
        f" {html.escape(Method[e['method']].value)}: {html.escape(e['scenario'])}<br>left"
        f" {html.escape(e['left'])}, right {html.escape(e['right'])}, left/right"
        f" {html.escape(e['looseness'])}<br>{html.escape(e['note'])}</li>"
        for e in told["evidence"]
    )
    attacks = "".join(
        f"<p>Attacked: <span class='{e['verdict']}'>{e['verdict']}</span>,"
        f" {html.escape(e['scenario'])}{'; ' if e['note'] else ''}{html.escape(e['note'])}</p>"
        for e in told["attacks"]
    )
    note = f"<p>{html.escape(told['note'])}</p>" if told["note"] else ""
    related = "".join(
        f"<p>{label} {html.escape(', '.join(ids))}</p>"
        for label, ids in (
            ("Corrects", [told["corrects"]] if told["corrects"] else []),
            ("Corrected by", told["corrected_by"]),
        )
        if ids
    )
    return (
        f'<details id="{html.escape(row.claim.id)}"'
        f' data-verdict="{row.verdict}"><summary><code>{html.escape(row.claim.id)}</code>'
        '<span class="v'
        f' {row.verdict}">{row.verdict}</span><span>{html.escape(row.claim.says)}</span></summary>'
        f"<p>{html.escape(told['source'])}{'' if told['as_printed'] else ' (correction or consequence)'}</p>"
        f"<pre>{html.escape(told['statement'])}</pre><dl>{where}</dl>{f'<ul>{assumes}</ul>' if assumes else ''}{note}{related}"
        f"<ul>{evidence}</ul>{attacks}{link}</details>"
    )


def render(found: Sequence[Row], suffix: str) -> str:
    """The report in the format that a file name asks for."""
    formats: dict[str, Callable[[Sequence[Row]], str]] = {
        ".html": as_html,
        ".md": as_markdown,
        ".tex": as_latex,
    }
    if suffix not in formats:
        raise InvalidInput("report file", "end with .html, .md or .tex", repr(suffix))
    return formats[suffix](found)
