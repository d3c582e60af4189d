"""The attacker breaks planted falsehoods of each kind, leaves truths alone, shrinks, resumes, and
always does the same."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy

from fltheory.attacks import store
from fltheory.attacks.campaign import AttackTask, News
from fltheory.attacks.minimize.shrink import MOST_LOOKS, order, shrink
from fltheory.attacks.moves import State
from fltheory.attacks.orders import growth
from fltheory.attacks.search import Attack, attack, spaces_for
from fltheory.attacks.snippet import snippet
from fltheory.attacks.workers import run_all
from fltheory.attacks.worst import worst_over_functions
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Identity, LowerBound, Order, UpperBound
from fltheory.claims.evidence import Method, Verdict
from fltheory.claims.fast_evaluation import compiled
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.scoring import look, ratio_of
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput
from fltheory.ledger.counterexamples import to_file
from fltheory.ledger.replays import replay
from fltheory.papers import all_claims, find_claim, paper_spaces
from tests.attacks.toy_claims import X, Y, claim_of


def pairs(choices: Choices, claim: Claim) -> Instance:
    x, y = choices.number("1/4", 4), choices.number("1/4", 4)
    choices.require(x <= y, "x <= y")
    return Instance({"x": x, "y": y}, f"x = {x}, y = {y}")


def paths(choices: Choices, claim: Claim) -> Instance:
    return Instance({"x": SCALE ** choices.whole(0, 2), "y": SCALE ** choices.whole(0, 2)})


PAIRS = Space("pairs", "Pairs with x <= y.", frozenset({"x", "y"}), pairs)


PATHS = Space("paths", "Powers of the scale.", frozenset({"x", "y"}), paths)


FALSE = {
    "upper bound": UpperBound(Y, 3 * X),
    "lower bound": LowerBound(3 * X, Y),
    "identity": Identity(X, Y),
    "irrational": UpperBound(sympy.sqrt(Y), sympy.sqrt(3) * sympy.sqrt(X)),
    "logarithm": UpperBound(sympy.log(1 + Y), X),
}


TRUE = {
    "upper bound": UpperBound(X, Y),
    "tight": UpperBound(X * X, X * Y),
    "lower bound": LowerBound(2 * Y, X),
    "identity": Identity((X + Y) ** 2, X**2 + 2 * X * Y + Y**2),
    "irrational": UpperBound(sympy.sqrt(X), sympy.sqrt(Y)),
    "identity of roots": Identity(sympy.sqrt(X) * sympy.sqrt(Y), sympy.sqrt(X * Y)),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_planted_falsehood_of_each_kind_is_refuted_exactly(name: str) -> None:
    claim = claim_of(FALSE[name])
    found = attack(claim, attempts=150, spaces=[PAIRS])
    assert found.evidence.verdict is Verdict.REFUTED
    assert found.evidence.method is Method.ATTACK
    stored = to_file(claim, found.evidence)
    assert replay(stored, claim, values_are_known=True).confirmed
    assert not replay(stored, claim).checkable  # nobody knows these symbols


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("seed", [0, 1])
def test_truths_survive(name: str, seed: int) -> None:
    found = attack(claim_of(TRUE[name]), attempts=120, seed=seed, spaces=[PAIRS])
    assert found.evidence.verdict is Verdict.SUPPORTED
    assert "instances tried, best ratio" in found.evidence.note
    assert found.state.rejected["x <= y"] > 0


def test_orders_are_refuted_by_a_limit_and_spared_without_one() -> None:
    broken = attack(claim_of(Order(X**2, X + Y)), attempts=60, spaces=[PATHS])
    assert broken.evidence.verdict is Verdict.REFUTED
    assert broken.instance is not None
    grows = growth(broken.claim, broken.instance)
    assert grows is not None
    assert grows.exponent == pytest.approx(1)
    assert "scale^1" in broken.evidence.note
    assert (
        attack(claim_of(Order(X * Y, X**2 + Y**2)), attempts=60, spaces=[PATHS]).evidence.verdict
        is Verdict.SUPPORTED
    )


def test_a_ratio_that_only_seems_to_grow_does_not_refute() -> None:
    def late(choices: Choices, claim: Claim) -> Instance:
        return Instance({"x": SCALE / (SCALE + 10**12), "y": sympy.S.One})

    found = attack(
        claim_of(Order(X, Y)),
        attempts=5,
        spaces=[Space("late", "A ratio that levels off late.", frozenset({"x", "y"}), late)],
    )
    assert found.state.best is not None
    assert found.state.best[1].score > 0.9
    assert found.evidence.verdict is Verdict.SUPPORTED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim_id", "kind"),
    [
        ("afl.cor1.any-horizon", "upper bound on runs"),
        ("fedlaavg.thm1.fixed", "identity"),
        ("fedlaavg.sec32.period", "lower bound"),
        ("afl.rem5.sizes", "order"),
        ("afl.lem2", "lemma"),
        ("afl.thm4.four", "formula"),
        ("afl.a4", "step of a proof"),
    ],
)
def test_known_errors_of_the_papers_are_found_by_search_alone(claim_id: str, kind: str) -> None:
    found = attack(find_claim(claim_id), attempts=200)
    assert found.refuted, kind


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim_id",
    ["afl.thm2c", "fedlaavg.thm3", "fedlaavg.lem1", "afl.lem2c", "fedlaavg.eq46.corrected"],
)
def test_true_claims_of_the_papers_survive_another_seed(claim_id: str) -> None:
    assert attack(find_claim(claim_id), attempts=40, seed=5).evidence.verdict is Verdict.SUPPORTED


@pytest.mark.slow
def test_counterexamples_shrink_to_the_known_smallest() -> None:
    found = attack(find_claim("fedlaavg.sec32.period"), attempts=60)
    assert found.instance is not None
    assert found.instance.values["num_clients"] == 1
    assert found.instance.values["availability_window"] == 2
    weights = attack(find_claim("fedlaavg.def.grad"), attempts=60)
    assert weights.instance is not None
    assert weights.instance.says == "weights 1/3, 2/3, optima 0, 1"


def test_shrinking_never_leaves_the_contradictions_and_ends_at_a_local_minimum() -> None:
    def odd_sum(choices: tuple[int, ...], number: int) -> tuple[int, ...] | None:
        used = (*choices, 0, 0, 0)[:3]
        return used if min(used) >= 0 and sum(used) % 2 == 1 else None

    small, looks = shrink((6, 7, 8), odd_sum)
    assert small == (0, 0, 1)
    assert looks < MOST_LOOKS
    assert order((1,)) < order((0, 0))


def same(first: Attack, second: Attack) -> bool:
    return (first.state, first.evidence) == (second.state, second.evidence)


@pytest.mark.slow
def test_the_outcome_depends_on_claim_seed_and_attempts_alone() -> None:
    claim = find_claim("fedlaavg.thm2.corrected")
    assert same(attack(claim, attempts=40, seed=3), attack(claim, attempts=40, seed=3))
    assert not same(attack(claim, attempts=40, seed=3), attack(claim, attempts=40, seed=4))


@pytest.mark.slow
def test_a_killed_attack_goes_on_where_it_was(tmp_path: Path) -> None:
    claim = find_claim("fedlaavg.thm2.corrected")
    states: list[State] = []

    def killed(claim: Claim, state: State) -> None:
        states.append(state)
        store.save(tmp_path, claim, 3, state)
        if state.attempts == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attack(claim, attempts=60, seed=3, tell=killed)
    kept = store.load(tmp_path, claim, 3)
    assert kept == states[-1]
    assert same(attack(claim, attempts=60, seed=3, state=kept), attack(claim, attempts=60, seed=3))
    assert store.load(tmp_path, claim, 4) is None
    assert store.load(tmp_path, claim.planted(right=2 * claim.statement.right), 3) is None
    assert [path.suffix for path in tmp_path.iterdir()] == [".jsonl"]


def test_a_stored_state_that_nobody_wrote_is_refused(tmp_path: Path) -> None:
    claim = find_claim("fedlaavg.thm2.corrected")
    store.save(tmp_path, claim, 0, State())
    path = store.store_file(tmp_path, claim, 0)
    path.write_text(path.read_text().splitlines()[0] + '\n{"attempts": "many"}\n')
    with pytest.raises(InvalidInput, match="be what an attack wrote"):
        store.load(tmp_path, claim, 0)
    for state in (
        State(attempts=3, instances=4),
        State(attempts=3, instances=1, undecided=2),
        State(attempts=3, instances=1, untold=1, undecided=1),
        State(attempts=-3, instances=-4),
        State(attempts=3, rejected={"a": -1}),
    ):
        store.save(tmp_path, claim, 0, state)
        with pytest.raises(InvalidInput, match="be what an attack wrote"):
            store.load(tmp_path, claim, 0)


@pytest.mark.slow
def test_campaigns_store_and_resume_and_tell_the_same_in_processes(tmp_path: Path) -> None:
    tasks = [
        AttackTask(name, attempts=30, folder=str(tmp_path))
        for name in ("fedlaavg.cor1.order", "fedlaavg.thm1.fixed")
    ]
    alone = {found.data["id"]: found.line.evidence.verdict for found in run_all(tasks, jobs=1)}
    assert alone == {
        "fedlaavg.cor1.order": Verdict.SUPPORTED,
        "fedlaavg.thm1.fixed": Verdict.REFUTED,
    }
    news: list[News] = []
    again = {
        found.data["id"]: found.line.evidence.verdict
        for found in run_all(tasks, jobs=2, tell=news.append)
    }
    assert again == alone
    with pytest.raises(InvalidInput, match="at least 1"):
        list(run_all(tasks, jobs=0))


def test_scores_are_signed_towards_the_contradiction() -> None:
    values = Instance({"x": Fraction(1), "y": Fraction(3)})
    assert look(claim_of(UpperBound(Y, X)), values).score == pytest.approx(0.5)
    assert look(claim_of(LowerBound(X, Y)), values).score == pytest.approx(0.5)
    assert look(claim_of(UpperBound(X, Y)), values).score == pytest.approx(-0.5)
    assert ratio_of(0.5) == pytest.approx(3)
    assert look(claim_of(UpperBound(X / (Y - 3), Y)), values).score < -1


def test_fast_leads_are_exact_where_all_is_rational() -> None:
    formula = sympy.ceiling(X / 2) * sympy.Max(X, 3) ** 2 - sympy.sqrt(4 * X**2) / 3
    assert compiled(formula)({"x": Fraction(5)}) == Fraction(3 * 25) - Fraction(10, 3)
    assert isinstance(compiled(sympy.sqrt(X))({"x": Fraction(2)}), float)


@pytest.mark.slow
def test_the_program_of_a_report_shows_the_contradiction() -> None:
    programs = [
        snippet(attack(find_claim(name), attempts=100))
        for name in ("afl.cor1.any-horizon", "fedlaavg.thm2.eq6", "afl.rem5.sizes")
    ]
    assert all(len(program.splitlines()) <= 10 for program in programs)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(programs)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    for told in (first, second):
        left, right = (Fraction(part.split(" = ")[1]) for part in told.split(";")[0].split(", "))
        sign = told.split("left ")[-1].split(" right")[0]
        assert not {"<=": left <= right, ">=": left >= right, "=": left == right}[sign]
    ratios = [float(x) for x in third.strip("[]").split(",")]
    assert ratios[-1] > 100 * ratios[0] > 0


@pytest.mark.slow
def test_semidefinite_programming_confirms_that_the_search_found_the_worst_function() -> None:
    found = attack(
        find_claim("afl.thm2c"), seed=1, attempts=60
    )  # its best instance has no noise, which the program cannot bear
    assert found.instance is not None
    lead = worst_over_functions(found.claim, found.instance)
    assert lead == pytest.approx(float(sympy.Rational(found.evidence.looseness)), rel=1e-6)
    assert worst_over_functions(claim_of(UpperBound(X, Y)), Instance({"x": 1, "y": 1})) is None


def test_every_space_of_the_papers_serves_a_claim() -> None:
    served = {space.id for claim in all_claims().values() for space in spaces_for(claim)}
    assert {space.id for space in paper_spaces()} <= served
