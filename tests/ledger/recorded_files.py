"""The recorded counterexamples, and the standalone program that replays them."""

import json
from pathlib import Path
from typing import Any

from fltheory.claims.record import house_folder

FILES = sorted((house_folder() / "counterexamples").glob("*.json"))


STANDALONE = house_folder() / "replay.py"


def data_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def kind_of(path: Path) -> str:
    return (data_of(path).get("origin") or {}).get("kind", "")


WITH_DATA = [path for path in FILES if kind_of(path) not in ("", "check")]
