"""Count the files of the package that three walks enter: explain a claim, attack a claim, turn a
CSV file into a number.

`python -m tests.house.walks` prints them. A file is entered when a function of it runs; what runs
while modules are imported is not counted. Each walk has a process of its own.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
WALKS = {
    "explain a claim": ["explain", "fraboni.ex2"],
    "attack a claim": ["attack", "fraboni.ex2.iff", "--attempts", "60", "--jobs", "1"],
    "a CSV file to a number": ["trace", "stats", "log.csv", "--json"],
}
LOG = "round,a,b\n" + "".join(f"{t},1,{t % 2}\n" for t in range(40))
ENTER = """
import json, sys
from pathlib import Path

package, words = str(Path(sys.argv[1]) / "fltheory") + "/", sys.argv[2:]
entered, importing = set(), 0

def watch(frame, event, argument):
    global importing
    file, name = frame.f_code.co_filename, frame.f_code.co_name
    if file == "<frozen importlib._bootstrap>" and name == "_find_and_load_unlocked":
        importing += (event == "call") - (event == "return")
    elif event == "call" and not importing and file.startswith(package):
        entered.add(file.removeprefix(package))

from typer.testing import CliRunner
from fltheory.cli import make_app

app = make_app()
sys.setprofile(watch)
done = CliRunner().invoke(app, words)
sys.setprofile(None)
assert done.exit_code == 0, done.output
print(json.dumps(sorted(entered)))
"""


def entered(words: list[str]) -> list[str]:
    """The files that a command enters, by their path in the package."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "log.csv").write_text(LOG, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", ENTER, str(ROOT), *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


def main() -> None:
    for name, words in WALKS.items():
        files = entered(words)
        sys.stdout.write(f"{name}: {len(files)} files\n")
        sys.stdout.writelines(f"    {file}\n" for file in files)


if __name__ == "__main__":
    main()
