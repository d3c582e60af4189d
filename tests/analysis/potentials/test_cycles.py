"""Runs that return to their start on a loss that is not quadratic, beyond the largest proved
step: played and compared with the textbook inequality here."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from fltheory import forever
from fltheory.analysis.potentials.cycles import (
    Cycle,
    cycle_at,
    cycle_candidates,
    cycle_program,
    smallest_cycle,
)
from fltheory.analysis.potentials.language import Periodic, Windows
from fltheory.analysis.potentials.question import ForeverQuestion
from fltheory.analysis.potentials.rounding import violations
from fltheory.analysis.potentials.sharpness import breaking, last_received, period_map
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.types import FloatArray

MU = Fraction(1, 10)


def vectors(found: Cycle) -> dict[str, FloatArray]:
    """Vectors with the inner products of a cycle, the last gradient included."""
    used = sorted(set(found.sources))
    names = ["x", *(f"g{s}" for s in used[:-1])]
    gram = np.array(
        [
            [float(found.numbers["gram", *sorted((a, b), key=names.index)]) for b in names]
            for a in names
        ]
    )
    roots = np.linalg.cholesky(gram)
    known = dict(zip(names, roots, strict=True))
    rest = sum(found.sources.count(s) * known[f"g{s}"] for s in used[:-1])
    return known | {f"g{used[-1]}": -rest / found.sources.count(used[-1])}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("length", "below"),
    [(3, 0.52), (4, 0.34), (5, 0.26)],
)
def test_windows_have_a_cycle_just_beyond_what_is_proved(length: int, below: float) -> None:
    found = forever("mifa", window=length, strong_convexity=MU, largest_step=True)
    assert found.largest_step is not None
    assert found.cycles_at is not None
    assert found.breaks_at is not None
    assert found.largest_step < found.cycles_at < found.breaks_at
    assert found.cycles_at < below
    assert found.gap is not None
    assert found.gap < 0.03
    assert found.cycle is not None
    assert "not quadratic" in found.cycle


@pytest.mark.parametrize("language", [Windows(3), Windows(4), Periodic("1001"), Periodic("11000")])
def test_a_cycle_closes_on_a_loss_of_the_class(language: Windows | Periodic) -> None:
    question = ForeverQuestion("mifa", language, FunctionClass(1, MU, True), Fraction(1, 100))
    found = smallest_cycle(question, Fraction(5, 4))
    assert found is not None
    known, here, models = vectors(found), vectors(found)["x"], []
    for source in found.sources:
        models.append(here)
        here = here - float(found.step) * known[f"g{source}"]
    assert np.allclose(here, models[0], atol=1e-9)
    zero, mu = np.zeros_like(here), float(MU)
    requests = [
        (models[s], known[f"g{s}"], float(found.numbers["value", s]))
        for s in sorted(set(found.sources))
    ]
    assert max(np.linalg.norm(model) for model in models) > 0.1
    for (x, g, f), (y, h, value) in permutations([*requests, (zero, zero, 0.0)], 2):
        quadratic = np.sum((g - h) ** 2) + mu * np.sum((x - y) ** 2) - 2 * mu * np.dot(g - h, x - y)
        assert f >= value + h @ (x - y) + quadratic / (2 * (1 - mu))


def test_the_clients_of_a_cycle_deliver_as_the_language_says() -> None:
    for length in range(2, 6):
        for sources in cycle_candidates(Windows(length)):
            delivers = [t == source for t, source in enumerate(sources)]
            assert delivers[0]  # everybody in round 0, windows from round 1 on
            later = delivers[1:] + delivers[:1]
            assert len(later) % length == 0
            for first in range(0, len(later), length):
                assert sum(later[first : first + length]) == 1
    for word in ("1001", "11000", "0110", "10"):
        for sources in cycle_candidates(Periodic(word)):
            text = "".join("01"[t == source] for t, source in enumerate(sources))
            assert text[0] == "1"
            assert text[: len(word)] in 2 * word
            assert text == text[: len(word)] * (len(text) // len(word))


def test_no_cycle_where_a_potential_is_proved() -> None:
    for language, step in ((Windows(3), "0.49"), (Periodic("1001"), "0.8"), (Windows(2), "0.89")):
        for sources in cycle_candidates(language):
            assert cycle_at(sources, Fraction(step), MU) is None


def test_numbers_of_another_step_or_a_larger_convexity_are_no_cycle() -> None:
    sources = (0, 1, 1, 1, 1, 1, 6, 7, 7, 7, 7, 7)
    found = cycle_at(sources, Fraction(51, 100), MU)
    assert found is not None
    assert not violations(cycle_program(sources, found.step, MU), found.numbers, Fraction(0))
    for step, low in ((Fraction(1, 2), MU), (found.step, Fraction(1, 2))):
        assert violations(cycle_program(sources, step, low), found.numbers, Fraction(0))


@pytest.mark.parametrize(
    ("method", "pattern", "breaks"),
    [("importance-sampling", "10", Fraction(1)), ("async", "100", Fraction(2, 3))],
)
def test_methods_with_fixed_weights_break_together(
    method: str, pattern: str, breaks: Fraction
) -> None:
    """All clients together on x^2/2: the model of the last delivery less (eta/q) times itself."""
    question = ForeverQuestion(
        method, Periodic(pattern), FunctionClass(1, MU, True), Fraction(1, 100)
    )
    found = breaking(question)
    assert found is not None
    assert found.step == breaks
    assert period_map(question, tuple(pattern), breaks - Fraction(1, 1000))[0]
    assert smallest_cycle(question, breaks) is None


def test_clients_start_from_the_model_after_their_last_delivery() -> None:
    started = last_received(np.array([[1], [0], [1], [1]]))
    assert started[:, 0].tolist() == [0, 1, 1, 3]
