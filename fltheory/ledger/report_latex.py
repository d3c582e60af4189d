"""The ledger as a LaTeX document that pdflatex compiles with amsmath and hyperref alone."""

import re
from collections.abc import Sequence

from fltheory.claims.claim import Severity
from fltheory.claims.evidence import Verdict
from fltheory.core.letters import ACCENTS, GREEK, in_latex
from fltheory.core.prose import prose_in_latex
from fltheory.ledger.claim_letters import explained_letters, meanings
from fltheory.ledger.ranks import tallies
from fltheory.ledger.report_markdown import by_rank
from fltheory.ledger.report_rows import Row
from fltheory.ledger.wording import line_parts

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{amsmath,amssymb,array}
\usepackage[margin=2.4cm]{geometry}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}\emergencystretch=3em
\newcommand{\statement}[1]{\begin{quote}\raggedright$\displaystyle #1$\end{quote}}
"""

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "^": r"\^{}",
    "~": r"\~{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    **{sign: f"\\{sign}" for sign in "_%&#${}"},
}

_GLYPHS = {glyph: f"\\{name}" for name, glyph in GREEK.items()}
_SIGNS = {
    "≤": r"\le",
    "≥": r"\ge",
    "≈": r"\approx",
    "∞": r"\infty",
    "∇": r"\nabla",
    "√": r"\surd",
    "·": r"\cdot",
    "±": r"\pm",
    "−": "-",
    "×": r"\times",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "→": r"\to",
}
_WORDS = {"’": "'", "“": "``", "”": "''", "–": "--", "—": "---", "…": r"\ldots{}", "é": r"\'e"}
_RAISED = {glyph: str(digit) for digit, glyph in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_ACCENTED = {mark: command for mark, command, _ in ACCENTS.values()}

_PIECE = re.compile(
    rf"(?P<base>[{''.join(_GLYPHS)}]|\w(?=[{''.join(_ACCENTED)}]))(?P<accent>[{''.join(_ACCENTED)}])?"
    rf"(?:_(?P<sub>\{{[^{{}}]*\}}|[A-Za-z0-9,]+))?(?P<sup>[{''.join(_RAISED)}]+)?"
    rf"|(?<![A-Za-z])(?P<name>[A-Za-z])_(?P<low>\{{[^{{}}]*\}}|[A-Za-z0-9]+)(?P<high>[{''.join(_RAISED)}]+)?(?![a-z_])"
    rf"|(?P<power>[{''.join(_RAISED)}]+)|(?P<sign>[{''.join(_SIGNS)}])|(?P<other>.)",
    re.DOTALL,
)


def tex(text: str) -> str:
    r"""Text with Greek letters, signs and powers as LaTeX.

    >>> print(tex("τ̄ ≤ 3 & σ_L²"))
    $\bar{\tau}$ $\le$ 3 \& $\sigma_{L}^{2}$
    """

    def piece(found: re.Match[str]) -> str:
        if base := found["base"]:
            shown = _GLYPHS.get(base, base)
            shown = f"{_ACCENTED[found['accent']]}{{{shown}}}" if found["accent"] else shown
            shown += f"_{{{_index(found['sub'])}}}" if found["sub"] else ""
            return f"${shown}{_power(found['sup'])}$"
        if found["name"]:
            return f"${found['name']}_{{{_index(found['low'])}}}{_power(found['high'])}$"
        if found["power"]:
            return f"$^{{{_digits(found['power'])}}}$"
        if sign := found["sign"]:
            return f"${_SIGNS[sign]}$"
        other = found["other"]
        return _ESCAPES.get(other) or _WORDS.get(other) or (other if other.isascii() else "?")

    return _PIECE.sub(piece, text)


def _digits(raised: str) -> str:
    return "".join(_RAISED[digit] for digit in raised)


def _power(raised: str | None) -> str:
    return f"^{{{_digits(raised)}}}" if raised else ""


def _index(index: str) -> str:
    return "".join(_GLYPHS.get(sign, sign) + " " * (sign in _GLYPHS) for sign in index.strip("{}"))


def as_latex(found: Sequence[Row]) -> str:
    """A complete document: the headline, the words, and each claim with its formula."""
    pairs = [(row.claim, Verdict[row.verdict]) for row in found]
    counts = [rf"{tex(one.group)} & {one.claims} & {tex(one.says)} \\" for one in tallies(pairs)]
    words = [rf"\item[{one.name}] {tex(one.value)}" for one in Verdict] + [
        rf"\item[{one.name.lower()}] {tex(one.value)}" for one in Severity
    ]
    parts = [
        PREAMBLE + r"\begin{document}",
        r"\title{Ledger}\date{}\maketitle",
        r"\begin{tabular}{@{}p{5cm}r>{\raggedright\arraybackslash}p{8cm}@{}}",
        *counts,
        r"\end{tabular}",
        r"\begin{description}",
        *words,
        r"\end{description}",
    ]
    for paper in dict.fromkeys(row.claim.source.paper for row in found):
        parts.append(rf"\section{{{tex(paper.title)}}}")
        parts.append(tex(f"{paper.authors} ({paper.year}), {paper.venue}."))
        parts += [_claim(row) for row in by_rank(found) if row.claim.source.paper == paper]
    return "\n".join([*parts, r"\end{document}", ""])


def _claim(row: Row) -> str:
    told, meaning = row.told, meanings(row.claim)
    severity = f" ({told.severity.lower()})" if told.severity else ""
    parts = [
        rf"\subsection*{{\hypertarget{{{told.id}}}{{{tex(told.id)}: {told.verdict}{severity}}}}}",
        rf"{_prose(told.says)} \emph{{{tex(row.claim.source.place)}: {tex(told.authorship)}.}}",
        rf"\statement{{{told.latex}}}",
    ]
    letters = "; ".join(
        f"${in_latex(letter)}$: {_prose(meaning[name])}"
        for name, letter in explained_letters(row.claim).items()
        if " " not in letter
    )
    parts += [f"where {letters}." if letters else ""]
    for title, stated in (("Hypotheses", True), ("Not stated in the paper", False)):
        members = [a for a in told.assumptions if a["stated_in_the_paper"] is stated]
        if members:
            parts.append(f"{title}: {'; '.join(_prose(a['says']) for a in members)}.")
    if told.note:
        parts.append(rf"\textbf{{What is true.}} {_prose(told.note)}")
    parts.append(rf"\textbf{{To cite:}} {tex(told.cite)}.")
    lines = [
        rf"\item {' '.join(tex(part) for part in line_parts(line, told.letters))}"
        for line in (*told.evidence, *told.attacks)
    ]
    if lines:
        parts.append("\n".join([r"\begin{itemize}\small", *lines, r"\end{itemize}"]))
    if told.counterexample:
        parts.append(rf"Repeat it: \texttt{{fltheory replay {tex(told.id)}}}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _prose(text: str) -> str:
    return prose_in_latex(text, tex)
