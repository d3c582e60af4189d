"""A small grid, and what its sweep should store."""

from pathlib import Path

from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.cli.sweep import check_cells, compute_cell
from fltheory.core.types import JsonValue
from fltheory.sweeps.spec import parse_spec
from fltheory.sweeps.store import Store

SPEC = (
    'command = "limit"\n[fixed]\nalgorithm = "fedavg"\noptima = "0,1"\nstep-size ='
    ' "1/4"\n[grid]\navailability = [{}]\n'
)


GRID = SPEC.format(", ".join(f'"alternating:{a},{b}"' for a in (1, 2, 3) for b in (1, 2)))


def fltheory(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(make_app(), list(words))
    return result.exit_code, result.output


def expected(spec: Path) -> dict[str, JsonValue]:
    return {cell.key: compute_cell(cell) for cell in check_cells(parse_spec(spec.read_text()))}


def stored(path: Path, keys: frozenset[str]) -> dict[str, JsonValue]:
    kept = Store(path)
    found = {entry.cell.key: entry.result for entry in kept.ended(keys)}
    kept.close()
    return found
