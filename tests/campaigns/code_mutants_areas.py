"""What `make mutants` mutates, by area, and the tests that are about each module.

The core is what every number goes through. The other areas are the code that says yes: checkers,
replays, the ledger's comparisons and what counts as evidence, in the package and standalone.
"""

from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

Tests = tuple[str, ...]


def _met_by(tests: Tests, modules: Iterable[str]) -> dict[str, Tests]:
    return dict.fromkeys(modules, tests)


def _alone(*names: str) -> list[str]:
    return [f"verification/{name}.py" for name in names]


def _package(folder: str, *names: str) -> list[str]:
    return [f"fltheory/{folder}/{name}.py" for name in names]


AREAS: dict[str, dict[str, Tests]] = {
    "core": {
        "fltheory/traces/trace.py": ("tests/traces/test_trace.py",),
        "fltheory/traces/trace_statistics.py": (
            "tests/traces/test_statistics.py",
            "tests/traces/test_repeats.py",
        ),
        "fltheory/traces/clocks.py": (
            "tests/traces/test_clocks.py",
            "tests/traces/test_update_times.py",
        ),
        "fltheory/traces/weights.py": (
            "tests/traces/test_weights.py",
            "tests/traces/test_weights_of_papers.py",
            "tests/analysis/test_core_results.py",
        ),
        "fltheory/engine/run.py": (
            "tests/engine/test_simulate.py",
            "tests/engine/test_simulate_virtual.py",
            "tests/analysis/test_boxes.py",
        ),
        "fltheory/engine/simulate.py": (
            "tests/engine/test_simulate.py",
            "tests/engine/test_simulate_virtual.py",
            "tests/analysis/test_boxes.py",
            "tests/analysis/test_core_results.py",
        ),
        "fltheory/analysis/limits.py": (
            "tests/analysis/test_limits.py",
            "tests/analysis/test_limit_orbits.py",
            "tests/analysis/test_spectral_radius.py",
            "tests/analysis/test_core_results.py",
        ),
    },
    "certificates": {
        **_met_by(
            (
                "tests/analysis/test_check_certificate.py",
                "tests/analysis/test_check_certificate_command.py",
                "tests/analysis/test_certificate_cases.py",
                "tests/analysis/test_certificate_constraints.py",
                "tests/analysis/test_certificate_reasons.py",
            ),
            _alone("check_certificate", "certificate_case", "certificate_grammar"),
        ),
        **_met_by(
            (
                "tests/analysis/test_check_inequality.py",
                "tests/analysis/test_inequality_reasons.py",
            ),
            _alone("check_inequality", "strict_json"),
        ),
        **_met_by(
            (
                "tests/analysis/test_certificate_cases.py",
                "tests/analysis/test_two_checkers.py",
                "tests/analysis/test_package_checkers.py",
            ),
            [
                *_package("analysis/worst_case", "proof", "checker"),
                *_package("analysis/inequalities", "checker"),
                *_package("analysis", "certificate_fields"),
            ],
        ),
        **_met_by(("tests/core/test_semidefinite.py",), _package("core", "semidefinite")),
    },
    "forever": {
        **_met_by(
            ("tests/analysis/potentials/test_forever_reasons.py",),
            [
                *_alone("check_forever", "forever_arrivals", "forever_box", "forever_history"),
                *_alone("forever_memory", "forever_parts", "forever_rows", "forever_weighted"),
                *_alone("exact_forms"),
            ],
        ),
        **_met_by(
            (
                "tests/analysis/potentials/test_forever_certificates.py",
                "tests/analysis/potentials/test_forever_limits.py",
            ),
            _package("analysis/potentials", "certificate"),
        ),
    },
    "arithmetic": {
        **_met_by(
            (
                "tests/claims/test_arithmetic_checks.py",
                "tests/claims/test_arithmetic_rules.py",
            ),
            [
                *_alone("check_arithmetic", "arithmetic_core", "arithmetic_forms"),
                *_alone("arithmetic_grammar", "arithmetic_ranges"),
                *_package("analysis/arithmetic", "checker"),
            ],
        ),
    },
    "ledger": {
        **_met_by(
            (
                "tests/ledger/test_ledger.py",
                "tests/ledger/test_teeth.py",
                "tests/ledger/test_ledger_words.py",
                "tests/claims/test_scope.py",
            ),
            [*_package("ledger", "lines", "integrity"), *_package("claims", "evidence", "scope")],
        ),
    },
}
"""Modules and the tests that must notice a change in them, by area."""

NOT_YET = frozenset(
    [
        *_alone("forever_history", "forever_memory", "forever_parts", "forever_rows"),
        *_alone("forever_weighted", "exact_forms"),
        *_package("analysis/potentials", "certificate"),
        *AREAS["arithmetic"],
    ]
)
"""Modules whose campaign has not ended yet: they have no record."""

LEFT_OUT = (
    "tests/analysis/test_limits.py::test_the_cycle_is_a_run_of_the_algorithm",
    "tests/analysis/test_spectral_radius.py::"
    "test_schur_test_agrees_with_the_roots_away_from_the_circle",
    "tests/traces/test_update_times.py::"
    "test_exponential_asynchronous_gives_each_round_its_importance_but_no_bound_on_delays",
    "tests/analysis/test_check_inequality.py::test_the_checker_needs_the_standard_library_only",
    "tests/analysis/test_two_checkers.py::test_the_standalone_checker_of_inequalities_runs_alone",
    "tests/claims/test_scope.py::test_a_proof_on_paper_that_a_claim_names_is_in_the_repository",
    "tests/claims/test_arithmetic_checks.py::test_both_checkers_accept_every_stored_certificate",
    "tests/claims/test_arithmetic_rules.py::test_a_sceptic_reads_at_most_80_lines_of_the_checker",
    "tests/analysis/test_check_certificate_command.py::"
    "test_a_small_file_that_takes_long_is_not_checkable",
)
"""Tests that are left out, outside the core with those marked `slow`, to save time (a score without
them can only be lower), or because mutants need more than the standard library."""


def record_of(area: str) -> Path:
    """The page that holds an area's survivors and their reasons."""
    name = "code_mutants.md" if area == "core" else f"code_mutants_{area}.md"
    return Path(__file__).with_name(name)
