"""Vacuity: a claim whose hypotheses cannot hold together says nothing."""

from collections.abc import Iterable

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.enclosure import Comparison, compare, shown


def check_vacuous(
    claim: Claim,
    instances: Iterable[Instance],
    *,
    needs: str,
    allows: str,
    method: Method,
    covers: str,
) -> Evidence:
    """VACUOUS if in every instance a hypothesis needs more of a quantity than the claim allows.

    `needs` names the least value that a hypothesis requires; `allows` is "right" for the claim's
    own bound on the same quantity, or the name of another value.
    """
    count, closest = 0, None
    for instance in instances:
        count += 1
        need = instance.values[needs]
        allowed = (
            evaluate(claim.statement.right, instance.values)
            if allows == "right"
            else instance.values[allows]
        )
        if compare(need, allowed) is not Comparison.ABOVE:
            return Evidence(
                claim.id,
                method,
                Verdict.UNDECIDED,
                covers,
                shown(need),
                shown(allowed),
                note=f"the hypotheses are compatible in instance {count}: {instance.says}",
            )
        closest = (need, allowed)
    if closest is None:
        return Evidence(
            claim.id, method, Verdict.UNDECIDED, covers, note="no instance was produced"
        )
    return Evidence(
        claim.id,
        method,
        Verdict.VACUOUS,
        covers,
        shown(closest[0]),
        shown(closest[1]),
        note=f"in all {count} instances a hypothesis needs more than the claim allows",
    )
