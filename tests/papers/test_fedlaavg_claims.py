"""FedLaAvg: the findings of its audit re-established, golden numbers, and falsehoods of its own
kind planted."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy

from fltheory import FedAvg, Quadratic, Trace
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.claim import Claim, evaluate, letter
from fltheory.claims.evidence import Evidence, Verdict, overall
from fltheory.claims.measures import measure
from fltheory.engine.simulate import simulate
from fltheory.papers import find_claim, modules
from fltheory.papers.fedlaavg.checks.adaptive import mean_squared_model, stationary_mean_square
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3
from fltheory.papers.fedlaavg.checks.theorem2 import example
from fltheory.papers.fedlaavg.paper import BETA, GAMMA, SIGMA, C, E, G, I, K, L, N, T
from fltheory.papers.fedlaavg.statements.example1 import T1, T2
from fltheory.papers.fedlaavg.statements.variants import DETERMINANT_FORMULA, TRACE_FORMULA
from fltheory.problems.clipped import Clipped
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace_statistics import availability_window

CHECKS = [
    check
    for module in modules()
    if module.__name__.startswith("fltheory.papers.fedlaavg.")
    for check in getattr(module, "CHECKS", ())
]


@cache
def lines(claim_id: str) -> tuple[Evidence, ...]:
    """What all checks of a claim find."""
    return tuple(check.decide(find_claim(claim_id)) for check in CHECKS if check.claim == claim_id)


def on_planted(claim: Claim) -> set[Verdict]:
    """What the fast checks of a claim say about a false version of it."""
    return {
        check.decide(claim).verdict
        for check in CHECKS
        if check.claim == claim.id and not check.slow
    }


REFUTED = {
    "E1 limit depends on the step size": ("fedlaavg.thm1", "2/3", "1/2"),
    "E3 equal blocks miss the optimum": ("fedlaavg.thm1.bias.equal_blocks", "2/3", "1/2"),
    "E3 unequal blocks may meet it": ("fedlaavg.thm1.bias.unequal_blocks", "0", "1"),
    "E4 index of the recursion": ("fedlaavg.thm1.recursion", "1/3", "2/3"),
    "E6 eq. (6) at a cold start": ("fedlaavg.thm2.eq6", "-1/4", "1/16"),
    "E6 decrease in every round": ("fedlaavg.thm2.step", "1/2", "1/8"),
    "E8 period one too short": ("fedlaavg.sec32.period", "0", "1"),
    "E10 window of day and night": ("fedlaavg.sec613.window", "2", "1"),
    "E11 eq. (27) at a cold start": ("fedlaavg.eq27.cold", "1/4", "1/64"),
    "E11 eq. (30) at a cold start": ("fedlaavg.eq30.cold", "1/4", "7/192 + sqrt(2)/16"),
    "E12 bound at the largest step size": ("fedlaavg.thm3.boundary", "0", "1"),
    "E13 Lemma 3 against an adversary": ("fedlaavg.lem3.adaptive", "3", "2"),
    "E13 Theorem 3 against an adversary": (
        "fedlaavg.thm3.adaptive",
        "29814171251/1000000000000",
        "99799/3980000",
    ),
    "E14 noise at full participation": ("fedlaavg.cor1.eq34", None, "any constant"),
    "E14 noise at full participation, rounds": ("fedlaavg.thm4.eq53", None, "any constant"),
    "E15 staleness bound": ("fedlaavg.cor1.staleness", "0", "1"),
    "E17 factor 1/N of eq. (38)": ("fedlaavg.alg3", "15/16", "7/8"),
    "E18 client drift in eq. (46)": ("fedlaavg.eq46", "0", "1/2048"),
    "E19 virtual models": ("fedlaavg.alg3.server", "0", "1"),
    "E21 available is not selected": ("fedlaavg.sec5.latest", "0", "2"),
    "E22 steps of the absent client": ("fedlaavg.appA.absent", "0", "1"),
    "E22 indicator": ("fedlaavg.appA.indicator", "1", "1/2"),
    "E23 scaling of gradients": ("fedlaavg.def.grad", "1/2", "1/4"),
    "E24 equality in eq. (22)": ("fedlaavg.eq22.d", "1/25", "4/25"),
    "E25 norm of the mean noise": ("fedlaavg.eq37.norm", "sqrt(2)/2", "1/2"),
    "new: G without absolute value, Theorem 2": ("fedlaavg.thm2", "8425/16384", "1/2"),
    "new: G without absolute value, eq. (9)": ("fedlaavg.thm2.eq9", "1", "0"),
    "new: G without absolute value, eq. (10)": ("fedlaavg.thm2.eq10", "1/4", "0"),
    "new: G without absolute value, eq. (11)": ("fedlaavg.thm2.eq11", "1/4", "0"),
    "new: drift in eq. (47)": ("fedlaavg.eq47", "1/16384", "0"),
    "new: drift in eq. (48)": ("fedlaavg.eq48", "3/131072", "0"),
    "new: drift in eq. (49)": ("fedlaavg.eq49", "3/16384", "0"),
    "new: drift in eq. (50)": ("fedlaavg.eq50", "3825/268435456", "0"),
    "new: lost root of E in eq. (55)": ("fedlaavg.eq55", None, "any constant"),
}


@pytest.mark.parametrize(("claim_id", "left", "right"), REFUTED.values(), ids=REFUTED)
def test_a_finding_is_a_counterexample(claim_id, left, right):
    found = next(line for line in lines(claim_id) if line.verdict is Verdict.REFUTED)
    assert left is None or found.left == left
    assert found.right == right
    assert found.counterexample is not None


CERTIFIED = [
    "fedlaavg.thm3",
    "fedlaavg.thm4.server",
    "fedlaavg.thm3.improved",
    "fedlaavg.thm4",
    "fedlaavg.eq46.corrected",
    "fedlaavg.lem4",
]
HOLDING = [
    "fedlaavg.lem1",
    "fedlaavg.lem1.tight",
    *CERTIFIED,
    "fedlaavg.thm2.corrected",
    "fedlaavg.cor1",
    "fedlaavg.eq37",
]
PROVED = [
    "fedlaavg.thm1.closed",
    "fedlaavg.thm1.limit",
    "fedlaavg.thm1.eq1",
    "fedlaavg.thm1.eq2",
    "fedlaavg.thm1.periods",
    "fedlaavg.thm2.eq8",
    "fedlaavg.ex1.stability.trace",
    "fedlaavg.ex1.stability.determinant",
    "fedlaavg.cor1.explicit",
    "fedlaavg.thm3.chain",
    "fedlaavg.thm4.chain",
    "fedlaavg.thm3.informative",
    "fedlaavg.cor1.threshold",
    "fedlaavg.asm3.noise",
]


@pytest.mark.parametrize("claim_id", HOLDING)
def test_what_the_audit_found_fine_holds(claim_id):
    assert overall(lines(claim_id)) is (
        Verdict.CERTIFIED if claim_id in CERTIFIED else Verdict.SUPPORTED
    )


@pytest.mark.parametrize("claim_id", PROVED)
def test_formulas_are_proved(claim_id):
    assert overall(lines(claim_id)) is Verdict.PROVED


def test_the_speedup_does_not_reach_the_experiments():
    assert overall(lines("fedlaavg.sec62.theory")) is Verdict.REFUTED


# Falsehoods of the kinds that papers commit: a dropped condition, a shifted index, a flipped sign,
# a constant too small.
PLANTED = {
    "Lemma 1 with floor for ceiling": ("fedlaavg.lem1", lambda right: sympy.floor(N / K) * E - 1),
    "Lemma 1 one round better": ("fedlaavg.lem1", lambda right: right - 1),
    "closed form with blocks exchanged": (
        "fedlaavg.thm1.closed",
        lambda right: right.subs({T1: T2, T2: T1}, simultaneous=True),
    ),
    "eq. (1) one round late": ("fedlaavg.thm1.eq1", lambda right: right.subs(T1, T1 + 1)),
    "eq. (26) without the spread": (
        "fedlaavg.eq26",
        lambda right: right.subs(letter("squared_spread"), 0),
    ),
    "repaired eq. (46) without the drift": (
        "fedlaavg.eq46.corrected",
        lambda right: (I * C * L * GAMMA * G) ** 2 / 2,
    ),
    "Theorem 3 without initial gap and staleness": (
        "fedlaavg.thm3",
        lambda right: 4 * GAMMA * SIGMA**2 * L / N,
    ),
    "Corollary 1 with half the constants": ("fedlaavg.cor1.explicit", lambda right: right / 2),
    "threshold of Corollary 1 for a smaller share": (
        "fedlaavg.cor1.threshold",
        lambda right: right * BETA / (1 + BETA),
    ),
    "trace without the mixed term": (
        "fedlaavg.ex1.stability.trace",
        lambda right: right - (1 - GAMMA) ** (T1 + T2),
    ),
    "linear instead of sublinear speedup": ("fedlaavg.cor1.speedup", lambda right: right / N),
    "rate 1/T": ("fedlaavg.cor1", lambda right: right / sympy.sqrt(T)),
    "drift linear in the distance": ("fedlaavg.lem4", lambda right: right / 2),
}


@pytest.mark.parametrize(("claim_id", "change"), PLANTED.values(), ids=PLANTED)
def test_a_planted_falsehood_is_refuted(claim_id, change):
    claim = find_claim(claim_id)
    assert Verdict.REFUTED in on_planted(claim.planted(right=change(claim.statement.right)))


def test_fedavg_at_step_size_one_never_settles():
    def ends(first, second, periods=4):
        trace = Trace.fresh(Alternating(2, (first, second)).matrix(periods * (first + second)))
        return (
            simulate(FedAvg(), Quadratic((2, 2), (0, 1)), trace, start=1, local_step_size=1)
            .models[:: first + second, 0]
            .tolist()
        )

    assert ends(1, 1) == [1, 3, 5, 7, 9]
    assert ends(2, 2) == [1, 1, 1, 1, 1]
    assert ends(1, 2)[::2] == [1, 1, 1]
    assert ends(1, 2)[1] != 1


def test_theorem_2_instance():
    run = example(1, 3, (2, 0, 1), 16)
    models = simulate(
        FedLaAvg(), run.problem, run.trace, start=2, local_step_size=run.local_step_size
    ).models[:, 0]
    assert models[1:5].tolist() == [
        Fraction(7, 4),
        Fraction(45, 32),
        Fraction(283, 256),
        Fraction(1725, 2048),
    ]
    mean = measure(run, ["mean_squared_gradient"])["mean_squared_gradient"] / 4
    assert round(float(mean), 6) == 0.325089
    assert round(float(min((x - Fraction(1, 2)) ** 2 for x in models)), 10) == 8.6e-9
    tight = example(1, 1, (1, 1, -1), 4)
    values = measure(tight, ["mean_squared_gradient", "initial_loss_gap", "num_rounds"])
    claim = find_claim("fedlaavg.thm2.corrected").statement
    known = values | {"start": 1, "optimum": 0, "distance_of_optima": 2, "staleness_bound": 1}
    assert evaluate(claim.left, known) / evaluate(claim.right, known) == sympy.Rational(145, 192)


@pytest.mark.parametrize(
    ("blocks", "step_size", "radius"),
    [
        ((1, 1), "1/4", "1/4"),
        ((1, 3), "1/4", "(103 + sqrt 1393)/512"),
        ((3, 2), "1/4", 0.203333),
        ((10, 10), "1/4", 0.716435),
    ],
)
def test_spectral_radius_of_fedlaavg(blocks, step_size, radius):
    trace = Trace.fresh(Alternating(2, blocks).matrix(4 * sum(blocks)))
    limit = limit_cycle(FedLaAvg(), Quadratic((2, 2), (0, 1)), trace, local_step_size=step_size)
    if isinstance(radius, float):
        assert round(limit.spectral_radius, 6) == radius
    else:
        exact = {"1/4": sympy.Rational(1, 4)}.get(radius, (103 + sympy.sqrt(1393)) / 512)
        assert sympy.simplify(limit.spectral_radius_exact - exact) == 0


def radius_from_formulas(first, second, step_size):
    """Larger root of z^2 - trace z + determinant, to thirty digits."""
    at = {T1: first, T2: second, GAMMA: sympy.Float(str(float(step_size)), 40)}
    trace, determinant = TRACE_FORMULA.subs(at), DETERMINANT_FORMULA.subs(at)
    root = sympy.sqrt(trace**2 - 4 * determinant)
    return max(abs(trace + root), abs(trace - root)) / 2


def test_long_blocks_make_fedlaavg_slow():
    """E28: the paper's learning rate, local steps and blocks."""
    assert round(float(radius_from_formulas(50, 50, Fraction(1, 10))), 6) == 0.977212
    equivalent = (1 - (1 - Fraction(2, 100)) ** 10) / 2
    per_period = radius_from_formulas(100, 100, equivalent)
    assert round(float(per_period), 8) == 0.99969945
    assert round(float(200 * sympy.log(10) / -sympy.log(per_period)) / 1e6, 2) == 1.53


