"""A computation ends after its processor time, wherever it is; other timers and threads stay."""

import signal
import threading
import time

import pytest

from fltheory.attacks.search import attack
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, UpperBound
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.time_limits import AGAIN, TimeIsUp, processor_time
from tests.attacks.toy_claims import X, Y, claim_of

MUCH = 1000.0


def for_ever() -> None:
    """No end, as far as anybody waits."""
    until = time.process_time() + 10
    while time.process_time() < until:
        pass
    raise AssertionError("nobody ended it")


def out_of_time(limit: float) -> None:
    """A limit is set here, and runs out now: no test guesses how long the work before takes."""
    left, again = signal.getitimer(signal.ITIMER_PROF)
    assert 0 < left < limit + 1
    assert again == AGAIN
    signal.setitimer(signal.ITIMER_PROF, 0.001, again)


def test_a_computation_without_end_ends_and_the_timer_is_gone() -> None:
    with pytest.raises(TimeIsUp), processor_time(0.01):
        for_ever()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


def test_without_a_limit_and_in_other_threads_nothing_is_set() -> None:
    seen = []

    def inside() -> None:
        with processor_time(0.001):
            seen.append(signal.getitimer(signal.ITIMER_PROF))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    with processor_time(None):
        seen.append(signal.getitimer(signal.ITIMER_PROF))
    assert seen == [(0.0, 0.0)] * 2


def test_a_timer_of_somebody_else_stays() -> None:
    signal.signal(signal.SIGPROF, lambda number, frame: None)
    try:
        with processor_time(0.001):
            assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)


def test_an_attack_leaves_an_instance_that_takes_for_ever() -> None:
    made: list[Choices] = []

    def slow(choices: Choices, claim: Claim) -> Instance:
        made.append(choices)
        if len(made) == 4:
            out_of_time(MUCH)
            for_ever()
        return Instance({"x": 1, "y": 2})

    space = Space("slow", "Slow.", frozenset({"x", "y"}), slow)
    found = attack(claim_of(UpperBound(X, Y)), seconds=MUCH, spaces=[space], kinds=())
    assert found.state.instances == 3


def test_a_signal_inside_a_callback_of_the_interpreter_waits_for_its_end() -> None:
    ended = []

    def gc_callback() -> None:
        out_of_time(MUCH)
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
        ended.append(True)

    def both() -> None:
        gc_callback()
        for_ever()

    with pytest.raises(TimeIsUp), processor_time(MUCH):
        both()
    assert ended


def test_minimising_that_takes_too_long_leaves_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_end(*_: object) -> None:
        out_of_time(MUCH)
        for_ever()

    monkeypatch.setattr("fltheory.attacks.search.shrink", without_end)
    drawn = Instance({"x": 2, "y": 1})
    space = Space("two", "Two.", frozenset({"x", "y"}), lambda choices, claim: drawn)
    found = attack(claim_of(UpperBound(X, Y)), seconds=MUCH, spaces=[space])
    assert found.refuted
