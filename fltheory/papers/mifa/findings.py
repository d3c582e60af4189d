"""MIFA: the audit's findings by number."""

from fltheory.claims.claim import Finding

FINDINGS = {
    "E2": Finding(("mifa.thm5.1", "mifa.thm6.1", "mifa.adaptive.mean")),
    "E3": Finding(
        (
            "mifa.prop5.1",
            "mifa.prop5.1.matching",
            "mifa.prop5.1.corrected",
            "mifa.prop5.1.general",
            "mifa.prop5.1.optimality",
            "mifa.prop6.1",
        )
    ),
    "E4": Finding(("mifa.exp.probabilities", "mifa.exp.probabilities.corrected")),
    "E5": Finding(
        ("mifa.exp.network", "mifa.exp.rate", "mifa.exp.seeds"),
        "that the released code loses one more round and that its plotting script cannot run needs"
        " that code, which is not here",
    ),
    "E6": Finding(("mifa.eq3.updates", "mifa.eq3.updates.corrected")),
    "E7": Finding(
        (
            "mifa.eq3.necessary",
            "mifa.eq3.comparison",
            "mifa.eq3.comparison.corrected",
            "mifa.TS",
            "mifa.TS.average",
            "mifa.exp.1",
        )
    ),
    "E8": Finding(
        (
            "mifa.eq3.average",
            "mifa.eq3.average.corrected",
            "mifa.thm5.1.dominance.corrected",
            "mifa.thm5.2.1",
        )
    ),
    "E9": Finding(("mifa.prop6.1.copy_a", "mifa.prop6.1.middle")),
    "E10": Finding(
        ("mifa.prop6.1", "mifa.prop6.1.matching", "mifa.prop6.1.hessian"),
        "that methods with a fixed rho reach a stationary point faster is a result of other papers"
        " and is not machine-checked",
    ),
    "E11": Finding(("mifa.related.rate", "mifa.intro.nonconvex")),
    "E12": Finding(
        ("mifa.ass4", "mifa.ass4.growth", "mifa.ass4.growth.corrected", "mifa.ass4.longrun")
    ),
    "E13": Finding(("mifa.thm5.1.slope", "mifa.thm5.1.det", "mifa.exp.schedule")),
    "E14": Finding(
        (
            "mifa.alg.sampling",
            "mifa.alg.sampling.corrected",
            "mifa.thm5.1.dominance",
            "mifa.rem5.2",
        ),
        "conventions that the text leaves open (staleness before the first activation, an empty"
        " round, delta above 1) are fixed where a claim needs them",
    ),
}
