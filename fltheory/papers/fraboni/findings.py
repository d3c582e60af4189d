"""Fraboni et al.: the audit's findings by number."""

from fltheory.claims.claim import Finding


def _finding(claims: str, *, left_out: str = "") -> Finding:
    """A finding that these claims reproduce: ids without the paper's key, separated by blanks."""
    return Finding(tuple(f"fraboni.{claim}" for claim in claims.split()), left_out)


FINDINGS = {
    "E02": _finding("thm1 eq22 thm1.corrected"),
    "E06": _finding("ass5 ass5.diagonal ass5.corrected"),
    "E07": _finding("def.beta def.beta.corrected fedfix.independence"),
    "E08": _finding("lem1.remark lem1.remark.corrected lem1"),
    "E09": _finding("lem3.q lem3.corrected"),
    "E10": _finding("lem3.virtual lem3.corrected"),
    "E11": _finding(
        "thm1.constants lem4.corrected lem5.corrected eq28.corrected lem6.corrected",
        left_out=(
            "a constant that the printed proof does not give; no run that breaks the printed one"
            " at one local step is known"
        ),
    ),
    "E12": _finding("eq23 eq23.corrected eq23.sharp"),
    "E13": _finding("eq32 eq32.optimum eq32.corrected eq32.optimum.corrected"),
    "E14": _finding("lr lr.beta lr.corrected"),
    "E15": _finding("thm1.hidden_rho eq31 eq13.heterogeneity"),
    "E16": _finding("thm2 thm2.display thm2.display.corrected thm2.corrected thm2.remark lem7"),
    "E17": _finding("ex1 ex1.corrected ex1.weights ex1.weights.corrected ex1.radius"),
    "E18": _finding("ex2 ex2.iff ex2.even ex2.odd ex2.gap ex2.iff.corrected"),
    "E19": _finding("eq10 eq10.corrected eq9 ass7 ass7.corrected"),
    "E20": _finding("W.tau W.tau.corrected"),
    "E21": _finding("thm3.gradient thm3.gradient.corrected thm3.corrected"),
    "E22": _finding("cor2 cor2.window"),
    "E23": _finding("eq13 eq15 eq13.corrected eq15.corrected"),
    "E24": _finding("lit lit.stich lit.zinkevich lit.corrected"),
    "E25": _finding("async.ties async.ties.weights"),
    "E26": _finding("fedfix.tau fedfix.tau.bound fedfix.tau.corrected app.centralized"),
    "E27": _finding("W.finite tab2.W.fedfix.table tab2.W.async tab2.W.async.table"),
    "E28": _finding(
        "exponential.async exponential.delay exponential.fedfix exponential.fedfix.corrected"
    ),
    "E29": _finding("tab2.beta.bound tab2.beta.bound.corrected"),
    "E30": _finding(
        "fedfix.async fedfix.rate exp.fig3.rate exp.sec523 exp.sec523.corrected exp.f80"
    ),
    "E31": _finding("fedfix.empty"),
    "E32": _finding("def.Sigma def.Sigma.corrected"),
    "E33": _finding(
        "def.types.normalised",
        left_out=(
            "the other slips of index, letter and title are spelling: what is meant is not in doubt"
        ),
    ),
    "E34": _finding("exp.fig3 exp.fig3.step exp.rate"),
    "E35": _finding("app.biased eq34"),
}
