"""MIFA: the audit's findings by number."""

from fltheory.claims.claim import Finding


def _finding(claims: str, *, left_out: str = "") -> Finding:
    """A finding that these claims reproduce: ids without the paper's key, separated by blanks."""
    return Finding(tuple(f"mifa.{claim}" for claim in claims.split()), left_out)


FINDINGS = {
    "E2": _finding("thm5.1.adaptive thm6.1.adaptive adaptive.mean"),
    "E3": _finding(
        "prop5.1.every prop5.1.matching prop5.1.corrected prop5.1.general prop5.1.optimality"
        " prop6.1.every"
    ),
    "E4": _finding("exp.probabilities exp.probabilities.corrected"),
    "E5": _finding(
        "exp.network exp.rate exp.seeds",
        left_out=(
            "that the released code loses one more round and that its plotting script cannot run"
            " needs that code, which is not here"
        ),
    ),
    "E6": _finding("eq3.updates eq3.updates.corrected"),
    "E7": _finding("eq3.necessary eq3.comparison eq3.comparison.corrected TS TS.average exp.1"),
    "E8": _finding("eq3.average eq3.average.corrected thm5.1.dominance.corrected thm5.2.1"),
    "E9": _finding("prop6.1.middle"),
    "E10": _finding(
        "prop6.1 prop6.1.matching prop6.1.hessian",
        left_out=(
            "that methods with a fixed rho reach a stationary point faster is a result of other"
            " papers and is not machine-checked"
        ),
    ),
    "E11": _finding("related.rate intro.nonconvex"),
    "E12": _finding("ass4 ass4.growth ass4.growth.corrected ass4.longrun"),
    "E13": _finding("thm5.1.slope thm5.1.det exp.schedule"),
    "E14": _finding(
        "alg.sampling alg.sampling.corrected thm5.1.dominance rem5.2",
        left_out=(
            "conventions that the text leaves open (staleness before the first activation, an"
            " empty round, delta above 1) are fixed where a claim needs them"
        ),
    ),
}
