"""Golden numbers of FedLaAvg: limits, spectral radii, the adversary, literal algorithms,
staleness."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy

from fltheory import FedAvg, Quadratic, Trace
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.claim import evaluate
from fltheory.claims.measures import measure
from fltheory.engine.simulate import simulate
from fltheory.papers import find_claim
from fltheory.papers.fedlaavg.checks.adaptive import mean_squared_model
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3
from fltheory.papers.fedlaavg.checks.theorem2 import example
from fltheory.papers.fedlaavg.paper import GAMMA
from fltheory.papers.fedlaavg.statements.example1 import T1, T2
from fltheory.papers.fedlaavg.statements.variants import DETERMINANT_FORMULA, TRACE_FORMULA
from fltheory.problems.clipped import Clipped
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace_statistics import availability_window


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


def stationary_mean_square(step_size: Fraction) -> Fraction:
    """Limit of the mean square of the model as the rounds grow, by solving the linear equations for
    the stationary moments.

    Per state: mass (2/3, 1/3); first moments m = (a, b) with a = keep/2 a + gamma/2 M + again b +
    (again - 1) W, b = keep/2 a - gamma/2 M; second moments likewise.
    """
    keep, half = 1 - step_size, Fraction(1, 2)
    again = 1 - step_size / keep
    mass, gone = Fraction(2, 3), Fraction(1, 3)
    # a (1 - keep/2 - again keep/2) = gamma M/2 (1 - again) + (again - 1) W
    first = (step_size * mass * half * (1 - again) + (again - 1) * gone) / (
        1 - keep * half * (1 + again)
    )
    first_away = half * (keep * first - step_size * mass)
    known = half * (2 * keep * step_size * first + step_size**2 * mass)
    known += 2 * again * (again - 1) * first_away + (again - 1) ** 2 * gone
    away_known = half * (-2 * keep * step_size * first + step_size**2 * mass)
    second = (known + again**2 * away_known) / (1 - half * keep**2 * (1 + again**2))
    return second + half * keep**2 * second + away_known


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
