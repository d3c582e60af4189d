"""Check the theorems of this folder with Coq: python3 verification/kernel/prove.py [--mutants].

Compiles every .v file, lets the independent checker coqchk read the result, asks Coq for the axioms
of every theorem that a .toml file lists, and fails on any axiom beyond the four of Coq's real
numbers. Standard library only. --mutants plants the falsehoods of the .toml files, which must not
compile. --write updates theorems.json, the summary for readers without Coq; otherwise the summary
is compared.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "kernel"
SUMMARY = HERE / "theorems.json"
AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
IMPORT = re.compile(r"^From FL Require (?:Import|Export) ([\w\s]+)\.", re.MULTILINE)
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset\s+Guard|bypass_check)\b"
)
MUTANT_SECONDS = 180


class Refused(Exception):
    """The development does not prove what it says."""


def sources(folder: Path = HERE) -> dict[str, str]:
    """Text of every .v file by module name."""
    return {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.v"))}


def imports(text: str) -> list[str]:
    """Modules of this folder that a file imports."""
    return [name for group in IMPORT.findall(text) for name in group.split()]


def needs(name: str, texts: dict[str, str]) -> list[str]:
    """A module and all that it depends on, dependencies first."""
    order: list[str] = []

    def visit(module: str) -> None:
        if module not in order:
            if module not in texts:
                raise Refused(f"{name} imports {module}, which does not exist")
            for other in imports(texts[module]):
                visit(other)
            order.append(module)

    visit(name)
    return order


def digest(name: str, texts: dict[str, str]) -> str:
    """sha256 over a module and all that it depends on, in a fixed order."""
    total = hashlib.sha256()
    for module in sorted(needs(name, texts)):
        total.update(f"{module}\0{texts[module]}\0".encode())
    return total.hexdigest()


def theorems(folder: Path = HERE) -> list[dict]:
    """Entries [[theorem]] of the .toml files, each with its module."""
    return [
        entry | {"module": path.stem}
        for path in sorted(folder.glob("*.toml"))
        for entry in tomllib.loads(path.read_text("utf-8")).get("theorem", [])
    ]


def mutants(folder: Path = HERE) -> list[dict]:
    """Entries [[mutant]] of the .toml files, each with the module whose theorem must fail."""
    return [
        {"change": path.stem, **entry, "module": path.stem}
        for path in sorted(folder.glob("*.toml"))
        for entry in tomllib.loads(path.read_text("utf-8")).get("mutant", [])
    ]


def run(command: list[str], folder: Path, seconds: int = 900) -> tuple[int, str]:
    """Exit code and output of a command; -1 if it takes too long."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, f"more than {seconds} s"
    return done.returncode, done.stdout + done.stderr


def coq_version() -> str:
    """The version of Coq; installs Debian's package if there is none and we may."""
    if shutil.which("coqc") is None:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            raise Refused("Coq is not installed: apt-get install --no-install-recommends coq")
        os.environ["DEBIAN_FRONTEND"] = "noninteractive"
        for command in (["update"], ["install", "--yes", "--no-install-recommends", "coq"]):
            code, said = run(["apt-get", "--quiet", *command], HERE)
            if code:
                raise Refused(f"Coq could not be installed:\n{said[-2000:]}")
    return run(["coqc", "--print-version"], HERE)[1].split()[0]


