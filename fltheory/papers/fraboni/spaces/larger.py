"""Why some claims have no counterexample of at most 3 clients and 4 rounds with chosen denominators
up to 4."""

_STEP = (
    "the printed condition eta_l <= 1/(48 K L), a third of it for rho >= 1, needs eta_l L <= 1/144,"
    " below 1/4 * 1/4"
)
_CONTRACTS = (
    "and a run that contracts so slowly needs many rounds before a mean over them stands above the"
    " bound"
)

LARGER = {
    "fraboni.cor1": f"{_STEP}, {_CONTRACTS}",
    "fraboni.lem3": (
        "eta_g above 1 is needed, and a step size that keeps the gap's term small beside the drift"
    ),
    "fraboni.lem3.q": (
        "the bound 4 q tau times the recent moves fails for total weights q < 1/4 alone"
    ),
    "fraboni.lem3.virtual": (
        "eta_g above 1 is needed, and a step size that keeps the gap's term small beside the drift"
    ),
    "fraboni.lem4": (
        "it fails through Lemma 3: eta_g above 1 and a step size that keeps the gap's term small"
        " beside the drift"
    ),
    "fraboni.thm1": f"{_STEP}, {_CONTRACTS}",
    "fraboni.thm1.sampling": f"{_STEP}, {_CONTRACTS}",
    "fraboni.thm3": f"{_STEP}, {_CONTRACTS}",
    "fraboni.thm3.gradient": f"{_STEP}, {_CONTRACTS}",
}
"""Claim -> the reason. A condition on numbers excludes anything smaller; other reasons say what
search shows, and prove nothing."""
