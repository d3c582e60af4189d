"""Check the theorems of this folder with Coq: prove.py [--mutants] [CLAIM...].

Compiles every .v file, lets the independent checker coqchk read the result, asks Coq for the axioms
of every theorem that a .toml file lists, and fails on any axiom beyond the four of Coq's real
numbers. Standard library only. --mutants plants the falsehoods of the .toml files, which must not
compile. --write updates the record beside each file (X.json for X.v), for readers without Coq;
otherwise the record is compared. With ids of claims only their theorems are checked.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kernel_record import (
    HERE,
    Refused,
    chosen,
    compare,
    digest,
    imports,
    mutants,
    needs,
    records,
    sources,
    theorems,
    write,
)

BUILD = HERE.parents[1] / "build" / "kernel"
AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset\s+Guard|bypass_check|Load|LoadPath)\b"
    # a file that is loaded in another way would not be hashed
    r"|(?<!From FL )(?<!From Coq )\bRequire\b|[^\n]From (?:FL|Coq) Require\b"
    r"|\bRequire\b(?! (?:Import|Export) \w)"
)
MUTANT_SECONDS = 180


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
            if code == -1 or re.search(
                r"Syntax error|not found in the current|Cannot find a physical", said
            ):
                raise Refused(f"{label}: no fair trial: {said[-300:]}")
            if code:
                line = re.search(r"line (\d+)", said)
                return f"{label}: refused at {name}.v:{line[1] if line else '?'}"
    raise Refused(f"{label}: the falsehood compiles")


def campaign(texts: dict[str, str], jobs: int, only: str) -> int:
    """Run all planted falsehoods; the number of those that were not refused."""
    bad = 0
    planted = [m for m in mutants() if only in f"{m['module']}: {m['theorem']}"]
    with ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(kill, mutant, texts) for mutant in planted]:
            try:
                print(future.result(), flush=True)
            except Refused as error:
                print(f"FAILED {error}", flush=True)
                bad += 1
    print(f"{len(planted)} planted falsehoods, {bad} not refused")
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
    options.add_argument("--write", action="store_true", help="write the record")
    options.add_argument("--quick", action="store_true", help="leave coqchk out")
    options.add_argument("--build", type=Path, default=BUILD, help="folder of compiled files")
    options.add_argument("claims", nargs="*", metavar="CLAIM", help="ids of claims (default: all)")
    given = options.parse_args()
    if given.write and given.claims:
        options.error("--write is for all theorems together")
    globals()["BUILD"] = given.build.resolve()
    try:
        version, texts = coq_version(), sources()
        listed = chosen(theorems(), given.claims)
        if given.claims:
            wanted = {name for entry in listed for name in needs(entry["module"], texts)}
            texts = {name: text for name, text in texts.items() if name in wanted}
        compile_all(texts, given.jobs)
        if given.mutants is not None:
            return int(campaign(texts, given.jobs, given.mutants) > 0)
        with ThreadPoolExecutor(given.jobs) as pool:
            checked_again = None if given.quick else pool.submit(recheck, texts)
            axioms = pool.submit(axioms_of, listed).result()
            for name, used in axioms.items():
                if foreign := set(used) - AXIOMS:
                    raise Refused(f"{name} rests on other axioms: {', '.join(sorted(foreign))}")
            if checked_again is not None:
                checked_again.result()
        told = records(texts, listed, axioms, version)
        if given.write:
            write(told)
        else:
            compare(told, given.claims)
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
