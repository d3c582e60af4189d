"""Planted falsehoods: each is known to be false, the attacker finds a sample of them by itself, and
true claims stay unbroken."""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
import sympy
from typer.testing import CliRunner

from fltheory.attacks.search import spaces_for
from fltheory.claims.claim import Order, evaluate
from fltheory.claims.fast_evaluation import compiled
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import from_lists, to_lists
from fltheory.papers import find_claim
from tests.campaigns.attacker import mutant_file, mutants, teeth
from tests.campaigns.attacker.command import make_app
from tests.campaigns.attacker.mutant_file import Mutant, Witness
from tests.campaigns.attacker.operators import OPERATORS, rewrites
from tests.campaigns.attacker.teeth_summary import as_markdown


@cache
def listed() -> list[tuple[Mutant, Witness]]:
    """All mutants, planted anew: when a test asks, for it takes seconds."""
    return mutant_file.read(mutant_file.mutants_file())


@cache
def sample() -> list[tuple[Mutant, Witness]]:
    """Every fifth one that is no claim of order."""
    return [pair for pair in listed() if not isinstance(pair[0].claim.statement, Order)][::5]


QUICK = (
    "mifa.TS~reversed~0",
    "mifa.D~square-lost~0",
    "fraboni.eq23.sharp~sign-flipped~1",
    "mifa.taustats~mean-for-maximum~0",
)
TRUE = (
    "mifa.TS",
    "mifa.taustats.usage",
    "fraboni.eq23.sharp",
    "fraboni.tab2.W.async",
    "fraboni.lem7",
    "mifa.thm5.3.constant",
)


@pytest.mark.slow
def test_there_are_many_mutants_of_many_kinds_in_all_papers() -> None:
    assert len(listed()) >= 200
    assert len({mutant.operator for mutant, _ in listed()}) >= 10
    assert set(Counter(mutant.of.split(".")[0] for mutant, _ in listed())) == {
        "mifa",
        "fraboni",
        "fedlaavg",
        "afl",
    }
    assert all(mutant.why and shown.left and shown.right for mutant, shown in listed())


def test_a_witness_contradicts_the_mutant_and_not_its_claim() -> None:
    for mutant, shown in sample():
        assert mutants.fails(mutant.claim, shown.values), mutant.id
        original = find_claim(mutant.of)
        same = original.statement == mutant.claim.statement
        assert same or not mutants.fails(original, shown.values), mutant.id


def test_a_true_alteration_has_no_witness() -> None:
    claim = find_claim("mifa.TS")
    assert mutants.witness(claim, claim.planted(right=claim.statement.right / 2)) is None


@pytest.mark.parametrize("name", QUICK)
def test_the_attacker_finds_a_planted_falsehood_by_itself(name: str) -> None:
    trial = teeth.try_mutant(name, 0, 300, 30.0)
    assert trial.refuted
    assert trial.to_json()["reason"]


def test_a_survivor_says_why() -> None:
    trial = teeth.try_mutant("mifa.TS~exponent-changed~0", 0, 1, 30.0)
    assert not trial.refuted
    assert "1 instance tried" in trial.reason


@pytest.mark.slow
def test_true_claims_are_not_refuted_under_new_seeds() -> None:
    work = teeth.on_true_claims(
        [find_claim(name) for name in TRUE], count=18, seed=100, attempts=40, seconds=30.0
    )
    trials = teeth.run_trials(work, jobs=1)
    assert len(trials) == 18
    assert len({(trial.name, trial.seed) for trial in trials}) == 18
    assert not any(trial.refuted for trial in trials)


def test_a_false_claim_among_the_true_ones_is_noticed() -> None:
    work = teeth.on_true_claims(
        [find_claim("mifa.alg.sampling")], count=1, seed=0, attempts=40, seconds=30.0
    )
    assert teeth.run_trials(work, jobs=1)[0].refuted


def test_attacks_on_nothing_are_refused() -> None:
    unserved = find_claim("afl.exp.table2.series")
    assert not spaces_for(unserved)
    with pytest.raises(InvalidInput, match="true claims to attack"):
        list(teeth.on_true_claims([unserved], count=1, seed=0, attempts=1, seconds=1.0))
    with pytest.raises(InvalidInput, match="jobs"):
        teeth.run_trials([], jobs=0)


@pytest.mark.slow
def test_every_operator_changes_something_somewhere() -> None:
    names = (
        "afl.thm2c",
        "mifa.thm5.2.1",
        "fraboni.tab2.rho.async",
        "fraboni.tab2.tau.async",
        "mifa.rem5.1",
    )
    claims = [find_claim(name) for name in names]
    for operator in OPERATORS:
        assert any(list(mutant_file.altered(claim, operator)) for claim in claims), operator.name


