"""What this folder says: its Coq files, the theorems and planted falsehoods of the .toml files, and
the record (X.json beside X.v) that the ledger reads where there is no Coq."""

import hashlib
import json
import re
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
IMPORT = re.compile(r"^From FL Require (?:Import|Export) ([\w\s]+)\.", re.MULTILINE)


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


def records(texts: dict[str, str], listed: list[dict], axioms: dict, version: str) -> dict:
    """What the record of each module says: its theorems, by claim."""
    told: dict[str, dict] = {}
    for entry in listed:
        module = entry["module"]
        for claim in entry.get("claims", []):
            told.setdefault(module, {})[claim] = {
                "theorem": entry["name"],
                "file": f"verification/kernel/{module}.v",
                "says": entry["says"],
                "scope": entry["scope"],
                "hypotheses": entry["hypotheses"],
                "sources": digest(module, texts),
                "coq": version,
                "axioms": axioms[f"{module}.{entry['name']}"],
            }
    return {module: dict(sorted(claims.items())) for module, claims in told.items()}


def recorded(folder: Path = HERE) -> dict:
    """The record of each module that has one."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}


def write(told: dict, folder: Path = HERE) -> None:
    """Replace the record."""
    for module in set(recorded(folder)) - set(told):
        (folder / f"{module}.json").unlink()
    for module, claims in told.items():
        text = json.dumps(claims, indent=1, ensure_ascii=False) + "\n"
        (folder / f"{module}.json").write_text(text, "utf-8")


def compare(told: dict, claims: list[str]) -> None:
    """The record must be that of these sources, for the given claims or for all."""
    now, before = (
        {
            claim: entry
            for module in part.values()
            for claim, entry in module.items()
            if claim in claims or not claims
        }
        for part in (told, recorded())
    )
    for claim in sorted(set(now) | set(before)):
        if now.get(claim) != before.get(claim):
            raise Refused(f"the record of {claim} is not up to date: run prove.py --write")


def chosen(listed: list[dict], claims: list[str]) -> list[dict]:
    """The theorems of the given claims, or all."""
    if missing := set(claims) - {claim for entry in listed for claim in entry.get("claims", [])}:
        raise Refused(f"no theorem is listed for {', '.join(sorted(missing))}")
    return [e for e in listed if not claims or set(claims) & set(e.get("claims", []))]
