"""The standalone checker of inequalities: what is tampered with is rejected with a reason."""

import json
import subprocess
import sys
from copy import deepcopy
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.claims.checks.inequality import certificate_file
from fltheory.cli import make_app
from fltheory.papers.afl.checks.certified_workers import SIMPLE
from fltheory.papers.fraboni.checks.certified import RUNS
from fltheory.papers.mifa.checks.certified import GRADIENTS
from fltheory.papers.mifa.paper import PAPER
from tests.analysis.stored_lemmas import LEMMAS, stored
from verification.check_inequality import check


def corruptions(good: dict):
    """Ways to tamper with a certificate, each with a name."""

    def edit(change):
        bad = deepcopy(good)
        change(bad)
        return bad

    yield (
        "factor lowered",
        edit(lambda bad: bad.update(factor=str(Fraction(bad["factor"]) - Fraction(1, 100)))),
    )
    yield "other remainder", edit(lambda bad: bad.update(left_over="1/7"))
    yield "factor negative", edit(lambda bad: bad.update(factor="-1"))
    for k, (_, about, y) in enumerate(good["multipliers"]):
        yield (
            "multiplier changed",
            edit(
                lambda bad, k=k, y=y: bad["multipliers"][k].__setitem__(
                    2, str(Fraction(y) + Fraction(1, 1000))
                )
            ),
        )
        yield (
            "sign flipped",
            edit(lambda bad, k=k, y=y: bad["multipliers"][k].__setitem__(2, "-" + y)),
        )
        yield "multiplier dropped", edit(lambda bad, k=k: bad["multipliers"].pop(k))
        yield (
            "records swapped",
            edit(
                lambda bad, k=k, about=about: bad["multipliers"][k].__setitem__(
                    1, [-1 - x for x in about]
                )
            ),
        )
        yield "unknown kind", edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(0, "hope"))
        yield (
            "huge denominator",
            edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(2, "1/1" + "0" * 5000)),
        )
        yield "no number", edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(2, "1e3"))
    for name in good:
        if name not in ("says", "format"):
            yield "field missing", edit(lambda bad, name=name: bad.pop(name))
            yield "field of another kind", edit(lambda bad, name=name: bad.update({name: 3.5}))
    yield (
        "left doubled",
        edit(
            lambda bad: bad["left"].update(
                {
                    part: [[a, b, str(2 * Fraction(x))] for a, b, x in bad["left"][part]]
                    for part in ("squares", "values")
                }
            )
        ),
    )
    yield "steeper functions", edit(lambda bad: bad.update(smoothness="1000"))
    yield "inverted curvatures", edit(lambda bad: bad.update(lowest_curvature="2000"))
    yield "smaller basis", edit(lambda bad: bad.update(basis=1))


TAMPERED = [
    SIMPLE[1],
    GRADIENTS[2],
    RUNS[4],
    *(
        lemma
        for lemma in LEMMAS
        if lemma.name
        in (
            "fedlaavg.eq31-everyone-steps1-2over5",
            "mifa.thm6.1.corrected-short-steps2",
        )
    ),
]


@pytest.mark.slow
def test_every_corruption_is_rejected_with_a_reason() -> None:
    accepted, reasons = [], []
    for lemma in TAMPERED:
        for kind, bad in corruptions(stored(lemma)):
            try:
                check(bad)
                accepted.append((lemma.name, kind))
            except ValueError as reason:
                reasons.append(str(reason))
    assert accepted == []
    assert all(reasons)
    assert len(reasons) > 200


def test_the_checker_needs_the_standard_library_only(tmp_path) -> None:
    good, bad, other = (tmp_path / name for name in ("good.json", "bad.json", "other.json"))
    good.write_text(json.dumps(stored(SIMPLE[0])))
    bad.write_text(json.dumps({**stored(SIMPLE[0]), "factor": "1/1000"}))
    other.write_text("{}")

    def run(*paths):
        command = [sys.executable, "-S", "-m", "verification.check_inequality", *map(str, paths)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
        )

    assert (
        run(good).returncode,
        run(good, bad).returncode,
        run(other).returncode,
        run().returncode,
    ) == (0, 1, 2, 2)
    told = run(good).stdout
    assert ": proved: " in told
    assert "afl.thm2" not in told
    assert "rejected: " in run(bad).stdout


def test_the_command_checks_inequalities_too(tmp_path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({**stored(SIMPLE[0]), "factor": "1/1000"}))
    good, rejected = (
        CliRunner().invoke(make_app(), ["check-certificate", str(path), "--json"])
        for path in (certificate_file(SIMPLE[0].name, PAPER), bad)
    )
    assert (good.exit_code, json.loads(good.stdout)["factor"]) == (0, stored(SIMPLE[0])["factor"])
    assert (rejected.exit_code, json.loads(rejected.stdout)["proved"]) == (1, False)
