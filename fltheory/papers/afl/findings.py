"""Anarchic federated learning: the audit's findings by number."""

from fltheory.claims.claim import Finding

FINDINGS = {
    "E-01": Finding(("afl.alg2", "afl.alg3", "afl.alg2.proof", "afl.alg3.proof")),
    "E-02": Finding(("afl.thm1", "afl.thm1c", "afl.thm1c.identity")),
    "E-03": Finding(("afl.thm2", "afl.thm2.a12", "afl.thm2c")),
    "E-06": Finding(
        (
            "afl.lem1.adaptive",
            "afl.lem1.adaptive-mean",
            "afl.thm2.adaptive",
            "afl.arrivals.independent",
            "afl.asm4-implicit",
        )
    ),
    "E-07": Finding(
        ("afl.lem1", "afl.lem1.sharp", "afl.lem1.mean"),
        "the printed proof's missing factor 1/K is a slip in a display whose meaning is not in"
        " doubt",
    ),
    "E-08": Finding(("afl.thm4.four", "afl.thm4.four.corrected")),
    "E-09": Finding(("afl.thm4.noisy", "afl.thm4.forces", "afl.rem5", "afl.thm4c")),
    "E-11": Finding(
        ("afl.thm4.increment", "afl.thm4.increment.corrected", "afl.thm4c"),
        "how V(x*) and m' must be read are conventions, which afl.thm4 states in its note",
    ),
    "E-12": Finding(
        ("afl.a6", "afl.a6.room", "afl.a6.growth", "afl.a6.mean-growth"),
        "that a line lost eta_L^2 cannot be told from a reading error of the machine-read text",
    ),
    "E-13": Finding(("afl.thm2.half", "afl.thm2.assembly")),
    "E-14": Finding(("afl.cor1", "afl.cor1.any-horizon", "afl.cor1.horizon", "afl.cor2")),
    "E-15": Finding(("afl.rem3", "afl.cor1.horizon")),
    "E-16": Finding(("afl.rem7.lag",), "that LSAG should read LASG is spelling"),
    "E-17": Finding(
        ("afl.asm2", "afl.a5.equality", "afl.thm4.eq12", "afl.discussion.a3"),
        "wrong citations (LEAF, AsySG-con) can only be decided by reading the cited works, which"
        " are not here; names, stray quantifiers and the numbering of rounds are spelling",
    ),
    "E-18": Finding(("afl.exp.table1", "afl.exp.table1.corrected")),
    "E-19": Finding(
        (
            "afl.exp.table2.noniid",
            "afl.exp.table2.series",
            "afl.exp.table3.fedprox",
            "afl.exp.table3.scaffold",
            "afl.exp.dynamic",
            "afl.exp.range",
        )
    ),
    "E-20": Finding(("afl.rem4.fedavg",)),
}
