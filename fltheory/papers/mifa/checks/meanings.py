"""What counterexamples to MIFA's claims are made of: runs of MIFA, and comparisons of bounds."""

from fltheory.claims.meaning import ALL, Meaning

METHODS = ("mifa", "mifa-difference")

COUNTEREXAMPLES = (
    Meaning(
        ("mifa.thm5.1.constant",), methods=METHODS, free=("constant", "initial_gap", "step_offset")
    ),
    Meaning(("mifa.related.rate",), methods=METHODS, free=("constant",)),
    Meaning(("mifa.prop5.1.matching", "mifa.rem5.1.match"), free=ALL),
)
