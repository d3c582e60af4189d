"""Fraboni et al.: the audit's findings by number."""

from fltheory.claims.claim import Finding

FINDINGS = {
    "E02": Finding(("fraboni.thm1", "fraboni.eq22", "fraboni.thm1.corrected")),
    "E06": Finding(("fraboni.ass5", "fraboni.ass5.diagonal", "fraboni.ass5.corrected")),
    "E07": Finding(
        ("fraboni.def.beta", "fraboni.def.beta.corrected", "fraboni.fedfix.independence")
    ),
    "E08": Finding(("fraboni.lem1.remark", "fraboni.lem1.remark.corrected", "fraboni.lem1")),
    "E09": Finding(("fraboni.lem3.q", "fraboni.lem3.corrected")),
    "E10": Finding(("fraboni.lem3.virtual", "fraboni.lem3.corrected")),
    "E11": Finding(
        (
            "fraboni.thm1.constants",
            "fraboni.lem4.corrected",
            "fraboni.lem5.corrected",
            "fraboni.eq28.corrected",
            "fraboni.lem6.corrected",
        ),
        "a constant that the printed proof does not give; no run that breaks the printed one at one"
        " local step is known",
    ),
    "E12": Finding(("fraboni.eq23", "fraboni.eq23.corrected", "fraboni.eq23.sharp")),
    "E13": Finding(
        (
            "fraboni.eq32",
            "fraboni.eq32.optimum",
            "fraboni.eq32.corrected",
            "fraboni.eq32.optimum.corrected",
        )
    ),
    "E14": Finding(("fraboni.lr", "fraboni.lr.beta", "fraboni.lr.corrected")),
    "E15": Finding(("fraboni.thm1.hidden_rho", "fraboni.eq31", "fraboni.eq13.heterogeneity")),
    "E16": Finding(
        (
            "fraboni.thm2",
            "fraboni.thm2.display",
            "fraboni.thm2.display.corrected",
            "fraboni.thm2.corrected",
            "fraboni.thm2.remark",
            "fraboni.lem7",
        )
    ),
    "E17": Finding(
        (
            "fraboni.ex1",
            "fraboni.ex1.corrected",
            "fraboni.ex1.weights",
            "fraboni.ex1.weights.corrected",
            "fraboni.ex1.radius",
        )
    ),
    "E18": Finding(
        (
            "fraboni.ex2",
            "fraboni.ex2.iff",
            "fraboni.ex2.even",
            "fraboni.ex2.odd",
            "fraboni.ex2.gap",
            "fraboni.ex2.iff.corrected",
        )
    ),
    "E19": Finding(
        (
            "fraboni.eq10",
            "fraboni.eq10.corrected",
            "fraboni.eq9",
            "fraboni.ass7",
            "fraboni.ass7.corrected",
        )
    ),
    "E20": Finding(("fraboni.W.tau", "fraboni.W.tau.corrected")),
    "E21": Finding(
        ("fraboni.thm3.gradient", "fraboni.thm3.gradient.corrected", "fraboni.thm3.corrected")
    ),
    "E22": Finding(("fraboni.cor2", "fraboni.cor2.window")),
    "E23": Finding(
        ("fraboni.eq13", "fraboni.eq15", "fraboni.eq13.corrected", "fraboni.eq15.corrected")
    ),
    "E24": Finding(
        ("fraboni.lit", "fraboni.lit.stich", "fraboni.lit.zinkevich", "fraboni.lit.corrected")
    ),
    "E25": Finding(("fraboni.async.ties", "fraboni.async.ties.weights")),
    "E26": Finding(
        (
            "fraboni.fedfix.tau",
            "fraboni.fedfix.tau.bound",
            "fraboni.fedfix.tau.corrected",
            "fraboni.app.centralized",
        )
    ),
    "E27": Finding(
        (
            "fraboni.W.finite",
            "fraboni.tab2.W.fedfix.table",
            "fraboni.tab2.W.async",
            "fraboni.tab2.W.async.table",
        )
    ),
    "E28": Finding(
        (
            "fraboni.exponential.async",
            "fraboni.exponential.delay",
            "fraboni.exponential.fedfix",
            "fraboni.exponential.fedfix.corrected",
        )
    ),
    "E29": Finding(("fraboni.tab2.beta.bound", "fraboni.tab2.beta.bound.corrected")),
    "E30": Finding(
        (
            "fraboni.fedfix.async",
            "fraboni.fedfix.rate",
            "fraboni.exp.fig3.rate",
            "fraboni.exp.sec523",
            "fraboni.exp.sec523.corrected",
            "fraboni.exp.f80",
        )
    ),
    "E31": Finding(("fraboni.fedfix.empty",)),
    "E32": Finding(("fraboni.def.Sigma", "fraboni.def.Sigma.corrected")),
    "E33": Finding(
        ("fraboni.def.types.normalised",),
        "the other slips of index, letter and title are spelling: what is meant is not in doubt",
    ),
    "E34": Finding(("fraboni.exp.fig3", "fraboni.exp.fig3.step", "fraboni.exp.rate")),
    "E35": Finding(("fraboni.app.biased", "fraboni.eq34")),
}
