"""The ledger as one self-contained HTML page with a filter."""

import html
from collections.abc import Sequence

from fltheory.claims.evidence import Method, Verdict
from fltheory.ledger.report_rows import Row, totals

_STYLE = """
:root{color-scheme:light dark;--line:#8884}
body{font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:.2rem}
button{font:inherit;margin:.2rem .3rem .2rem 0;padding:.2rem .7rem;border:1px solid var(--line);
border-radius:1rem;background:none;color:inherit;cursor:pointer}
button[aria-pressed=true]{outline:2px solid currentColor}
details{border-top:1px solid var(--line);padding:.4rem 0}
summary{cursor:pointer;display:grid;gap:.2rem .8rem;
grid-template-columns:minmax(8rem,17rem) 7rem 1fr}
summary code{overflow-wrap:anywhere}
@media(max-width:50rem){summary{grid-template-columns:1fr auto}
summary span:last-child{grid-column:1/-1}}.v{font-weight:600}
.REFUTED{color:#c2410c}.PROVED{color:#0f766e}.CERTIFIED{color:#0f766e}
.SUPPORTED{color:#2563eb}.VACUOUS{color:#9333ea}.UNDECIDED{color:#6b7280}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8881;padding:.6rem;border-radius:.4rem}
dt{font-weight:600}dd{margin:0 0 .4rem 1rem}
"""

_SCRIPT = """
const buttons=[...document.querySelectorAll('button')];
const rows=[...document.querySelectorAll('details')];
buttons.forEach(b=>b.onclick=()=>{buttons.forEach(o=>o.setAttribute('aria-pressed',o===b));
rows.forEach(r=>r.hidden=b.value&&r.dataset.verdict!==b.value)});
"""


def as_html(found: Sequence[Row]) -> str:
    """A page without outside resources; buttons filter by verdict, and each row unfolds."""
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
    head = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>fltheory ledger</title><style>{_STYLE}</style>"
    )
    return (
        f"{head}<h1>Ledger</h1><p>{html.escape(totals(found))}.</p>"
        f'<nav aria-label="filter by verdict">{buttons}</nav>{"".join(body)}'
        f"<script>{_SCRIPT}</script></html>\n"
    )


def _html_row(row: Row) -> str:
    told = row.told
    link = (
        "<p>Counterexample: <a"
        f' href="{html.escape(told.counterexample)}">{html.escape(told.counterexample)}</a>,'
        " replay with <code>fltheory replay</code></p>"
        if told.counterexample
        else ""
    )
    where = "".join(
        f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in told.where.items()
    )
    unstated = " <em>(not stated in the paper)</em>"
    assumes = "".join(
        f"<li>{html.escape(a['says'])}{'' if a['stated_in_the_paper'] else unstated}</li>"
        for a in told.assumptions
    )
    evidence = "".join(
        f"<li><span class='{e['verdict']}'>{e['verdict']}</span> by"
        f" {html.escape(Method[e['method']].value)}: {html.escape(e['scenario'])}<br>left"
        f" {html.escape(e['left'])}, right {html.escape(e['right'])}, left/right"
        f" {html.escape(e['looseness'])}<br>{html.escape(e['note'])}</li>"
        for e in told.evidence
    )
    attacks = "".join(
        f"<p>Attacked: <span class='{e['verdict']}'>{e['verdict']}</span>,"
        f" {html.escape(e['scenario'])}{'; ' if e['note'] else ''}{html.escape(e['note'])}</p>"
        for e in told.attacks
    )
    note = f"<p>{html.escape(told.note)}</p>" if told.note else ""
    related = "".join(
        f"<p>{label} {html.escape(', '.join(ids))}</p>"
        for label, ids in (
            ("Corrects", [told.corrects] if told.corrects else []),
            ("Corrected by", told.corrected_by),
        )
        if ids
    )
    summary = (
        f"<summary><code>{html.escape(row.claim.id)}</code>"
        f'<span class="v {row.verdict}">{row.verdict}</span>'
        f"<span>{html.escape(row.claim.says)}</span></summary>"
    )
    origin = f": {told.authorship}"
    return (
        f'<details id="{html.escape(row.claim.id)}" data-verdict="{row.verdict}">{summary}'
        f"<p>{html.escape(told.source)}{origin}</p>"
        f"<pre>{html.escape(told.statement)}</pre><dl>{where}</dl>"
        f"{f'<ul>{assumes}</ul>' if assumes else ''}{note}{related}"
        f"<ul>{evidence}</ul>{attacks}{link}</details>"
    )
