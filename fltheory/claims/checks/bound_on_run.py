"""Bounds against exact trajectories: measure every symbol of a claim on a scenario, then compare
both sides."""

from collections.abc import Iterable, Iterator

from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.forever import about_limits
from fltheory.claims.measures import Measurements
from fltheory.claims.scenario import Scenario
from fltheory.claims.scope import Coverage


def unmet(
    claim: Claim,
    scenario: Scenario,
    *,
    stated_only: bool = False,
    known: Measurements | None = None,
) -> list[str]:
    """Ids of the claim's assumptions that fail, or are unknown, on a scenario.

    With `stated_only`, assumptions that the paper does not state are left out. `known` are
    measurements of the scenario.
    """
    considered = [a for a in claim.assumes if a.stated or not stated_only]
    shared = measurements(claim, scenario) if known is None else known
    return [
        a.id
        for a in considered
        if a.holds(shared if isinstance(a.holds, Condition) else scenario) is not True  # type: ignore[arg-type]
    ]


def measurements(claim: Claim, scenario: Scenario) -> Measurements:
    """The quantities of a scenario as the claim means them: of the run without end, if the claim
    speaks of a limit."""
    names = {s.name for s in claim.symbols}
    for assumption in claim.assumes:
        if isinstance(assumption.holds, Condition):
            names |= {s.name for s in assumption.holds.symbols}
    return Measurements(scenario, forever=about_limits(names))


def on_scenario(
    claim: Claim, scenario: Scenario, *, says: str = "", known: Measurements | None = None
) -> Instance:
    """The claim's symbols measured on one scenario."""
    names = [symbol.name for symbol in claim.symbols]
    measured = {name: name for name in sorted(names) if name not in scenario.parameters}
    known = measurements(claim, scenario) if known is None else known
    return Instance(
        {name: known[name] for name in sorted(names)},
        says or scenario.says,
        {"run": scenario.to_json(), "measures": measured},
    )


def check_on_runs(
    claim: Claim,
    scenarios: Iterable[Scenario],
    *,
    covers: str,
    method: Method = Method.BOUND_ON_RUN,
) -> Evidence:
    """Compare both sides on every scenario that meets the claim's printed assumptions; the others
    are not used."""
    skipped: list[str] = []
    coverage = Coverage()

    def admissible() -> Iterator[Instance]:
        for scenario in scenarios:
            failing = unmet(claim, scenario, stated_only=True)
            if failing:
                skipped.extend(failing)
            else:
                coverage.add_run(scenario)
                yield on_scenario(claim, scenario)

    evidence = check_instances(claim, admissible(), method=method, covers=covers, coverage=coverage)
    if evidence.verdict is Verdict.UNDECIDED and skipped:
        return Evidence(
            claim.id,
            method,
            Verdict.UNDECIDED,
            covers,
            note=f"assumptions not met: {', '.join(sorted(set(skipped)))}",
        )
    return evidence