def test_the_adversary_in_the_long_run():
    assert round(float(stationary_mean_square(Fraction(1, 1000))), 6) == 0.111852
    assert round(float(stationary_mean_square(Fraction(1, 100))), 4) == 0.1185
    for size in (Fraction(1, 4), Fraction(1, 10)):
        limit, mean = stationary_mean_square(size), mean_squared_model(size, 400)
        assert abs(float(limit - mean)) < 0.02


def test_the_adversary_by_brute_force():
    """The two-state chain against all noise of five rounds, run step by step."""
    size, total = Fraction(1, 10), Fraction(0)
    for noise in product((1, -1), repeat=5):
        x, stale = Fraction(0), None
        for n in noise:
            total += x * x
            gradient, stale = (
                (stale, None) if stale is not None else (x + n, x + n if n > 0 else None)
            )
            x -= size * gradient
    assert mean_squared_model(size, 5) == total / (5 * 32)


def test_assumption_4_does_not_give_assumption_5():
    iterations = np.array([[True], [False]] * 4)
    assert availability_window(iterations) == 2
    assert not iterations.reshape(4, 2, 1).all(axis=1).any()


def test_the_threshold_of_corollary_1_implies_its_step_size_but_for_three_settings():
    """E16: at the least T >= E N^(3/2)/beta the step size exceeds 1/(4L) only for three (N, K,
    E)."""
    exceptions = []
    for clients, window in product(range(1, 9), range(1, 4)):
        for used in range(1, clients + 1):
            rounds = sympy.ceiling(
                window * sympy.Integer(clients) ** sympy.Rational(3, 2) * clients / used
            )
            squared = sympy.sqrt(clients) * used / clients / (4 * window * rounds)  # (gamma L)^2
            if squared > sympy.Rational(1, 16):
                exceptions.append((clients, used, window))
    assert exceptions == [(1, 1, 1), (2, 2, 1), (3, 3, 1)]


