"""Methods with late work, by hand: weighted aggregation (Fraboni et al.) and anarchic averaging
(AFL)."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import FedAvg, InvalidInput, Quadratic, Trace, WeightedAggregation, simulate_virtual
from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.engine.noise import Rademacher, every_sign
from fltheory.engine.simulate import simulate

few = settings(max_examples=25)

UNIT = Quadratic(curvatures=(1, 1), optima=(0, 1))


def models(*arguments: Any, **options: Any) -> list[Fraction]:
    return list(simulate(*arguments, **options).models[:, 0])


def numbers(*texts: str) -> list[Fraction]:
    return [Fraction(text) for text in texts]


# --- Fraboni et al.


@pytest.mark.parametrize(
    ("arrivals", "weights", "expected"),
    [
        (
            [[1, 0], [1, 0], [0, 1]] * 2,
            ("3/4", "3/2"),
            ("0", "0", "3/20", "3/20", "111/800", "213/800"),
        ),
        ([[1, 0], [1, 1]] * 2, ("3/4", "3/2"), ("0", "3/20", "111/800", "8187/32000")),
        (
            [[1, 0], [1, 1]] * 3,
            ("1/2", "1"),
            ("0", "1/10", "19/200", "721/4000", "13699/80000", "391441/1600000"),
        ),
        ([[1, 0], [1, 0], [0, 1]] * 2, ("1", "1"), ("0", "0", "1/10", "1/10", "9/100", "9/50")),
    ],
    ids=["async, ties in turn", "async, ties together", "FedFix", "identical weights"],
)
def test_update_times_one_and_two(arrivals: Any, weights: Any, expected: Any) -> None:
    run = models(
        WeightedAggregation(weights),
        UNIT,
        Trace.continuous(arrivals),
        start=0,
        local_step_size="1/10",
    )
    assert run == [0, *numbers(*expected)]


def test_a_step_size_of_one_with_delay_one_never_converges() -> None:
    """Example 1: theta^{n+2} - theta^{n+1} + theta^n = theta*, a cycle of six."""
    problem, turns = (
        Quadratic(curvatures=(1, 1), optima=("-1/2", "-1/2")),
        Trace.continuous([[1, 0], [0, 1]] * 6),
    )
    run = models(WeightedAggregation((1, 1)), problem, turns, start=3, local_step_size=1)
    assert run == numbers("3", "-1/2", "-4", "-4", "-1/2", "3") * 2 + [3]


def test_weights_may_change_from_round_to_round() -> None:
    trace = Trace.fresh([[1, 1], [1, 1]])
    table = WeightedAggregation((("1/2", "1/2"), (0, 2)))
    assert models(table, UNIT, trace, start=0, local_step_size="1/2") == numbers("0", "1/4", "1")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((1,), "one entry for each of 2 clients"),
        ((1, 1, 1), "one entry for each of 2 clients"),
        (((1, 1),), "a row for round 1"),
    ],
)
def test_weights_of_another_size_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        models(
            WeightedAggregation(weights),
            UNIT,
            Trace.fresh([[1, 1], [1, 1]]),
            start=0,
            local_step_size=1,
        )


def test_no_weights_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one entry"):
        WeightedAggregation(())


@st.composite
def late_traces(draw: st.DrawFn) -> Trace:
    """Three clients, delays up to 2, the same number of local steps for all (as in the paper)."""
    rounds = draw(st.integers(1, 5))

    def table(high: int) -> Any:
        return np.reshape(
            draw(st.lists(st.integers(0, high), min_size=3 * rounds, max_size=3 * rounds)),
            (rounds, 3),
        )

    return Trace.with_delays(
        table(1),
        np.minimum(table(2), np.arange(rounds)[:, None]),
        local_steps=draw(st.integers(1, 3)),
    )


@few
@given(late_traces(), st.tuples(*[st.fractions(0, 2, max_denominator=4)] * 3))
def test_virtual_iterates_lead_from_model_to_model(trace: Trace, weights: Any) -> None:
    """theta^{n,0} = theta^n, theta^{n,K} = theta^{n+1}, and each step subtracts the weighted local
    gradients."""
    problem, local, server = (
        Quadratic(curvatures=(1, 2, "1/2"), optima=(0, 1, 3)),
        Fraction(1, 5),
        Fraction(3, 2),
    )
    options: dict[str, Any] = {"start": 2, "local_step_size": local, "server_step_size": server}
    run = models(WeightedAggregation(weights), problem, trace, **options)
    virtual = simulate_virtual(WeightedAggregation(weights), problem, trace, **options)[..., 0]
    assert list(virtual[:, 0]) == run[:-1]
    assert list(virtual[:, -1]) == run[1:]
    for n in range(trace.num_rounds):
        walks = [run[trace.started_from[n, i]] for i in range(3)]
        for k in range(int(trace.local_steps[n].max())):
            gradients = [
                problem.curvatures[i][0] * (walks[i] - problem.optima[i][0]) for i in range(3)
            ]
            used = sum(weights[i] * gradients[i] for i in range(3) if trace.delivers[n, i])
            assert virtual[n, k + 1] == virtual[n, k] - server * local * used
            walks = [
                walk - local * gradient for walk, gradient in zip(walks, gradients, strict=True)
            ]


def test_virtual_iterates_take_one_trace() -> None:
    with pytest.raises(InvalidInput, match="be a single one for virtual iterates"):
        simulate_virtual(
            FedAvg(), UNIT, Trace.fresh([[[1, 1]], [[1, 0]]]), start=0, local_step_size=1
        )


# --- anarchic averaging


def test_one_round_of_afa_by_hand() -> None:
    """Two local steps of 1/10 on x^2/2 from 1: the average gradient is 19/20, and with a server
    step of 2 the model 81/100."""
    alone, once = Quadratic(curvatures=(1,), optima=(0,)), Trace.fresh([[1]], local_steps=2)
    run = simulate(AfaCrossSilo(), alone, once, start=1, local_step_size="1/10", server_step_size=2)
    assert run.final.server.averages[0, 0] == Fraction(19, 20)
    for algorithm in (AfaCrossDevice(), AfaCrossSilo()):
        assert models(algorithm, alone, once, start=1, local_step_size="1/10", server_step_size=2)[
            -1
        ] == Fraction(81, 100)


def test_the_printed_server_step_breaks_theorem_two() -> None:
    """x - eta G as printed is the corrected step with eta / eta_L: x -> -2x, far above the bound of
    Theorem 2."""
    alone, always = Quadratic(curvatures=(1,), optima=(0,)), Trace.fresh([[1]] * 6)
    local, server, gap = Fraction(1, 1000), 3, Fraction(1, 2)
    bound = 4 * gap / (server * local * 6)
    printed, corrected = (
        models(
            AfaCrossDevice(), alone, always, start=1, local_step_size=local, server_step_size=size
        )[:-1]
        for size in (server / local, server)
    )
    assert (
        sum(x**2 for x in printed) / 6
        == Fraction(1365, 6)
        > bound
        >= sum(x**2 for x in corrected) / 6
    )


@few
@given(
    st.integers(1, 3),
    st.lists(st.lists(st.integers(0, 1), min_size=2, max_size=2), min_size=1, max_size=5),
)
def test_afa_cd_on_time_is_fedavg_with_a_larger_server_step(steps: int, delivers: Any) -> None:
    trace, noise = Trace.fresh(delivers, local_steps=steps), Rademacher(UNIT, "1/3")
    options: dict[str, Any] = {"start": 3, "local_step_size": "1/7", "noise": noise}
    afa = models(AfaCrossDevice(), UNIT, trace, server_step_size=Fraction(3, 4) * steps, **options)
    assert afa == models(FedAvg(), UNIT, trace, server_step_size=Fraction(3, 4), **options)


@few
@given(late_traces())
def test_afa_cs_with_everyone_is_afa_cd(trace: Trace) -> None:
    problem = Quadratic(curvatures=(1, 2, "1/2"), optima=(0, 1, 3))
    everyone = Trace.with_delays(
        np.ones_like(trace.delivers), trace.delays, local_steps=int(max(trace.local_steps.max(), 1))
    )
    device, silo = (
        models(method, problem, everyone, start=2, local_step_size="1/5", server_step_size=2)
        for method in (AfaCrossDevice(), AfaCrossSilo())
    )
    assert device == silo


def test_round_robin_afa_cs_has_the_exact_variances() -> None:
    """x_{t+1} = x_t - (g/3) sum of the three latest noisy gradients: Var x_1..x_5 over all 2^7
    signs of the noise."""
    problem = Quadratic(curvatures=(1, 1, 1), optima=(0, 0, 0))
    robin = Trace.fresh([[1, 1, 1], *([int(t % 3 == i) for i in range(3)] for t in range(1, 5))])
    runs = simulate(
        AfaCrossSilo(), problem, robin, start=0, local_step_size="1/10", noise=every_sign(robin)
    ).models[..., 0]
    assert runs.shape == (2**7, 6)
    assert (runs.mean(axis=0) == 0).all()
    assert list((runs**2).mean(axis=0)) == [
        0,
        *numbers(
            "1/300",
            "967/90000",
            "1565327/81000000",
            "1927790687/72900000000",
            "2109657352847/65610000000000",
        ),
    ]


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_averaging_local_steps_averages_their_noise(steps: int) -> None:
    """Lemma 1 of AFL with its sharp constant, on a linear loss: E |G_i - E G_i|^2 = sigma^2 / K."""
    flat, once = Quadratic(curvatures=(0,), optima=(0,)), Trace.fresh([[1]], local_steps=steps)
    runs = simulate(
        AfaCrossDevice(), flat, once, start=0, local_step_size=1, noise=every_sign(once)
    ).models[:, -1, 0]
    assert (runs**2).mean() == Fraction(1, steps)
