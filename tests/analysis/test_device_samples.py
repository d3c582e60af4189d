"""Quantities of rates from runs on a device are those of the sampler on the CPU."""

from pathlib import Path
from typing import Any

import pytest

from fltheory import InvalidInput
from fltheory.analysis.device_samples import Where, by_device
from fltheory.analysis.sizes import RunSize
from fltheory.papers.library import find_regime
from fltheory.papers.measured_rates import MeasuredRates, rates

SIZE = RunSize(num_clients=4, num_rounds=20)
CLAIMS = ("afl.cor1", "fraboni.eq13", "mifa.thm5.1", "mifa.thm6.1", "fedlaavg.thm4")


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS)
def test_samples_on_a_device_are_the_samples(claim: str) -> None:
    regime = find_regime(claim)
    expected = regime.by_samples(SIZE, runs=70)
    assert by_device(regime, SIZE, runs=70, where=Where()) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["mifa.thm6.1", "afl.cor1"])
@pytest.mark.parametrize("problem", ["quadratic", "logistic", "network"])
def test_batches_do_not_change_a_bit(claim: str, problem: str) -> None:
    regime, where = find_regime(claim), Where("cpu", problem, 2)
    whole = by_device(regime, SIZE, runs=150, where=where)
    assert whole == by_device(regime, SIZE, runs=150, where=where, together=64)
    assert whole != by_device(regime, SIZE, runs=150, where=where, first_seed=7)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (Where("cuda:77"), "--device must be one that torch has here, got 'cuda:77'"),
        (Where("cpu", "cubic"), "--problem must be one of quadratic, logistic, network"),
        (Where("cpu", "quadratic", None, Path("x")), "--data must be left out with --problem"),
        (Where("cpu", "network", 3, Path("x")), "--data must be left out with --dimension"),
    ],
)
def test_bad_choices_are_refused(where: Where, message: str) -> None:
    claim = "afl.cor1" if where.problem == "cubic" else "mifa.thm5.1"
    with pytest.raises(InvalidInput, match=message):
        by_device(find_regime(claim), SIZE, runs=64, where=where)


def test_a_device_comes_with_samples() -> None:
    with pytest.raises(InvalidInput, match="come with --engine samples, got exact moments"):
        rates("afl.cor1", "T", where=Where())


@pytest.mark.slow
def test_a_rate_on_real_losses() -> None:
    found: Any = rates(
        "afl.cor1", "T", grid=(200, 400, 800), runs=64, where=Where("cpu", "logistic", 2)
    ).found[0]
    assert found.plain < 0
    assert found.errors is not None


SHORT: Any = {"grid": (2, 3, 4), "rounds": 6, "runs": 4}


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["quadratic", "logistic", "network"])
@pytest.mark.parametrize("versus", ["N", "K", "T", "staleness", "m", "M"])
def test_any_variable_and_problem(problem: str, versus: str) -> None:
    sizes = SHORT | ({"clients": 4} if versus == "m" else {})
    for method in ("mifa", "scaffold"):
        found: MeasuredRates = rates(method, versus, where=Where("cpu", problem, 2), **sizes)
        (fit,) = found.found
        assert min(fit.quantities) > 0
        assert found.entries[0]["measures"]


def test_nothing_is_claimed_of_another_quantity_or_variable() -> None:
    def claimed(method: str, versus: str, problem: str) -> object:
        found = rates(method, versus, where=Where("cpu", problem), **SHORT)
        return found.entries[0]["claimed"]

    assert claimed("mifa", "T", "quadratic") == "-1"
    assert claimed("mifa", "M", "quadratic") is None  # the theorem does not speak of M
    assert claimed("mifa", "T", "logistic") is None  # nor of squared gradients
    assert claimed("fedsgd", "T", "quadratic") is None


@pytest.mark.parametrize(
    ("method", "versus", "message"),
    [("mifa", "x", "be one of N, M, K, T, m, staleness"), ("fedagv", "T", "fedavg")],
)
def test_unknown_names_are_refused(method: str, versus: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        rates(method, versus, where=Where(), **SHORT)
