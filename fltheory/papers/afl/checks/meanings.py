"""What counterexamples to claims about Anarchic FL are made of: runs of its methods."""

from fltheory.claims.meaning import Meaning

COUNTEREXAMPLES = (
    Meaning(("afl.thm2", "afl.cor1.any-horizon"), methods=("afa-cd",)),
    Meaning(("afl.thm3",), methods=("afa-cd",)),
)
