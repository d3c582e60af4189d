"""A fifth paper, outside the package, passes every command; wrong ones are refused by rule."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import imports_refused
from fltheory.ledger.attack_record import recorded_attacks
from fltheory.ledger.notation import statement_latex
from fltheory.ledger.runner import recorded
from fltheory.papers import all_claims, find_claim, papers
from fltheory.papers.folders import VARIABLE, add_papers
from fltheory.testing.contracts import check_paper

HERE = Path(__file__).parent
PAPERS = HERE / "papers"
VERDICTS = {
    "localsgd.one-step": "PROVED",
    "localsgd.deviation": "SUPPORTED",
    "localsgd.deviation.linear": "REFUTED",
    "localsgd.descent": "SUPPORTED",
    "localsgd.descent.absent": "REFUTED",
    "localsgd.speed.rate.T": "SUPPORTED",
}


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(make_app(), list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy under another name, so that it can be spoiled."""
    folder = tmp_path / "spoiled"
    shutil.copytree(PAPERS / "localsgd", folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in folder.rglob("*.py"):
        file.write_text(file.read_text().replace("localsgd", "spoiled"))
    for file in (folder / "record").rglob("*.json*"):
        file.write_text(file.read_text().replace("localsgd", "spoiled"))
        file.rename(file.with_name(file.name.replace("localsgd", "spoiled")))
    return folder


def spoil(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


@pytest.mark.slow
def test_every_check_decides_its_claim_and_refutes_a_falsehood() -> None:
    found = {claim: line.verdict.name for claim, line in check_paper(PAPERS / "localsgd").items()}
    assert found == VERDICTS


def test_verify_agrees_with_the_record_of_the_paper() -> None:
    code, text = run(
        "verify", "localsgd", "--papers", str(PAPERS), "--full", "--jobs", "1", "--json"
    )
    assert code == 0
    assert {entry["id"]: entry["verdict"] for entry in json.loads(text)} == VERDICTS


@pytest.mark.slow
def test_worker_processes_find_the_paper() -> None:
    code, _ = run("verify", "localsgd.d*", "--papers", str(PAPERS), "--jobs", "2")
    assert code == 0


@pytest.mark.slow
def test_a_wrong_check_makes_verify_exit_1(copy: Path) -> None:
    assert run("verify", "spoiled", "--papers", str(copy), "--jobs", "1")[0] == 0
    spoil(copy / "checks" / "__init__.py", "apart = sum(", "apart = 17 * sum(")
    done = subprocess.run(
        [sys.executable, "-m", "fltheory", "verify", "spoiled", "--papers", str(copy), "--jobs=1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "spoiled.deviation: REFUTED by runs in exact rational" in done.stderr


@pytest.mark.slow
def test_a_record_goes_into_the_paper_s_own_folder(copy: Path) -> None:
    shutil.rmtree(copy / "record")
    house = {
        path: path.stat().st_mtime_ns for path in (HERE.parents[1] / "verification").rglob("*")
    }
    code, text = run("verify", "spoiled", "--papers", str(copy), "--jobs", "1")
    assert code == 1
    assert "is not in the ledger" in text
    assert run("verify", "spoiled.d*", "--papers", str(copy), "--jobs", "1", "--record")[0] == 0
    names = ("attack", "spoiled.d*", "--attempts", "60", "--jobs", "1", "--record")
    assert run(*names, "--papers", str(copy))[0] == 0
    written = {
        path.relative_to(copy / "record").as_posix() for path in copy.rglob("record/**/*.json*")
    }
    refuted = {"spoiled.descent.absent.json", "spoiled.deviation.linear.json"}
    assert written == {
        "ledger.jsonl",
        "attacks.jsonl",
        *(f"counterexamples/{name}" for name in refuted),
        *(f"counterexamples/attack/{name}" for name in refuted),
    }
    now = {path: path.stat().st_mtime_ns for path in (HERE.parents[1] / "verification").rglob("*")}
    assert now == house
    assert {line.evidence.claim.split(".")[0] for line in recorded_attacks()} >= {"spoiled", "mifa"}
    assert {line.evidence.claim.split(".")[0] for line in recorded()} >= {"spoiled", "mifa"}


@pytest.mark.slow
def test_attack_breaks_what_is_false_and_nothing_else() -> None:
    words = ("attack", "localsgd", "--papers", str(PAPERS), "--attempts", "60", "--jobs", "1")
    code, text = run(*words, "--json")
    broken = {entry["id"] for entry in json.loads(text) if entry["verdict"] == "REFUTED"}
    assert code == 0
    assert broken == {name for name, verdict in VERDICTS.items() if verdict == "REFUTED"}


@pytest.mark.parametrize("name", ["localsgd.descent.absent", "localsgd.deviation.linear"])
def test_counterexamples_of_check_and_of_search_replay(name: str) -> None:
    for folder in ("counterexamples", "counterexamples/attack"):
        file = PAPERS / "localsgd" / "record" / folder / f"{name}.json"
        code, text = run("replay", str(file), "--papers", str(PAPERS))
        assert (code, "confirmed" in text) == (0, True)


def test_explain_and_cite_speak_of_the_paper() -> None:
    code, text = run("explain", "localsgd.deviation.linear", "--papers", str(PAPERS))
    assert code == 0
    assert "REFUTED" in text
    assert "Local SGD Converges Fast" in text
    assert "--papers" in text
    code, text = run("cite", "localsgd.deviation", "--papers", str(PAPERS))
    assert (code, text.startswith("@inproceedings{localsgd2019,")) == (0, True)


@pytest.mark.slow
def test_report_has_its_rows_and_its_counterexamples(tmp_path: Path) -> None:
    code, _ = run("report", "-o", str(tmp_path / "ledger.md"), "--papers", str(PAPERS))
    assert code == 0
    text = (tmp_path / "ledger.md").read_text(encoding="utf-8")
    assert all(name in text for name in VERDICTS)
    assert (tmp_path / "counterexamples" / "localsgd.deviation.linear.json").exists()
    assert (tmp_path / "counterexamples" / "fraboni.ex2.json").exists()


def test_list_names_the_paper_with_its_version_and_letters() -> None:
    code, text = run("list", "papers", "--papers", str(PAPERS), "--json")
    found = {entry["key"]: entry for entry in json.loads(text)}
    assert code == 0
    assert set(found) == {"afl", "fedlaavg", "fraboni", "mifa", "localsgd"}
    assert found["localsgd"]["letters"]["local_steps"] == "H"
    assert all(entry["version"] for entry in found.values())


def test_rates_measures_its_regime() -> None:
    words = ("rates", "--algorithm", "localsgd.speed", "--papers", str(PAPERS), "--json")
    code, text = run(*words, "--grid", "250,500,1000,2000")
    (entry,) = json.loads(text)
    assert code == 0
    assert abs(entry["exponent"] + 0.5) < 0.05


def test_looseness_has_its_theorem() -> None:
    words = ("looseness", "localsgd.descent", "--along", "num_rounds", "--papers", str(PAPERS))
    code, text = run(*words, "--json")
    assert code == 0
    assert all(0 < row["ratio"] <= 1.001 for row in json.loads(text))


def test_formulas_in_the_letters_of_the_paper() -> None:
    add_papers(PAPERS)
    claim = find_claim("localsgd.deviation")
    assert statement_latex(claim).endswith(r"\le 4 \eta_{t}^{2} G^{2} H^{2}")


def test_without_the_option_nothing_is_known_of_it() -> None:
    assert "localsgd" not in papers()
    assert run("explain", "localsgd.deviation")[0] == 2


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("paper.py", 'key="spoiled"', 'key="mifa"', "paper mifa must have a key of its own"),
        ("paper.py", 'key="spoiled"', 'key="../x"', "must be one word of small letters"),
        ("statements.py", '"spoiled.deviation"', '"other.deviation"', "start with its paper's key"),
        ("statements.py", '"spoiled.deviation"', '"spoiled.descent"', "must be stated once"),
        ("paper.py", 'record=Path(__file__).parent / "record",', "", "must name the folder of its"),
        ("paper.py", "PAPER = Paper(", "OTHER = Paper(", "define PAPER"),
        ("statements.py", "CLAIMS = (", "CLAIMS = (1,", "hold claims"),
        ("statements.py", "CLAIMS = (", "CLAIMS = 1 / 0, (", "ZeroDivisionError"),
    ],
)
def test_a_paper_that_breaks_a_rule_is_refused_by_name(
    copy: Path, file: str, old: str, new: str, says: str
) -> None:
    spoil(copy / file, old, new)
    code, text = run("explain", "spoiled.deviation", "--papers", str(copy))
    assert code == 2
    assert says in text


def test_a_folder_that_is_no_paper_is_refused(tmp_path: Path) -> None:
    for folder, says in ((tmp_path / "none", "be a folder"), (tmp_path, "be a paper")):
        code, text = run("verify", "--papers", str(folder))
        assert (code, says in text) == (2, True)


def test_a_name_of_another_module_is_refused(tmp_path: Path, copy: Path) -> None:
    copy.rename(tmp_path / "json")
    code, text = run("list", "papers", "--papers", str(tmp_path / "json"))
    assert code == 2
    assert "be one that no other module has" in text


def test_a_file_brings_no_paper(copy: Path) -> None:
    with imports_refused(), pytest.raises(InvalidInput, match="a file imports nothing"):
        add_papers(copy)
    assert os.environ[VARIABLE] == ""


def test_checks_of_contracts_can_fail(copy: Path) -> None:
    spoil(copy / "statements.py", '                "4",', '                "5",')
    with pytest.raises(AssertionError, match="4 instead of 5"):
        check_paper(copy)


def test_a_claim_without_a_check_is_named(copy: Path) -> None:
    spoil(copy / "checks" / "__init__.py", '    Check("spoiled.one-step", one_step),\n', "")
    with pytest.raises(AssertionError, match=r"spoiled\.one-step has no check"):
        check_paper(copy)


def test_a_check_that_cannot_refute_is_named(copy: Path) -> None:
    """It decides by the claim's id instead of its sides."""
    spoil(
        copy / "checks" / "__init__.py",
        "    return check_instances(\n        claim, found,",
        "    return check_instances(\n        find_claim(claim.id), found,",
    )
    spoil(
        copy / "checks" / "__init__.py",
        "import sympy\n",
        "import sympy\nfrom fltheory.papers import find_claim\n",
    )
    with pytest.raises(AssertionError, match="does not refute a planted falsehood"):
        check_paper(copy)


def test_all_claims_are_back_to_those_of_the_package() -> None:
    add_papers(PAPERS)
    more = len(all_claims())
    os.environ[VARIABLE] = ""
    assert len(all_claims()) == more - len(VERDICTS)
