"""`python -m docs.totals`: write the ledger's totals into README.md and its tables into
docs/theorems.md, between their marks."""

import re
import sys
from pathlib import Path

from docs.numbered import with_tables
from fltheory.ledger import runner
from fltheory.ledger.report_rows import rows, totals
from fltheory.papers import all_claims

README = Path(__file__).parents[1] / "README.md"
THEOREMS = Path(__file__).with_name("theorems.md")
MARKED = re.compile(r"(<!-- totals -->\n).*?(\n<!-- end of totals -->)", re.DOTALL)


def with_totals(text: str) -> str:
    """The page with the totals of the recorded ledger."""
    claims = list(all_claims().values())
    told = totals(rows(claims, runner.recorded()))
    written, count = MARKED.subn(lambda found: f"{found[1]}The ledger: {told}.{found[2]}", text)
    if count != 1:
        raise ValueError("README.md must have the marks of the totals once")
    return written


if __name__ == "__main__":
    README.write_text(with_totals(README.read_text(encoding="utf-8")), encoding="utf-8")
    THEOREMS.write_text(with_tables(THEOREMS.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write("README.md: totals written; docs/theorems.md: tables written\n")
