"""MIFA and Fraboni et al.: what is printed, read and ours is kept apart; the closed forms behind
counterexamples and crowds agree with runs step by step; best forms hold where guesses fail."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Authorship, Claim, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict, overall
from fltheory.claims.trivial import trivial_bound
from fltheory.ledger.lines import decide, read, verdicts
from fltheory.ledger.runner import ledger_file
from fltheory.papers import all_claims, find_claim
from fltheory.papers.fraboni.checks import crowds
from fltheory.papers.fraboni.checks.crowds import Group, TwoKinds
from fltheory.papers.fraboni.checks.large_scale import (
    big_server_steps,
    heavy_turns,
    one_of_many,
)
from fltheory.papers.fraboni.checks.path_run import Setting
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import certain, sampling_setting
from fltheory.papers.mifa.checks.large_scale import steep_client

OURS = [c for c in all_claims().values() if c.id.split(".")[0] in ("mifa", "fraboni")]


def mixed_up(claim: Claim) -> bool:
    """A printed claim without its formula, a reading with one, or one of ours with either."""
    source = claim.source
    return {
        Authorship.PRINTED: not source.formula or bool(source.reading),
        Authorship.READ: bool(source.formula) or not source.reading,
        Authorship.OURS: bool(source.formula) or bool(source.reading),
    }[source.kind]


def test_every_claim_is_printed_with_a_formula_or_read_with_a_reading_or_ours() -> None:
    assert [claim.id for claim in OURS if mixed_up(claim)] == []
    bare = find_claim("mifa.thm5.1")
    assert mixed_up(replace(bare, source=replace(bare.source, formula="")))
    assert mixed_up(replace(bare, source=replace(bare.source, kind=Authorship.OURS)))


def test_every_refutation_has_a_severity() -> None:
    found = verdicts(read(ledger_file()))
    refuted = [c for c in OURS if found.get(c.id) is Verdict.REFUTED]
    assert len(refuted) > 50
    assert [c.id for c in refuted if c.severity is None] == []


@pytest.mark.parametrize("name", ["mifa.thm5.1.best", "fraboni.thm3.windows"])
def test_a_certificate_for_three_rounds_leaves_the_theorem_supported(name: str) -> None:
    """Unless a proof of everything stands beside it."""
    planted = Evidence(name, Method.SDP, Verdict.CERTIFIED, "three rounds, two clients")
    line = decide(Check(name, lambda claim: planted), find_claim(name)).evidence
    assert overall([line]) is Verdict.SUPPORTED


def test_corrections_that_were_wrong_stay_refuted_and_the_best_forms_hold_there() -> None:
    many = one_of_many(1000, 100, F(1, 10**6)).values
    assert many["mean_round_gap"] > evaluate(
        find_claim("fraboni.thm1.corrected").statement.right, many
    )
    heavy = heavy_turns(500, 215_998).values
    for wrong, right in (
        ("thm3.corrected", "thm3.learning_rate"),
        ("thm3.gradient", "thm3.gradient.corrected"),
    ):
        bad, good = (find_claim(f"fraboni.{name}").statement for name in (wrong, right))
        assert evaluate(good.left, heavy) < evaluate(good.right, heavy)
        assert wrong.endswith("gradient") or evaluate(bad.left, heavy) > evaluate(bad.right, heavy)


def run_of(num_rounds: int, **rest: object) -> Quantities:
    """Two clients (theta -+ 1)^2/2 in turn with fresh models, from 0."""
    paths = certain([(n % 2,) for n in range(num_rounds)])
    return Quantities(
        Setting("", (1, 1), (1, -1), (1, 1), paths, F(1, 10), fresh=True, **rest)  # type: ignore[arg-type]
    )


def test_heavy_turns_are_those_of_a_run() -> None:
    closed = heavy_turns(3, 6).values
    paths = certain([(0,)] * 6 + [(1,)] * 6)
    q = Quantities(Setting("", (1, 1), (1, -1), (3, 3), paths, F(1, 1296), fresh=True))
    assert q.spread == closed["objective_spread"]
    gap = q.over_models(lambda model: q.excess(q.mean_weights, model))
    assert 0 <= gap - F(str(closed["mean_objective_gap"])) < F(1, 10**6)


def test_big_server_steps_are_those_of_a_run() -> None:
    """The closed form gives away at most the transient, x/N with x below 1/200."""
    closed = big_server_steps(3, 4, 10).values
    q = run_of(10, local_steps=3, server_step_size=4)
    q = Quantities(replace(q.setting, local_step_size=F(str(closed["local_step_size"]))))
    gap = q.average(q.gap)
    assert 0 <= gap - F(str(closed["mean_round_gap"])) < F(1, 1000)


def test_a_crowd_of_two_is_a_sampled_run() -> None:
    for steps, noise, start in ((1, 0, 2), (2, 1, 0), (3, 1, 1)):
        crowd = TwoKinds(
            (Group(2, F(1, 2), F(1), F(1)),),
            local_steps=steps,
            num_rounds=2,
            server=F(2),
            start=F(start),
            noise=F(noise),
            size=F(1, 10),
        )
        q = Quantities(
            sampling_setting(
                2,
                1,
                2,
                curvatures=(1, 1),
                optima=(1, -1),
                local_step_size=F(1, 10),
                server_step_size=2,
                local_steps=steps,
                start=start,
                noise=noise,
            )
        )
        values = crowd.instance().values
        assert 0 <= q.average(q.gap) - F(str(values["mean_round_gap"])) < F(1, 10**11)
        assert values["variance_excess"] == q.setting.variance_excess
        assert values["round_optimum_noise"] == q.optimum_noise(0, 1) == q.optimum_noise(1, 1)


def test_a_crowd_with_a_wrong_variance_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = TwoKinds(crowds.unequal(10, F(1, 100), F(1)), num_rounds=3, size=F(1, 10))
    before = crowd.instance().values["mean_round_gap"]
    monkeypatch.setattr(TwoKinds, "excess", lambda self, group: F(0))
    assert replace(crowd).instance().values["mean_round_gap"] != before


def test_the_steep_client_is_that_of_a_run() -> None:
    """The closed form leaves out what comes after the steep part, so that it is a little below."""
    rounds, model, total, weights = 20_000, 1.0, 0.0, 0.0
    for t in range(1, rounds + 2):
        weight = (t + 99_999.0) * (t + 99_998.0)
        total, weights = total + weight * model, weights + weight
        model -= 4 / (t + 100_000.0) * (model + max(-1.0, min(1.0, 99 * model)))
    average = total / weights
    gap = average**2 / 2 + average - 1 / 198
    closed = float(F(str(steep_client(1, F(1), rounds).values["weighted_loss_gap"])))
    assert closed <= gap < 1.02 * closed


def test_a_bound_above_the_trivial_one_is_told() -> None:
    claim = find_claim("fraboni.thm1.best")
    crowd = TwoKinds((Group(2, F(1, 2)),), num_rounds=1, size=F(1, 100)).instance().values
    trivial = trivial_bound(claim, crowd)
    assert trivial == F(1, 2)
    assert trivial < evaluate(claim.statement.right, crowd)
    assert trivial_bound(replace(claim, trivial=None), crowd) is None
