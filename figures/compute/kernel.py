"""Constants of printed bounds beside those of the corrections that Coq has checked, term by term at
one setting."""

from fractions import Fraction
from typing import Any

from fltheory.claims.claim import Claim, UpperBound, evaluate
from fltheory.ledger import runner
from fltheory.ledger.ranks import rank
from fltheory.papers import all_claims

SETTING = {
    "smoothness": 1,
    "num_rounds": 1000,
    "local_steps": 4,
    "least_local_steps": 4,
    "num_clients": 10,
    "clients_per_round": 3,
    "fresh_entries": 5,
    "max_delay": 5,
    "max_staleness": 5,
    "server_step_size": 1,
    "local_step_size": Fraction(1, 100),
}
"""The values at which the terms are compared."""

TERMS = {
    "initial_loss_gap": "initial gap",
    "gradient_noise": "noise",
    "dissimilarity": "dissimilarity",
}


def checked_by_coq() -> set[str]:
    """The claims with a recorded proof of the kernel."""
    return {
        line.evidence.claim for line in runner.recorded() if line.evidence.method.name == "KERNEL"
    }


def term(claim: Claim, name: str) -> float:
    """The right side with one of the amounts 1 and the others 0."""
    amounts = dict.fromkeys(TERMS, 0) | {name: 1}
    return float(evaluate(claim.statement.right, SETTING | amounts))


def pairs() -> list[tuple[Claim, Claim]]:
    """Printed numbered bounds and their corrections that Coq has checked, where the setting gives
    all symbols a value and the formulas differ."""
    known, proved = set(SETTING) | set(TERMS), checked_by_coq()
    claims = all_claims()
    found = []
    for claim in claims.values():
        printed = claims.get(claim.corrects or "")
        if printed is None or claim.id not in proved or not rank(printed):
            continue
        both = (printed.statement, claim.statement)
        if not all(isinstance(one, UpperBound) for one in both) or both[0].left != both[1].left:
            continue
        names = {symbol.name for one in both for symbol in one.right.free_symbols}
        if names <= known and both[0].right != both[1].right:
            found.append((printed, claim))
    return found


def numbers() -> dict[str, Any]:
    """Both sizes of every term of every pair."""
    return {
        "title": "Constants that Coq has checked, beside the printed ones",
        "caption": (
            "Each term of a printed bound on the mean squared gradient and of its correction that"
            " Coq has checked, with the amount in its name (initial loss gap, noise,"
            " dissimilarity) 1 and the others 0, at L = 1, T = 1000, K = 4, N = 10, m = 3,"
            " staleness 5 (5 fresh entries), server step 1 and local step 1/100. Other settings"
            " give other ratios; the corrections also have other conditions on the step sizes."
        ),
        "theorems": {
            f"{printed.source.paper.name}, {rank(printed)}": {
                "printed": printed.id,
                "proved": proved.id,
                "terms": {
                    said: [term(printed, name), term(proved, name)] for name, said in TERMS.items()
                },
            }
            for printed, proved in pairs()
        },
    }
