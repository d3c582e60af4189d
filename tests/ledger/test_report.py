"""Explanations and reports: complete, escaped, self-contained."""

import re

import pytest
from typer.testing import CliRunner

from fltheory import InvalidInput
from fltheory.claims.record import house_folder
from fltheory.cli import make_app
from fltheory.ledger import runner
from fltheory.ledger.report import render
from fltheory.ledger.report_rows import rows
from fltheory.papers import all_claims


def found():
    return rows(list(all_claims().values()), runner.recorded(), runner.counterexample_file)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".html", ".md", ".tex"])
def test_every_claim_has_a_row(suffix):
    text = render(found(), suffix)
    for claim in all_claims():
        assert (claim if suffix != ".tex" else claim.replace("_", r"\_")) in text


@pytest.mark.slow
def test_the_page_needs_nothing_from_outside():
    page = render(found(), ".html")
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    assert page.count("<details") == len(all_claims())
    assert "<script>" in page
    assert len(page) < 3_000_000


@pytest.mark.slow
def test_unknown_formats_are_refused():
    with pytest.raises(InvalidInput, match="html"):
        render(found(), ".pdf")


@pytest.mark.slow
def test_report_command_writes_the_counterexamples_beside_it(tmp_path):
    result = CliRunner().invoke(make_app(), ["report", "-o", str(tmp_path / "out" / "ledger.html")])
    assert result.exit_code == 0, result.stderr
    stored = {path.name for path in (house_folder() / "counterexamples").glob("*.json")}
    assert {path.name for path in (tmp_path / "out" / "counterexamples").glob("*.json")} == stored


def test_explain_tells_what_is_claimed_what_is_true_and_how_we_know():
    result = CliRunner().invoke(make_app(), ["explain", "fedlaavg.thm1"])
    assert result.exit_code == 0
    for part in (
        "REFUTED",
        "What is claimed",
        "What is true",
        "How we know",
        "fltheory replay",
        "Corrected by",
        "LaTeX",
    ):
        assert part in result.stdout


def test_cite_gives_bibtex():
    result = CliRunner().invoke(make_app(), ["cite", "fedlaavg.thm1"])
    assert result.stdout.startswith("@misc{fedlaavg2020,")
