"""Why some claims have no counterexample of at most 3 clients and 4 rounds with chosen denominators
up to 4."""

LARGER = {
    "mifa.exp.rate": (
        "the claim is about the released scripts: their step sizes are its only instances, and 1/20"
        " is the simplest of them"
    ),
}
"""Claim -> the reason. A condition on numbers excludes anything smaller; other reasons say what
search shows, and prove nothing."""
