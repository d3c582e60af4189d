"""What a release says about itself: one version, and one address or none."""

import re
import tomllib
from pathlib import Path
from typing import Any

from fltheory import __version__

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
RELEASING = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
NO_ADDRESS = "The package has no public address yet"


def disagreements(urls: dict[str, str], citation: str, releasing: str) -> list[str]:
    """One sentence for each file that speaks of the project's address when another one does not;
    the papers' addresses are not its own."""
    own = {name: url for name, url in urls.items() if not name.startswith("Paper: ")}
    cited = re.search(r"^repository-code: (\S+)$", citation, re.M)
    told = []
    if bool(own) != bool(cited):
        told.append("an address stands in only one of [project.urls] and CITATION.cff")
    if cited and cited[1].strip("\"'") not in own.values():
        told.append("[project.urls] does not have the address of CITATION.cff")
    if bool(own) is (NO_ADDRESS in " ".join(releasing.split())):
        told.append("RELEASING.md says the opposite of [project.urls]")
    return told + [f"{url}: not an https address" for url in urls.values() if url[:8] != "https://"]


def test_all_files_give_the_same_address_or_none() -> None:
    assert disagreements(PROJECT.get("urls", {}), CITATION, RELEASING) == []


def test_addresses_that_disagree_are_noticed() -> None:
    url, cited = "https://example.org/fl", f"{CITATION}repository-code: https://example.org/fl\n"
    assert disagreements({"Source": url}, cited, "") == []
    assert len(disagreements({"Source": url}, CITATION, RELEASING)) == 2
    assert len(disagreements({}, cited, RELEASING)) == 2
    assert len(disagreements({"Source": "https://example.org/other"}, cited, "")) == 1
    assert len(disagreements({"Paper: A": url}, cited, "")) == 3
    assert disagreements({"Paper: A": url}, CITATION, RELEASING) == []
    assert len(disagreements({"Source": "ftp://example.org"}, cited, "")) == 2


def test_the_citation_has_the_version_of_the_package() -> None:
    assert f"\nversion: {__version__}\n" in CITATION
    assert f"\n## {__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
