"""Why some claims have no counterexample of at most 3 clients and 4 rounds with chosen denominators
up to 4."""

LARGER = {
    "afl.thm2": (
        "2 L eta eta_L <= 1 with eta >= 1/4 gives eta_L L <= 2, where local work on convex losses"
        " does not grow"
    ),
    "afl.thm2.adaptive": (
        "arrivals that depend on the noise add a bias of the order of eta, which shows after many"
        " rounds"
    ),
}
"""Claim -> the reason. A condition on numbers excludes anything smaller; other reasons say what
search shows, and prove nothing."""