def test_a_rewrite_replaces_one_part_at_a_time() -> None:
    x, y = sympy.symbols("x y")
    found = [
        new
        for new, _ in rewrites(x**2 + y**2, lambda part: [(part.base, "")] if part.is_Pow else [])
    ]
    assert set(found) == {x + y**2, x**2 + y}


def test_a_list_that_is_out_of_date_is_refused(tmp_path: Path) -> None:
    line = json.loads(mutant_file.mutants_file().read_text(encoding="utf-8").splitlines()[0])
    file = tmp_path / "list.jsonl"
    wrongs = (
        ({"statement": "1 = 2"}, "planted as recorded"),
        ({"id": "mifa.TS~nothing~0"}, "mutant"),
        ({"witness": 3}, "be a mutant"),
    )
    for wrong, rule in wrongs:
        file.write_text(json.dumps(line | wrong) + "\n", encoding="utf-8")
        with pytest.raises(InvalidInput, match=rule):
            mutant_file.read(file)


def test_planting_anew_gives_mutants_with_witnesses() -> None:
    heard: list[str] = []
    found = mutants.plant_all(
        [find_claim("mifa.TS"), find_claim("mifa.taustats.usage")],
        tell=lambda claim, count: heard.append(claim),
    )
    assert heard == ["mifa.TS", "mifa.taustats.usage"]
    assert {mutant.of for mutant, _ in found} == set(heard)
    assert all(mutants.fails(mutant.claim, shown.values) for mutant, shown in found)


def test_the_kept_mutants_include_every_claim_and_all_rare_kinds() -> None:
    kept = mutants.chosen(listed())
    assert {mutant.of for mutant, _ in kept} == {mutant.of for mutant, _ in listed()}


@pytest.mark.slow
def test_the_command_lists_attacks_and_refuses(tmp_path: Path) -> None:
    run = CliRunner().invoke
    app = make_app()
    listed = run(app, ["mifa.TS", "--list", "--json"])
    assert listed.exit_code == 0
    assert {entry["of"] for entry in json.loads(listed.stdout)} <= {"mifa.TS", "mifa.TS.average"}
    report = tmp_path / "report.json"
    attacked = run(
        app, ["mifa.TS", "--attempts", "300", "--jobs", "1", "--json", "-o", str(report)]
    )
    assert json.loads(attacked.stdout)["share"] == 1.0
    assert json.loads(report.read_text(encoding="utf-8"))["survivors"] == []
    true = run(app, ["mifa.TS", "--true", "2", "--attempts", "20", "--jobs", "1"])
    assert true.exit_code == 0
    assert "0 refuted" in true.stdout
    for wrong in (["nothing"], ["--true", "-1"], ["--seed", "-1"]):
        assert run(app, wrong).exit_code == 2


def test_a_sum_is_written_down_and_read_back() -> None:
    right = find_claim("mifa.thm5.1.noise").statement.right
    values = {
        "gradient_noise": 1,
        "strong_convexity": 1,
        "num_clients": 1,
        "step_offset": 100,
        "num_rounds": 1,
    }
    assert evaluate(from_lists(to_lists(right)), values) == sympy.Rational(1, 5000)
    assert compiled(right)({name: Fraction(value) for name, value in values.items()}) == Fraction(
        1, 5000
    )
    with pytest.raises(InvalidInput, match="index of a sum"):
        from_lists(["sum", "1", "2", "1", "3"])


def test_the_summary_tells_the_share_the_time_and_every_survivor() -> None:
    entries = [
        {
            "id": "a.1~scaled~0",
            "of": "a.1",
            "operator": "scaled",
            "refuted": True,
            "seconds": 1.0,
            "attempts": 3,
            "why": "",
            "reason": "",
        },
        {
            "id": "b.2~sign~0",
            "of": "b.2",
            "operator": "sign",
            "refuted": False,
            "seconds": 30.0,
            "attempts": 99,
            "why": "minus",
            "reason": "best ratio 0.9",
        },
    ]
    data = {
        "set": "first",
        "mutants": 2,
        "refuted": 1,
        "share": 0.5,
        "survivors": entries[1:],
        "attacks": entries,
    }
    told = as_markdown(data, seed=0, seconds=30)
    assert (
        "**1 of 2 mutants refuted (50.0 %)** by search alone, seed 0, at most 30 CPU seconds each:"
        " 31 CPU seconds in all" in told
    )
    assert "| sign | 1 | 0 |" in told
    assert "| a | 1 | 1 |" in told
    assert "- `b.2~sign~0` (minus): 99 attempts; best ratio 0.9" in told
    assert as_markdown(data | {"survivors": []}, seed=0, seconds=30).endswith("None.\n")
