"""Without an optional package: what can be done is done, what cannot is named before work starts,
with a hint that works; never a traceback, never "differs"."""

import json
import subprocess
import sys
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.core import extras
from fltheory.core.extras import PACKAGES, MissingExtra, available, hint, require
from fltheory.ledger import runner

LOG = "round,a,b\n" + "".join(f"{t},1,{t % 2}\n" for t in range(40))
RUN = "--optima 0,1 --step-size 1/4 --rounds 3"
SPEC = """
command = "gap"
[fixed]
algorithm = "mifa"
optima = "0,1"
step-size = "1/4"
[grid]
rounds = [2]
"""


BLOCK = """
import sys
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Refuse())
"""


def without(extra: str, code: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run Python where the package of an extra (or of all of them) cannot be imported."""
    blocked = list(PACKAGES.values()) if extra == "all" else [PACKAGES[extra]]
    return subprocess.run(
        [sys.executable, "-c", BLOCK.replace("{blocked}", repr(blocked)) + code],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


COMMANDS = """
import json
from typer.testing import CliRunner
from fltheory.cli import make_app

for line in LINES:
    done = CliRunner().invoke(make_app(), line.split())
    known = None if done.exception is None else repr(done.exception)
    print(json.dumps([done.exit_code, done.stdout, done.stderr, known]))
"""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str
    exception: str | None


@cache
def commands(extra: str) -> tuple[dict[str, Done], set[str]]:
    """All commands that are tried without an extra, in one process, and the files they left."""
    lines = [line for blocked, line in (*REFUSED, *WORKS) if blocked == extra]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fleet.csv").write_text(LOG)
        (folder / "fleet.parquet").write_bytes(b"PAR1")
        (folder / "grid.toml").write_text(SPEC)
        ran = without(extra, f"LINES = {lines}\n{COMMANDS}", folder)
        assert ran.returncode == 0, ran.stderr
        found = [Done(*json.loads(text)) for text in ran.stdout.splitlines()]
        return dict(zip(lines, found, strict=True)), {path.name for path in folder.iterdir()}


REFUSED = {
    ("plot", f"simulate --algorithm mifa {RUN} --plot x.png"): "--plot needs matplotlib",
    ("plot", "demo drift --png x.png"): "--png needs matplotlib",
    ("worst-case", "worst-case --algorithm mifa --rounds 2 --step-size 1/4"): "worst-case needs",
    ("worst-case", "looseness"): "looseness needs clarabel",
    ("worst-case", "attack fraboni.ex2 --worst-case"): "needs clarabel",
    ("tensor", "train --algorithm mifa --rounds 2 --step-size 1/4"): "train needs torch",
    ("tensor", f"simulate --algorithm mifa {RUN} --arithmetic tensor"): "--arithmetic tensor needs",
    ("fast", f"simulate --algorithm mifa {RUN} --arithmetic compiled"): "compiled needs numba",
    ("parquet", "advise fleet.parquet"): "file fleet.parquet needs pyarrow",
    ("parquet", "results grid.toml -o x.parquet"): "a .parquet file needs pyarrow",
    ("cluster", "sweep grid.toml --scheduler tcp://127.0.0.1:1"): "--scheduler needs distributed",
}


@pytest.mark.slow
@pytest.mark.parametrize(("extra", "line"), REFUSED)
def test_what_needs_a_missing_extra_says_so_before_it_starts(extra: str, line: str) -> None:
    found, files = commands(extra)
    done = found[line]
    message = done.stderr.strip()
    assert (done.code, done.stdout) == (2, ""), done
    assert message.startswith("error: ")
    assert REFUSED[extra, line] in message
    assert hint(extra) in message
    assert "\n" not in message
    assert files == {"fleet.csv", "fleet.parquet", "grid.toml"}, "nothing was written"


WORK = {
    f"simulate --algorithm mifa {RUN} --plot x.png": "fltheory.cli.simulate.make_setup",
    f"simulate --algorithm mifa {RUN} --arithmetic tensor": "fltheory.cli.simulate.make_setup",
    "demo drift --png x.png": "fltheory.teaching.public.demo",
    "worst-case --algorithm mifa --rounds 2 --step-size 1/4": "fltheory.cli.worst_case.make_setup",
    "train --algorithm mifa --rounds 2 --step-size 1/4": (
        "fltheory.problems.samples.synthetic_samples"
    ),
}
"""Where the work of a command begins."""


@pytest.mark.parametrize("line", WORK)
def test_the_extra_is_missed_before_the_work_begins(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []
    monkeypatch.setattr(WORK[line], lambda *given, **more: began.append(line))
    monkeypatch.setattr(extras, "available", lambda extra: False)
    done = CliRunner().invoke(make_app(), line.split())
    assert "which is not installed" in done.stderr
    assert began == []


@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False])
def test_a_report_without_the_extra_for_pictures_says_that_it_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    (tmp_path / "fleet.csv").write_text(LOG)
    monkeypatch.setattr("fltheory.fleet.public.available", lambda extra: there)
    page = tmp_path / "fleet.html"
    done = CliRunner().invoke(make_app(), ["advise", str(tmp_path / "fleet.csv"), "-o", str(page)])
    assert done.exit_code == 0, done.output
    written = page.read_text(encoding="utf-8")
    assert ("<img" in written, "Without pictures" in written) == (there, not there)
    assert there or "extra plot" in written


WORKS = {
    ("all", "advise fleet.csv --json"): "bounds for all losses are not computed",
    ("all", f"gap --algorithm mifa {RUN}"): "",
    ("all", "rates --algorithm mifa --versus K --grid 1,2,4 --rounds 100"): "",
    ("all", "list"): "",
    ("all", "list quantities --json"): "",
    ("all", "explain fraboni.ex2"): "",
    ("all", "attack fraboni.ex2.iff --attempts 20 --jobs 1"): "",
    ("all", "verify fraboni.ex2 afl.thm1 --jobs 1"): "",
    ("all", "report -o ledger.md"): "",
    ("all", "sweep grid.toml --jobs 1"): "",
    ("all", "demo drift --still"): "",
}


@pytest.mark.slow
@pytest.mark.parametrize(("extra", "line"), WORKS)
def test_everything_else_works_without_any_extra(extra: str, line: str) -> None:
    done = commands(extra)[0][line]
    assert done.code == 0, done
    assert done.exception is None
    assert WORKS[extra, line] in done.stderr
    assert "differs" not in done.stderr


@pytest.mark.slow
def test_testing_without_hypothesis_gives_the_hint(tmp_path: Path) -> None:
    done = without("testing", "from fltheory.testing import scenarios", tmp_path)
    assert done.stderr.strip().splitlines()[-1] == (
        "fltheory.core.extras.MissingExtra: fltheory.testing.scenarios needs hypothesis, which is"
        f" not installed: {hint('testing')}"
    )
    done = without("testing", "from fltheory.testing import check_paper", tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_check_without_its_extra_is_not_checked_and_does_not_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = runner.run_task

    def missing(task: runner.CheckTask) -> runner.LedgerLine:
        if task.claim == "fraboni.ex2":
            raise MissingExtra("worst-case", "this check")
        return run(task)

    monkeypatch.setattr(runner, "run_task", missing)
    arguments = ["verify", "fraboni.ex2", "--full", "--jobs", "1"]
    done = CliRunner().invoke(make_app(), arguments)
    assert done.exit_code == 0
    assert done.stderr == "fraboni.ex2: not checked: needs the extra worst-case\n"
    assert "not checked: needs the extra worst-case" in " ".join(done.stdout.split())
    assert "0 differ from the ledger" in done.stdout
    entries = json.loads(CliRunner().invoke(make_app(), [*arguments, "--json"]).stdout)
    assert "fraboni.ex2" not in {entry["id"] for entry in entries}
    assert "fraboni.ex2.iff" in {entry["id"] for entry in entries}


def test_the_hint_is_a_requirement_of_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hint("worst-case").startswith("pip install 'clarabel<1,>=0.9'")
    monkeypatch.setattr(extras, "requires", lambda name: None)
    assert hint("plot").startswith("pip install 'matplotlib'")


def test_a_missing_extra_survives_another_process() -> None:
    problem = MissingExtra("plot", "--plot")
    again = copy(problem)  # by the same means as pickle
    assert (again.extra, str(again)) == ("plot", str(problem))


def test_an_extra_that_is_not_there_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert not available("parquet")
    with pytest.raises(MissingExtra, match="a table needs pyarrow, which is not installed"):
        require("parquet", "a table")
