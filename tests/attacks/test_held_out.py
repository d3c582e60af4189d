"""The held-out mutants: made by other operators than the first set, each false by an exact witness,
told apart by the command."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
import sympy
from typer.testing import CliRunner

from fltheory.claims.claim import Claim, Order
from fltheory.core.errors import InvalidInput
from fltheory.papers import find_claim
from tests.campaigns.attacker import mutant_file, mutants
from tests.campaigns.attacker.command import make_app
from tests.campaigns.attacker.held_out import HELD_OUT
from tests.campaigns.attacker.mutant_file import Mutant, Witness
from tests.campaigns.attacker.operators import OPERATORS

Pair = tuple[Mutant, Witness]
PAPERS = ("afl", "fedlaavg", "fraboni", "mifa")


@cache
def listed() -> list[Pair]:
    """All of them, planted anew: when a test asks, for it takes seconds."""
    return mutant_file.read(mutant_file.mutants_file(held_out=True))


@cache
def first_of(*, order: bool) -> Pair:
    """The first one that alters a claim of order, or another claim."""
    return next(pair for pair in listed() if isinstance(pair[0].claim.statement, Order) == order)


def said(claim: Claim) -> tuple[object, ...]:
    """What a claim says, without its name."""
    return (
        type(claim.statement),
        claim.statement.left,
        claim.statement.right,
        tuple(a.id for a in claim.assumes),
    )


@pytest.mark.slow
def test_there_are_many_of_many_kinds_in_all_papers() -> None:
    assert len(listed()) >= 200
    assert len({mutant.operator for mutant, _ in listed()}) >= 10
    assert set(Counter(mutant.of.split(".")[0] for mutant, _ in listed())) == set(PAPERS)
    assert len({mutant.id for mutant, _ in listed()}) == len(listed())


def test_no_operator_is_one_of_the_first_set() -> None:
    assert not {operator.name for operator in HELD_OUT} & {operator.name for operator in OPERATORS}
    assert {mutant.operator for mutant, _ in listed()} <= {operator.name for operator in HELD_OUT}


@pytest.mark.slow
def test_none_is_what_an_operator_of_the_first_set_makes() -> None:
    # all alterations take long, and planting leaves out those of the first set for every claim
    for mutant, _ in listed()[::8]:
        known = {
            said(changed)
            for operator in OPERATORS
            for changed, _ in operator.alter(find_claim(mutant.of))
        }
        assert said(mutant.claim) not in known, mutant.id


@pytest.mark.parametrize("paper", PAPERS)
def test_each_differs_from_its_claim_and_has_a_reason_and_an_exact_witness(paper: str) -> None:
    for mutant, shown in listed():
        if mutant.of.startswith(paper + "."):
            original = find_claim(mutant.of)
            assert said(mutant.claim) != said(original), mutant.id
            assert mutant.why, mutant.id
            assert shown.where, mutant.id
            assert mutants.fails(mutant.claim, shown.values), mutant.id
            assert original.statement == mutant.claim.statement or not mutants.fails(
                original, shown.values
            ), mutant.id


def test_a_witness_that_shows_nothing_is_noticed() -> None:
    for mutant, shown in (first_of(order=False), first_of(order=True)):
        assert mutants.fails(mutant.claim, shown.values)
        assert not mutants.fails(find_claim(mutant.of), shown.values)
    mutant, shown = first_of(order=True)
    still = dict.fromkeys(shown.values, sympy.S.One)
    with pytest.raises(InvalidInput, match="one growing symbol"):
        mutants.fails(mutant.claim, still)


def test_a_true_alteration_has_no_witness_by_these_operators() -> None:
    claim = find_claim("mifa.TS")
    looser = replace(claim, statement=replace(claim.statement, right=claim.statement.right / 2))
    assert mutants.witness(claim, looser) is None


def test_the_command_tells_the_two_sets_apart() -> None:
    run, app = CliRunner().invoke, make_app()
    name = first_of(order=False)[0].of
    first, second = (run(app, [name, "--list", "--json", *more]) for more in ([], ["--held-out"]))
    ids = [
        {entry["id"] for entry in json.loads(answer.stdout)}
        for answer in (first, second)
        if answer.exit_code == 0
    ]
    assert ids[-1] <= {mutant.id for mutant, _ in listed()}
    assert len(ids) == 1 or not ids[0] & ids[1]
    attacked = json.loads(
        run(
            app,
            [first_of(order=False)[0].id, "--held-out", "--attempts", "1", "--jobs", "1", "--json"],
        ).stdout
    )
    assert attacked["set"] == "held-out"
    assert attacked["mutants"] == 1
    assert run(app, ["--held-out", "--true", "1"]).exit_code == 2
