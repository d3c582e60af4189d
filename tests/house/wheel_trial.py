"""Try the wheel outside the checkout: the commands of README.md, without extras and with all.

`python -m tests.house.wheel_trial WHEEL` installs it with pip into fresh environments. The tests
use `linked_environment`, which is as clean but takes the dependencies from the environment at hand.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDS_EXTRA = "(the extra "
SECONDS = 600


def readme_commands() -> list[str]:
    """The lines `$ fltheory ...` in the console blocks of README.md, in order."""
    blocks = re.findall(r"^```console\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    return [
        line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ fltheory")
    ]


@dataclass(frozen=True)
class Trial:
    """How a command ended."""

    command: str
    exit_code: int
    output: str

    @property
    def refused_for_an_extra(self) -> bool:
        return self.exit_code == 2 and NEEDS_EXTRA in " ".join(self.output.split())

    @property
    def crashed(self) -> bool:
        return "Traceback" in self.output


def clean_environment() -> dict[str, str]:
    """The variables of this process without those that lead Python elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(environment: Path, command: str, folder: Path) -> Trial:
    """One command of README in an environment, from a folder outside the checkout."""
    program, *arguments = command.split()
    quoted = re.findall(r'"[^"]*"|\S+', command)[1:]
    arguments = [argument.strip('"') for argument in quoted]
    done = subprocess.run(
        [environment / "bin" / "python", "-m", program, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=clean_environment() | {"COLUMNS": "100"},
        timeout=SECONDS,
        check=False,
    )
    return Trial(command, done.returncode, done.stdout + done.stderr)


def linked_environment(folder: Path, unpacked: Path, *, extras: tuple[str, ...]) -> Path:
    """A fresh environment with an unpacked wheel, its dependencies and those of some extras, all
    linked."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = (folder / "lib").glob("python*/site-packages")
    for part in unpacked.iterdir():
        (site / part.name).symlink_to(part)
    for found in _closure(site, extras):
        for name in {Path(str(file)).parts[0] for file in found.files or ()} - {
            "..",
            "__pycache__",
        }:
            source, target = Path(str(found.locate_file(name))), site / name
            if source.exists() and not target.exists():
                target.symlink_to(source)
    return folder


def _closure(site: Path, extras: tuple[str, ...]) -> list[Distribution]:
    """Every distribution that the wheel needs, and those that these need."""
    from packaging.requirements import Requirement

    (own,) = Distribution.discover(name="fltheory", path=[str(site)])
    waiting, found = [(own, extras)], dict[str, Distribution]()
    while waiting:
        current, asked = waiting.pop()
        for text in current.requires or ():
            needed = Requirement(text)
            wanted = [{"extra": extra} for extra in ("", *asked)]
            if needed.marker is not None and not any(map(needed.marker.evaluate, wanted)):
                continue
            if needed.name == "fltheory":
                waiting.append((own, tuple(needed.extras)))
            elif needed.name not in found:
                try:
                    found[needed.name] = distribution(needed.name)
                except PackageNotFoundError:
                    continue
                waiting.append((found[needed.name], tuple(needed.extras)))
    return list(found.values())


def _installed(folder: Path, wheel: str) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run(
        [folder / "bin" / "python", "-m", "pip", "install", "--quiet", wheel], check=True
    )
    return folder


def main(wheel: Path) -> int:
    """The number of commands that went wrong."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        everything = "tensor,fast,plot,testing,worst-case,cluster,parquet"
        for name, what in (("bare", str(wheel)), ("all", f"{wheel}[{everything}]")):
            environment, place = (
                _installed(Path(folder) / name, what),
                Path(folder) / f"{name}-work",
            )
            place.mkdir()
            for command in readme_commands():
                trial = run(environment, command, place)
                good = trial.exit_code == 0 or (name == "bare" and trial.refused_for_an_extra)
                wrong += not good or trial.crashed
                sys.stdout.write(
                    f"{name}: {'ok' if good else 'WRONG'} {trial.exit_code} {command}\n"
                )
                if not good:
                    sys.stdout.write(trial.output)
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1]).resolve()), 100))