def compile_all(texts: dict[str, str], jobs: int) -> None:
    """Compile what has changed, in parallel, into build/kernel."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if found := FORBIDDEN.search(COMMENT.sub("", text)):
            raise Refused(f"{name}.v contains {found[0]}")
    stamps = {name: BUILD / f"{name}.stamp" for name in texts}
    fresh = {
        name
        for name, stamp in stamps.items()
        if stamp.exists() and stamp.read_text() == digest(name, texts)
    }
    done, waiting = set(fresh), [name for name in texts if name not in fresh]
    with ThreadPoolExecutor(jobs) as pool:
        while waiting:
            ready = [name for name in waiting if set(imports(texts[name])) <= done]
            if not ready:
                raise Refused(f"these files import each other: {', '.join(waiting)}")
            for name, (code, said) in zip(
                ready, pool.map(lambda n: compiled(n, texts[n], BUILD), ready), strict=True
            ):
                if code:
                    raise Refused(f"{name}.v does not compile:\n{said}")
                stamps[name].write_text(digest(name, texts))
            done |= set(ready)
            waiting = [name for name in waiting if name not in done]


def compiled(name: str, text: str, folder: Path, seconds: int = 900) -> tuple[int, str]:
    """Compile one file in a folder that has the .vo files of its imports."""
    (folder / f"{name}.v").write_text(text, "utf-8")
    return run(["coqc", "-q", "-Q", ".", "FL", f"{name}.v"], folder, seconds)


def axioms_of(listed: list[dict]) -> dict[str, list[str]]:
    """Axioms of every listed theorem, by module.name, as Coq prints them."""
    names = [f"{entry['module']}.{entry['name']}" for entry in listed]
    modules = " ".join(sorted({entry["module"] for entry in listed}))
    text = f"From FL Require {modules}.\n" + "".join(
        f'Eval compute in ltac:(idtac "### {name}"; exact tt).\nPrint Assumptions {name}.\n'
        for name in names
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Audit.v").write_text(text, "utf-8")
        code, said = run(["coqc", "-q", "-Q", str(BUILD), "FL", "Audit.v"], Path(folder))
    if code:
        raise Refused(f"a listed theorem does not exist:\n{said}")
    found: dict[str, list[str]] = {}
    for part in said.split("### ")[1:]:
        name, _, rest = part.partition("\n")
        found[name.strip()] = sorted(
            set(re.findall(r"^([A-Z][\w.]*\.\w+)\s*:?$", rest, re.M))
            | set(re.findall(r"^([A-Z][\w.]*\.\w+) :", rest, re.M))
        )
        if "Closed under the global context" not in rest and not found[name.strip()]:
            raise Refused(f"the axioms of {name} could not be read:\n{rest}")
    return found


def recheck(texts: dict[str, str]) -> None:
    """coqchk reads the compiled files with a kernel of its own and lists all axioms."""
    command = ["coqchk", "-silent", "-o", "-Q", ".", "FL", *(f"FL.{name}" for name in texts)]
    code, said = run(command, BUILD)
    if code:
        raise Refused(f"coqchk refuses the proofs:\n{said[-2000:]}")
    listed = said.partition("* Axioms:")[2].partition("* Constants")[0].split()
    foreign = [
        name for name in listed if name != "<none>" and ".".join(name.split(".")[-2:]) not in AXIOMS
    ]
    if foreign:
        raise Refused(f"coqchk finds other axioms: {', '.join(foreign)}")


def summary(texts: dict[str, str], listed: list[dict], axioms: dict, version: str) -> dict:
    """What theorems.json says, by claim."""
    told = {}
    for entry in listed:
        name = f"{entry['module']}.{entry['name']}"
        for claim in entry.get("claims", []):
            told[claim] = {
                "theorem": entry["name"],
                "file": f"verification/kernel/{entry['module']}.v",
                "says": entry["says"],
                "scope": entry["scope"],
                "hypotheses": entry["hypotheses"],
                "sources": digest(entry["module"], texts),
                "coq": version,
                "axioms": axioms[name],
            }
    return dict(sorted(told.items()))


def kill(mutant: dict, texts: dict[str, str]) -> str:
    """Plant a falsehood and compile up to the theorem's file; how it was refused, or raise."""
    change, target = mutant["change"], mutant["module"]
    label = f"{target}: {mutant['theorem']}, {mutant['kind']}"
    if texts[change].count(mutant["old"]) != mutant.get("times", 1):
        raise Refused(
            f"{label}: the text to change occurs {texts[change].count(mutant['old'])} times"
        )
    changed = texts | {change: texts[change].replace(mutant["old"], mutant["new"])}
    order = [name for name in needs(target, texts) if change in needs(name, texts)]
    with tempfile.TemporaryDirectory() as place:
        for path in BUILD.glob("*.vo"):
            if path.stem not in order:
                os.symlink(path, Path(place) / path.name)
        for name in order:
            code, said = compiled(name, changed[name], Path(place), MUTANT_SECONDS)
            if code == -1 or re.search(r"Syntax error|not found in the current|Cannot find", said):
                raise Refused(f"{label}: no fair trial: {said[-300:]}")
            if code:
                line = re.search(r"line (\d+)", said)
                return f"{label}: refused at {name}.v:{line[1] if line else '?'}"
    raise Refused(f"{label}: the falsehood compiles")


def campaign(texts: dict[str, str], jobs: int, only: str) -> int:
    """Run all planted falsehoods; the number of those that were not refused."""
    bad = 0
    chosen = [m for m in mutants() if only in f"{m['module']}: {m['theorem']}"]
    with ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(kill, mutant, texts) for mutant in chosen]:
            try:
                print(future.result(), flush=True)
            except Refused as error:
                print(f"FAILED {error}", flush=True)
                bad += 1
    print(f"{len(chosen)} planted falsehoods, {bad} not refused")
    return bad


def main() -> int:
    """Build, check, report."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--jobs", type=int, default=2, help="processes at a time (default 2)")
    options.add_argument(
        "--mutants",
        nargs="?",
        const="",
        metavar="NAME",
        help="plant the falsehoods, of all theorems or of those whose name has NAME",
    )
    options.add_argument("--write", action="store_true", help="write theorems.json")
    options.add_argument("--quick", action="store_true", help="leave coqchk out")
    given = options.parse_args()
    try:
        version, texts, listed = coq_version(), sources(), theorems()
        compile_all(texts, given.jobs)
        if given.mutants is not None:
            return int(campaign(texts, given.jobs, given.mutants) > 0)
        axioms = axioms_of(listed)
        for name, used in axioms.items():
            if foreign := set(used) - AXIOMS:
                raise Refused(f"{name} rests on other axioms: {', '.join(sorted(foreign))}")
        if not given.quick:
            recheck(texts)
        told = summary(texts, listed, axioms, version)
        if given.write:
            SUMMARY.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
        elif json.loads(SUMMARY.read_text("utf-8")) != told:
            raise Refused("theorems.json is not up to date: run prove.py --write")
    except Refused as error:
        print(f"NOT PROVED: {error}", file=sys.stderr)
        return 1
    for entry in listed:
        claims = ", ".join(entry.get("claims", [])) or "no claim"
        print(f"{entry['module']}.v {entry['name']} ({claims})\n    {entry['says']}")
    checked = "by coqc" if given.quick else "by coqc and again by coqchk"
    print(f"{len(listed)} theorems checked {checked} {version}; no axioms but Coq's reals")
    return 0


if __name__ == "__main__":
    sys.exit(main())
