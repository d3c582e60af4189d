"""FedLaAvg: the audit's findings by number."""

from fltheory.claims.claim import Finding

FINDINGS = {
    "E1": Finding(
        (
            "fedlaavg.thm1",
            "fedlaavg.thm1.fixed",
            "fedlaavg.thm1.limit",
            "fedlaavg.thm1.slope",
            "fedlaavg.thm1.closed",
        )
    ),
    "E2": Finding(("fedlaavg.thm1.stepsize",)),
    "E3": Finding(
        (
            "fedlaavg.thm1.bias",
            "fedlaavg.thm1.bias.fixed",
        )
    ),
    "E4": Finding(("fedlaavg.thm1.recursion", "fedlaavg.thm1.recursion.corrected")),
    "E6": Finding(
        (
            "fedlaavg.thm2.eq6",
            "fedlaavg.thm2.eq11",
            "fedlaavg.thm2.step",
            "fedlaavg.thm2.explicit",
            "fedlaavg.thm2.corrected",
        )
    ),
    "E7": Finding(("fedlaavg.thm2",)),
    "E8": Finding(("fedlaavg.sec32.period", "fedlaavg.sec32.period.corrected")),
    "E9": Finding(("fedlaavg.lem1", "fedlaavg.lem1.tight")),
    "E10": Finding(
        (
            "fedlaavg.sec613.window",
            "fedlaavg.sec613.window.corrected",
            "fedlaavg.exp.mnist.staleness",
        )
    ),
    "E11": Finding(
        ("fedlaavg.eq27.cold", "fedlaavg.eq30.cold", "fedlaavg.thm3"),
        "the repaired proof is on paper; the statement is certified and tried from cold starts",
    ),
    "E12": Finding(
        ("fedlaavg.thm3.boundary", "fedlaavg.thm3.improved", "fedlaavg.thm3.improved.gap")
    ),
    "E13": Finding(("fedlaavg.lem3.adaptive", "fedlaavg.thm3.adaptive")),
    "E14": Finding(("fedlaavg.cor1.eq34", "fedlaavg.thm4.eq53")),
    "E15": Finding(("fedlaavg.cor1.staleness", "fedlaavg.cor1.half")),
    "E16": Finding(("fedlaavg.cor1.threshold", "fedlaavg.cor1.rounds")),
    "E17": Finding(("fedlaavg.alg3", "fedlaavg.alg3.corrected")),
    "E18": Finding(("fedlaavg.eq46", "fedlaavg.eq46.corrected", "fedlaavg.thm4")),
    "E19": Finding(("fedlaavg.thm4.server",)),
    "E21": Finding(("fedlaavg.sec5.latest",)),
    "E22": Finding(("fedlaavg.appA.absent", "fedlaavg.appA.indicator", "fedlaavg.appA.limit")),
    "E23": Finding(("fedlaavg.def.grad", "fedlaavg.def.grad.corrected")),
    "E24": Finding(
        (
            "fedlaavg.eq22.d",
            "fedlaavg.eq22.d.corrected",
            "fedlaavg.eq46.equality",
            "fedlaavg.eq45",
            "fedlaavg.eq45.corrected",
        )
    ),
    "E25": Finding(("fedlaavg.eq37.norm", "fedlaavg.eq37.norm.corrected")),
    "E26": Finding(("fedlaavg.asm3.noise",)),
    "E27": Finding(("fedlaavg.thm3.informative", "fedlaavg.sec62.theory")),
    "E28": Finding(("fedlaavg.ex1.stability", "fedlaavg.ex1.stability.slow")),
}
