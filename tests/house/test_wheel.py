"""The wheel: one import name, the whole record, and the README's commands outside the checkout."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.house.wheel_trial import (
    ROOT,
    clean_environment,
    linked_environment,
    readme_commands,
    run,
)

pytestmark = pytest.mark.slow

EXTRAS = ("tensor", "fast", "plot", "testing", "worst-case", "cluster", "parquet")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "pip", *build, str(ROOT)], check=True, capture_output=True
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_installs_one_name_with_the_whole_record(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"fltheory"}
    recorded = {
        path.relative_to(ROOT / "verification") for path in (ROOT / "verification").rglob("*.json*")
    }
    inside = {
        Path(name).relative_to("fltheory/record")
        for name in names
        if name.startswith("fltheory/record/")
    }
    assert recorded
    assert recorded <= inside
    assert "fltheory/py.typed" in names


def test_readme_has_commands() -> None:
    assert len(readme_commands()) >= 10


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel installs, once for all environments; files that are those of the checkout are
    not compiled again."""
    folder = tmp_path_factory.mktemp("unpacked")
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    for file in folder.rglob("*.py"):
        source = ROOT / file.relative_to(folder)
        if not source.exists() or source.read_bytes() != file.read_bytes():
            continue
        shutil.copystat(source, file)  # what is compiled is known by its source's time and size
        compiled = file.parent / "__pycache__"
        compiled.mkdir(exist_ok=True)
        for made in source.parent.glob(f"__pycache__/{source.stem}.*"):
            shutil.copy2(made, compiled)
    return folder


@pytest.fixture(scope="module")
def bare(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return linked_environment(tmp_path_factory.mktemp("bare"), unpacked, extras=())


def test_without_extras_every_command_works_or_names_the_extra(bare: Path, tmp_path: Path) -> None:
    trials = [run(bare, command, tmp_path) for command in readme_commands()]
    assert [trial for trial in trials if trial.crashed] == []
    assert [trial for trial in trials if trial.exit_code and not trial.refused_for_an_extra] == []


def test_with_all_extras_every_command_works(
    unpacked: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    environment = linked_environment(tmp_path_factory.mktemp("all"), unpacked, extras=EXTRAS)
    assert [
        trial
        for command in readme_commands()
        if (trial := run(environment, command, tmp_path)).exit_code
    ] == []


def test_verify_from_the_wheel_agrees_with_the_record(bare: Path, tmp_path: Path) -> None:
    trial = run(bare, "fltheory verify fedlaavg.thm1.fixed mifa.prop5.1 --jobs 1 --json", tmp_path)
    assert trial.exit_code == 0
    assert "differs" not in trial.output


def test_the_ledger_of_the_wheel_has_the_counts_of_the_checkout(bare: Path, tmp_path: Path) -> None:
    trial = run(bare, "fltheory report -o ledger.md --json", tmp_path)
    from fltheory.ledger import runner
    from fltheory.ledger.report_rows import rows, totals
    from fltheory.papers import all_claims

    found = rows(list(all_claims().values()), runner.recorded())
    assert json.loads(trial.output)["summary"] == totals(found)


def test_an_import_of_the_checkout_would_be_seen(bare: Path, tmp_path: Path) -> None:
    code = (
        "import fltheory, importlib.util as u; "
        "print(fltheory.__file__, u.find_spec('torch'), u.find_spec('verification'))"
    )
    told = subprocess.run(
        [bare / "bin" / "python", "-c", code],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.startswith(str(bare))
    assert told.stdout.split()[1:] == ["None", "None"]