def test_drift_with_staleness_one():
    """E18: N=4, K=3, slopes 1-x for three clients, x-1 for the fourth, which sits out; in units of
    C gamma L G: (9C/8 - 3/4)/C."""
    line = Line(Clipped(centres=(1, 1, 1, 1), bound=1, curvatures=(-1, -1, -1, 1)))
    size = Fraction(1, 10**5)
    for steps, above in ((6, False), (7, True), (20, True)):
        run = algorithm_3(
            line, ((1, 1, 1, 0), (1, 1, 0, 1), (1, 1, 1, 0)), steps, size, Fraction(1, 1000), {}
        )
        spreads = []
        for used in (used for t, used in run.latest.items() if t > 2 * steps):
            old = line.mean_slope(run.models[min(used) - 1])
            mean = sum(line.slope(i, run.points[i, s]) for i, s in enumerate(used)) / 4
            spreads.append(abs(old - mean) / (steps * size))
        assert (max(spreads) > 1) is above
        assert abs(max(spreads) - Fraction(9 * steps - 6, 8 * steps)) < Fraction(1, 100)


def test_server_models_and_virtual_models():
    """E19: f_i' = x -+ 1, two clients in turn, two local steps of 1/4."""
    line = Line(Clipped(centres=(1, -1), bound=3))
    models = algorithm_3(line, ((1, 0), (0, 1), (1, 0)), 2, Fraction(1, 4), Fraction(1), {}).models
    assert [str(x) for x in models[::2]] == ["1", "1", "9/16", "113/512"]
    assert [str(x) for x in models[1::2]] == ["1", "3/4", "47/128"]


