"""The site builds in strict mode without a network, and the notebooks still print what they
show."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from docs.api import page_names, page_of, public_names
from docs.execute import NOTEBOOKS, executed, printed
from fltheory.ledger.lines import read
from fltheory.ledger.report_rows import rows, totals
from fltheory.ledger.runner import ledger_file
from fltheory.papers import all_claims
from fltheory.teaching.page import page

ROOT = Path(__file__).parents[2]


def build(root: Path, out: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(root)}
    # Not --quiet: it keeps warnings from being counted, and strict mode from failing.
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(out)]
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.slow
def test_the_site_builds_and_asks_for_nothing_from_outside(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    pages = {
        p.relative_to(tmp_path / "site").as_posix(): p.read_text(encoding="utf-8")
        for p in (tmp_path / "site").rglob("*.html")
    }
    wanted = {
        "index.html",
        "demo.html",
        "tutorial.html",
        "teaching.html",
        "adding.html",
        "api/index.html",
        *(f"api/{folder}.html" for folder in page_names(ROOT)),
        "gallery.html",
        "ledger/afl.html",
    }
    assert wanted <= set(pages)
    for name, text in pages.items():
        assert not re.findall(
            r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?(?:https?:)?//", text
        ), name
    assert 'id="fraboni.ex2"' in pages["ledger/fraboni.html"]
    assert "<math" in pages["ledger/mifa.html"]
    for name, module in public_names(ROOT).items():
        assert name in pages["api/index.html"]
        anchor = f'id="{module.replace(".", "-")}"'
        folder = page_of(ROOT, f"fltheory.{module.removeprefix('fltheory.')}")
        assert anchor in pages[f"api/{folder}.html"] or name.isupper(), (name, anchor)
    assert max(len(text) for name, text in pages.items() if name.startswith("api/")) < 500_000


@pytest.mark.slow
def test_the_page_in_the_docs_is_the_one_that_export_writes() -> None:
    assert (ROOT / "docs/demo.html").read_text(encoding="utf-8") == page(), (
        "docs/demo.html is not up to date: make demo"
    )


@pytest.mark.slow
@pytest.mark.parametrize("target", ["no-such-page.md", "index.md"])
def test_a_broken_link_fails_the_build(target: str, tmp_path: Path) -> None:
    """The configuration of the site, on a site of one page."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:")[0]
    assert "hooks: [docs/generated.py]\n" in config
    (tmp_path / "mkdocs.yml").write_text(config.replace("hooks: [docs/generated.py]\n", ""))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"[somewhere]({target})\n")
    shutil.copy(ROOT / "docs" / "site.css", tmp_path / "docs")
    done = build(tmp_path, tmp_path / "site")
    assert (done.returncode == 0) == (target == "index.md"), done.stderr
    assert ("no-such-page.md" in done.stderr) == (target != "index.md")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_print_what_they_show(path: Path) -> None:
    stored, fresh = printed(nbformat.read(path, as_version=4)), printed(executed(path))
    assert any(stored)
    assert fresh == stored


@pytest.mark.slow
def test_a_notebook_whose_numbers_are_no_longer_true_is_noticed(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(1 + 1)")])
    notebook.cells[0].outputs = [nbformat.v4.new_output("stream", name="stdout", text="3\n")]
    nbformat.write(notebook, tmp_path / "planted.ipynb")
    assert printed(executed(tmp_path / "planted.ipynb")) != printed(notebook)


@pytest.mark.slow
def test_the_headline_numbers_of_the_readme_are_those_of_the_ledger() -> None:
    found = rows(list(all_claims().values()), read(ledger_file()))
    assert totals(found) in " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
