"""Step sizes of theorems beside those that are proved for every horizon."""

import json
from fractions import Fraction as F

import pytest
from typer.testing import CliRunner

from fltheory import InvalidInput, forever, step_sizes
from fltheory.claims.bound_sweeps import SweepPoint
from fltheory.cli import make_app
from fltheory.ledger.looseness import theorems
from fltheory.ledger.step_sizes import first_step


def test_the_step_of_a_theorem_is_the_one_of_its_own_worst_case() -> None:
    row = step_sizes("mifa.thm5.1.best", periods=(2,)).rows[0]
    assert (row.method, row.max_staleness, row.smoothness, row.strong_convexity) == (
        "mifa",
        1,
        4,
        1,
    )
    case, _ = theorems()["mifa.thm5.1.best"].asks(SweepPoint(num_rounds=4, period=2))
    assert row.theorem_step == first_step(case) == F(4, 1 + 100 * 8)
    assert row.breaks_at == F(1, 4)
    assert row.proved_step is not None
    assert row.times_smaller == float(row.proved_step / row.theorem_step)
    assert 45 < row.times_smaller < 50.1


@pytest.mark.slow
def test_late_gradients_break_within_a_factor_of_two() -> None:
    found = forever("afa-cd", delay=1, convex=False, largest_step=True)
    assert found.breaks_at == 1
    assert found.broken_by is not None
    assert "gradients 1 rounds old" in found.broken_by
    assert found.gap is not None
    assert 0 < found.gap < F(1, 2)


def test_a_method_without_a_potential_says_why() -> None:
    found = step_sizes("fraboni.thm1.best.certain", periods=(2,))
    assert found.rows[0].times_smaller is None
    assert "does not fit" in found.rows[0].why
    assert found.rows[0].why in repr(found)


def test_the_command_has_the_same_rows_and_refuses_others() -> None:
    def run(*words: str) -> tuple[int, str]:
        found = CliRunner().invoke(make_app(), ["looseness", *words])
        return found.exit_code, found.output

    code, output = run("fraboni.thm1.best.certain", "--steps", "--json")
    assert code == 0
    assert [row["max_staleness"] for row in json.loads(output)] == [1, 3, 7]
    assert run("--steps", "--along", "num_rounds")[0] == 2
    assert run("fedlaavg.thm3", "--steps")[0] == 2
    with pytest.raises(InvalidInput, match="theorem must be one of"):
        step_sizes("afl.thm9")
