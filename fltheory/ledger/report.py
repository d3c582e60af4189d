"""The ledger as one page: HTML (self-contained, with a filter), Markdown or LaTeX; one row per
claim."""

from collections.abc import Callable, Sequence

from fltheory.claims.evidence import Method
from fltheory.core.errors import InvalidInput
from fltheory.ledger.notation import statement_latex
from fltheory.ledger.report_page import as_html
from fltheory.ledger.report_rows import Row, totals


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
        for e in row.told.evidence
    ]
    told += [f"attacked: {e['verdict']}, {e['scenario']}" for e in row.told.attacks]
    return "; ".join(told) + (f" ({row.told.counterexample})" if row.told.counterexample else "")


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
    """A complete document: each claim with its formula."""
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


def render(found: Sequence[Row], suffix: str) -> str:
    """The report in the format of a file name suffix."""
    formats: dict[str, Callable[[Sequence[Row]], str]] = {
        ".html": as_html,
        ".md": as_markdown,
        ".tex": as_latex,
    }
    if suffix not in formats:
        raise InvalidInput("report file", "end with .html, .md or .tex", repr(suffix))
    return formats[suffix](found)
