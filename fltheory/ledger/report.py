"""The ledger as one file: a page (.html), Markdown (.md) or LaTeX (.tex)."""

from collections.abc import Callable, Sequence

from fltheory.core.errors import InvalidInput
from fltheory.ledger.report_latex import as_latex
from fltheory.ledger.report_markdown import as_markdown
from fltheory.ledger.report_page import as_html
from fltheory.ledger.report_rows import Row

FORMATS: dict[str, Callable[[Sequence[Row]], str]] = {
    ".html": as_html,
    ".md": as_markdown,
    ".tex": as_latex,
}


def render(found: Sequence[Row], suffix: str) -> str:
    """The report in the format of a file name suffix."""
    if suffix not in FORMATS:
        raise InvalidInput("report file", "end with .html, .md or .tex", repr(suffix))
    return FORMATS[suffix](found)
