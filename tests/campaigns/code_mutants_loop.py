"""Pytest's loop over tests, once for every mutant: `make mutants` loads this file as a plugin.

The tests are collected once; a mutant meets those that enter its function, the quickest first, in a
process of its own until one fails. So no mutant pays for imports and collection.
"""

import gc
import json
import os
import resource
import time
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation import trampoline

ASKED, OUTCOMES = Path("asked.json"), Path("outcomes.json")
SECONDS, BYTES = 20, 6 << 30
"""What a mutant may use: processor time, since a busy machine must not stop it, and memory."""


def passes(item: pytest.Item, after: pytest.Item | None = None) -> bool:
    return not any(one.failed for one in runtestprotocol(item, log=False, nextitem=after))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Every test once without a mutant, to know what it enters; then every mutant."""
    entered: dict[str, list[tuple[float, pytest.Item]]] = {}
    for item, after in zip(session.items, [*session.items[1:], None], strict=True):
        found: set[str] = set()
        trampoline.record_trampoline_hit = lambda name, found=found, **_: found.add(name)
        trampoline.set_mutant_under_test("stats")
        began = time.process_time()
        if not passes(item, after):
            raise pytest.UsageError(f"{item.nodeid} fails without a mutant")
        for function in found:
            entered.setdefault(function, []).append((time.process_time() - began, item))
    trampoline.set_mutant_under_test("")
    gc.collect()
    gc.freeze()
    outcomes = json.loads(OUTCOMES.read_text()) if OUTCOMES.exists() else {}
    for name in json.loads(ASKED.read_text()):
        met = sorted(entered.get(name.partition("__mutmut_")[0], ()), key=lambda pair: pair[0])
        outcomes[name] = ended(name, [item for _, item in met])
        if len(outcomes) % 50 == 0:
            OUTCOMES.write_text(json.dumps(outcomes))
    OUTCOMES.write_text(json.dumps(outcomes))
    return True


def ended(name: str, items: list[pytest.Item]) -> str:
    """How the tests of a mutant end: killed, late, survived, or none is about it."""
    if not items:
        return "no tests"
    child = os.fork()
    if child == 0:
        try:
            os._exit(1 if _fails(name, items) else 0)
        except BaseException:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "survived", -24: "late", -9: "late"}.get(code, "killed")


def _fails(name: str, items: list[pytest.Item]) -> bool:
    for limit, most in ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_AS, BYTES)):
        resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    trampoline.set_mutant_under_test(name)
    return not all(map(passes, items))
