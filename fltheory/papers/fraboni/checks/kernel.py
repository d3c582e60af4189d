"""Claims that a proof assistant has checked, and the conditions of their theorems."""

from fltheory.claims.checks.kernel import FormalTheorem
from fltheory.papers.fraboni.hypotheses import CONDITION_SHORT_DELAY, CONDITION_SHORT_DRIFT
from fltheory.papers.fraboni.statements.best import (
    CONDITION_C1,
    CONDITION_C1_SERVER,
    CONDITION_C2,
    CONDITION_C2_CERTAIN,
    CONDITION_C2_SERVER,
    CONDITION_C3,
    CONDITION_C3_CERTAIN,
    CONDITION_ROUND,
)
from fltheory.papers.fraboni.statements.best_windows import CONDITION_F3
from fltheory.papers.fraboni.statements.definitions import CONDITION_COUNTED
from fltheory.papers.fraboni.statements.examples import CONDITION_MOVE, CONDITION_STABLE
from fltheory.papers.fraboni.statements.table2 import (
    CONDITION_ASYNC,
    CONDITION_FEDFIX,
    CONDITION_SYNC,
)

FORMAL = (
    FormalTheorem(
        "fraboni.tab2.d.sync", hypotheses="e3b0c44298fc", conditions={"weight": CONDITION_SYNC}
    ),
    FormalTheorem("fraboni.tab2.d.async", hypotheses="e3b0c44298fc"),
    FormalTheorem(
        "fraboni.eq12", hypotheses="e3b0c44298fc", conditions={"weight": CONDITION_ASYNC}
    ),
    FormalTheorem("fraboni.tab2.d.fedfix", hypotheses="e3b0c44298fc"),
    FormalTheorem(
        "fraboni.eq14", hypotheses="e3b0c44298fc", conditions={"weight": CONDITION_FEDFIX}
    ),
    FormalTheorem(
        "fraboni.fedbuff.weights",
        hypotheses="e3b0c44298fc",
        conditions={"weight": CONDITION_COUNTED},
    ),
    FormalTheorem(
        "fraboni.thm3.windows", hypotheses="95e750bc697d", conditions={"short": CONDITION_F3}
    ),
    FormalTheorem(
        "fraboni.ex1.corrected",
        hypotheses="05a68126ebde",
        conditions={"part": CONDITION_MOVE},
    ),
    FormalTheorem(
        "fraboni.ex2.even",
        hypotheses="71f5b7d1849b",
        conditions={"product": CONDITION_STABLE[0], "sum": CONDITION_STABLE[1]},
    ),
    FormalTheorem(
        "fraboni.ex2.odd",
        hypotheses="71f5b7d1849b",
        conditions={"product": CONDITION_STABLE[0], "sum": CONDITION_STABLE[1]},
    ),
    FormalTheorem(
        "fraboni.ex2.stable",
        hypotheses="e3b0c44298fc",
        conditions={"product": CONDITION_STABLE[0], "sum": CONDITION_STABLE[1]},
    ),
    FormalTheorem(
        "fraboni.cor1.best",
        hypotheses="983c30a2c48b",
        conditions={
            "c1": CONDITION_C1,
            "c2": CONDITION_C2,
            "c3": CONDITION_C3,
            "round": CONDITION_ROUND,
        },
    ),
    FormalTheorem("fraboni.lem7", hypotheses="4ba039f214f2"),
    FormalTheorem("fraboni.thm2.display.corrected", hypotheses="842dc0b3a97a"),
    FormalTheorem(
        "fraboni.thm2.best",
        hypotheses="365019c2d8e7",
        conditions={
            "c1": CONDITION_C1,
            "c2": CONDITION_C2,
            "c3": CONDITION_C3,
            "round": CONDITION_ROUND,
        },
    ),
    FormalTheorem("fraboni.lem1", hypotheses="712df953b21e"),
    FormalTheorem("fraboni.lem2.corrected", hypotheses="3fd7977c30c5"),
    FormalTheorem(
        "fraboni.lem3.corrected",
        hypotheses="fca9e4587822",
        conditions={"drift": CONDITION_SHORT_DRIFT},
    ),
    FormalTheorem(
        "fraboni.lem3.gradients.corrected",
        hypotheses="fca9e4587822",
        conditions={"drift": CONDITION_SHORT_DRIFT},
    ),
    FormalTheorem(
        "fraboni.lem4.corrected",
        hypotheses="fca9e4587822",
        conditions={"drift": CONDITION_SHORT_DRIFT},
    ),
    FormalTheorem(
        "fraboni.lem5.corrected",
        hypotheses="fca9e4587822",
        conditions={"drift": CONDITION_SHORT_DRIFT},
    ),
    FormalTheorem(
        "fraboni.lem6.corrected",
        hypotheses="aee69b9c93f9",
        conditions={"drift": CONDITION_SHORT_DRIFT, "delay": CONDITION_SHORT_DELAY},
    ),
    FormalTheorem(
        "fraboni.thm1.best",
        hypotheses="365019c2d8e7",
        conditions={
            "c1": CONDITION_C1,
            "c2": CONDITION_C2,
            "c3": CONDITION_C3,
            "round": CONDITION_ROUND,
        },
    ),
    FormalTheorem(
        "fraboni.thm1.best.server",
        hypotheses="0f702b4345d2",
        conditions={"c1": CONDITION_C1_SERVER, "c2": CONDITION_C2_SERVER, "c3": CONDITION_C3},
    ),
    FormalTheorem(
        "fraboni.thm1.best.certain",
        hypotheses="915507b41e14",
        conditions={
            "c1": CONDITION_C1,
            "c2": CONDITION_C2_CERTAIN,
            "c3": CONDITION_C3_CERTAIN,
        },
    ),
)
CHECKS = tuple(formal.check() for formal in FORMAL)