def test_literal_eq_38_counts_every_client_fully():
    """E17: N=K=2, C=R=1, both gradients 1, step size 1/4."""
    line = Line(Clipped(centres=(-5, -5), bound=1))
    last = [
        algorithm_3(line, ((1, 1),), 1, Fraction(1, 4), Fraction(0), {}, divided=divided).models[-1]
        for divided in (True, False)
    ]
    assert last == [Fraction(-1, 4), Fraction(-1, 2)]


@pytest.mark.parametrize(("half", "day", "worst"), [(100, 1, 108), (50, 1, 58), (100, 5, 104)])
def test_staleness_of_the_mnist_setting(half, day, worst):
    chosen = longest_absent(Diurnal(1000, half_period=half, day_groups=day).matrix(6 * half), 100)
    absent = np.arange(6 * half)[:, None] - np.maximum.accumulate(
        np.where(chosen, np.arange(6 * half)[:, None], -1), axis=0
    )
    assert absent[2 * half :].max() == worst


def test_lemma_1_is_attained_up_to_thirty_clients():
    for clients, used, window in product((13, 30), (1, 4, 7, 13), (1, 6)):
        worst = -(-clients // used) * window - 1
        chosen = longest_absent(WithinWindow(clients, window).matrix(3 * worst + 6), used)
        assert availability_window(chosen) - 1 == worst
