"""Explanations and reports: complete, escaped, self-contained."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory import InvalidInput
from fltheory.claims.record import house_folder
from fltheory.cli import make_app
from fltheory.ledger import runner
from fltheory.ledger.attack_record import recorded_attacks
from fltheory.ledger.report import render
from fltheory.ledger.report_rows import Row, rows
from fltheory.papers import all_claims


@pytest.fixture(scope="module")
def found() -> list[Row]:
    return rows(list(all_claims().values()), runner.recorded(), recorded_attacks())


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".md", ".tex"])
def test_every_claim_has_a_row_with_its_formula(suffix: str, found: list[Row]) -> None:
    text = render(found, suffix)
    for row in found:
        shown = row.claim.id if suffix == ".md" else row.claim.id.replace("_", r"\_")
        assert shown in text
        assert row.told.latex in text


@pytest.mark.slow
def test_markdown_shows_no_program_text(found: list[Row]) -> None:
    prose = re.sub(r"\$\$.*?\$\$|`[^`]*`", "", render(found, ".md"), flags=re.DOTALL)
    assert not re.search(r"\w\*\*\d|\\eta|sigma_", prose)
    assert len(re.findall(r"^\$\$$", render(found, ".md"), re.M)) == 2 * len(found)


@pytest.mark.slow
def test_latex_is_ascii_and_its_braces_and_environments_match(found: list[Row]) -> None:
    text = render(found, ".tex")
    assert text.isascii()
    bare = re.sub(r"\\[{}\\]", "", text)
    assert bare.count("{") == bare.count("}")
    begun, ended = (sorted(re.findall(rf"\\{word}{{(\w+)}}", text)) for word in ("begin", "end"))
    assert begun == ended


def compiled(text: str, folder: Path) -> int:
    (folder / "ledger.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "ledger.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=120).returncode


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX: apt install texlive")
def test_latex_compiles_and_a_planted_error_does_not(found: list[Row], tmp_path: Path) -> None:
    assert compiled(render(found, ".tex"), tmp_path) == 0
    assert (tmp_path / "ledger.pdf").stat().st_size > 100_000
    planted = render(found[:1], ".tex").replace(r"\end{document}", r"\frac{1\end{document}")
    assert compiled(planted, tmp_path) != 0


@pytest.mark.slow
def test_the_page_needs_nothing_from_outside(found: list[Row]) -> None:
    page = render(found, ".html")
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert len(page) < 3_000_000


@pytest.mark.slow
def test_unknown_formats_are_refused(found: list[Row]) -> None:
    with pytest.raises(InvalidInput, match="html"):
        render(found, ".pdf")


@pytest.mark.slow
def test_report_command_writes_the_counterexamples_beside_it(tmp_path):
    result = CliRunner().invoke(make_app(), ["report", "-o", str(tmp_path / "out" / "ledger.html")])
    assert result.exit_code == 0, result.stderr
    stored = {path.name for path in (house_folder() / "counterexamples").glob("*.json")}
    assert {path.name for path in (tmp_path / "out" / "counterexamples").glob("*.json")} == stored


def test_explain_tells_what_is_claimed_what_is_true_and_how_we_know():
    result = CliRunner().invoke(make_app(), ["explain", "fedlaavg.thm1.fixed"])
    assert result.exit_code == 0
    for part in (
        "REFUTED",
        "What is claimed",
        "What is true",
        "How we know",
        "fltheory replay",
        "In its place, fedlaavg.thm1.closed",
        "Check it yourself",
        "Words",
    ):
        assert part in result.stdout


def test_cite_gives_bibtex():
    result = CliRunner().invoke(make_app(), ["cite", "fedlaavg.thm1.fixed"])
    assert result.stdout.startswith("@misc{fedlaavg2020,")
