"""A check written as the function that yields its instances."""

from collections.abc import Callable, Iterable
from functools import wraps

from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method

Decide = Callable[[Claim], Evidence]
"""What a Check decides with."""


def by_instances(
    method: Method, covers: str, *, complete: bool = False
) -> Callable[[Callable[[], Iterable[Instance]]], Decide]:
    """Turn a function that yields instances into a check of a claim at each of them.

    >>> from fltheory.papers import find_claim
    >>> @by_instances(Method.DATA, "one weight")
    ... def weights() -> list[Instance]:
    ...     return [Instance({"aggregation_weight": "1/2", "importance": "1/2"})]
    >>> weights(find_claim("fraboni.tab2.d.sync")).verdict.name
    'SUPPORTED'
    """

    def check_of(instances: Callable[[], Iterable[Instance]]) -> Decide:
        @wraps(instances)
        def decide(claim: Claim) -> Evidence:
            return check_instances(
                claim, instances(), method=method, covers=covers, complete=complete
            )

        return decide

    return check_of
