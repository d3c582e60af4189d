"""The self-test of a device passes where all is right; a wrong draw or quantity fails it."""

import json
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.engine.arithmetic import tensor_draws
from fltheory.papers import self_test as module
from fltheory.papers.self_test import self_test

LINE = ["selftest", "--no-compiled", "--runs", "64"]


@pytest.mark.slow
def test_the_cpu_passes() -> None:
    result = CliRunner().invoke(make_app(), [*LINE, "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["passed"]
    assert [check["found"] for check in found["checks"][:1]] == [0]


@pytest.mark.slow
def test_wrong_draws_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tensor_draws.random_words

    def wrong(*keys: Any, device: str = "cpu") -> Any:
        return [words ^ (words == words.max()) for words in right(*keys, device=device)]

    monkeypatch.setattr(tensor_draws, "random_words", wrong)
    found = self_test(runs=64, compiled=False)
    assert not found.passed
    assert [check.passed for check in found.checks[:1]] == [False]
    assert CliRunner().invoke(make_app(), LINE).exit_code == 1


@pytest.mark.slow
def test_a_wrong_quantity_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "by_device", lambda *_, **__: (np.float64(1.0), 1e-3))
    assert [c.passed for c in self_test(runs=64, compiled=False).checks] == [
        *[True] * 3,
        False,
        True,
    ]


def test_a_missing_device_is_named() -> None:
    result = CliRunner().invoke(make_app(), ["selftest", "--device", "cuda:77"])
    assert result.exit_code == 2
    assert "--device must be one that torch has here, got 'cuda:77'" in result.stderr
