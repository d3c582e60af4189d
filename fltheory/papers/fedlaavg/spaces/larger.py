"""Why some claims have no counterexample of at most 3 clients and 4 rounds with chosen denominators
up to 4."""

_TURNS = (
    "a limit is taken over a pattern that is seen three times, and two clients in turn make a"
    " pattern of 2 rounds"
)

LARGER = {
    "fedlaavg.thm1.fixed": _TURNS,
    "fedlaavg.thm1.recursion": _TURNS,
    "fedlaavg.thm3.adaptive": (
        "arrivals that depend on the noise add a bias of the order of the step size, which shows"
        " after many rounds"
    ),
}
"""Claim -> the reason. A condition on numbers excludes anything smaller; other reasons say what
search shows, and prove nothing."""
