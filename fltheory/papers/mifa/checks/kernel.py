"""Claims that a proof assistant has checked, and the conditions of their theorems."""

from fltheory.claims.checks.kernel import FormalTheorem
from fltheory.papers.mifa.statements.bernoulli import (
    AVERAGE_FAILS,
    HORIZON_FAILS,
    SIMULTANEOUS_FAILS,
)
from fltheory.papers.mifa.statements.best import (
    CONDITION_OFFSET,
    CONDITION_PRINTED_OFFSET,
    CONDITION_STALE_STEP,
    CONDITION_STEP,
)
from fltheory.papers.mifa.statements.best_nonconvex import (
    CONDITION_I,
    CONDITION_II,
    CONDITION_III,
    CONDITION_ONE_STEP,
)
from fltheory.papers.mifa.statements.nonconvex import (
    CONDITION_HORIZON,
    CONDITION_PRINTED_HORIZON,
    CONDITION_PRINTED_STEP,
)
from fltheory.papers.mifa.statements.potentials import CONDITION_REACH
from fltheory.papers.mifa.statements.strongly_convex import CONDITION_GAP

FORMAL = (
    FormalTheorem("mifa.def5.2", hypotheses="e3b0c44298fc"),
    FormalTheorem("mifa.def5.2.mean", hypotheses="e3b0c44298fc"),
    FormalTheorem("mifa.def5.2.average", hypotheses="e3b0c44298fc"),
    FormalTheorem("mifa.prop5.1", hypotheses="e3b0c44298fc"),
    FormalTheorem("mifa.thm5.2", "73079dacd591", {"fails": SIMULTANEOUS_FAILS}),
    FormalTheorem("mifa.thm5.2.explicit", "73079dacd591", {"fails": SIMULTANEOUS_FAILS}),
    FormalTheorem("mifa.thm5.2.2", hypotheses="73079dacd591", conditions={"fails": HORIZON_FAILS}),
    FormalTheorem("mifa.thm5.3", hypotheses="73079dacd591", conditions={"fails": AVERAGE_FAILS}),
    FormalTheorem("mifa.thm5.3.explicit", hypotheses="73079dacd591"),
    FormalTheorem(
        "mifa.potential.rate", hypotheses="3725fb45200c", conditions={"reach": CONDITION_REACH}
    ),
    FormalTheorem(
        "mifa.thm5.1.best", hypotheses="1c1b234fc500", conditions={"offset": CONDITION_OFFSET}
    ),
    FormalTheorem(
        "mifa.thm6.1.best",
        hypotheses="d805bb2140f1",
        conditions={"i": CONDITION_I, "ii": CONDITION_II, "iii": CONDITION_III},
    ),
    FormalTheorem(
        "mifa.thm6.1.best.one_step",
        hypotheses="8f6d0101c44c",
        conditions={"i": CONDITION_I, "ii": CONDITION_II, "one_step": CONDITION_ONE_STEP},
    ),
    FormalTheorem(
        "mifa.thm6.1.corrected",
        hypotheses="0698218bf759",
        conditions={"step": CONDITION_PRINTED_STEP, "long": CONDITION_HORIZON},
    ),
    FormalTheorem(
        "mifa.thm6.1",
        hypotheses="8d5b314ab33e",
        conditions={"step": CONDITION_PRINTED_STEP, "long": CONDITION_PRINTED_HORIZON},
    ),
    FormalTheorem(
        "mifa.thm5.1.terms",
        hypotheses="60ee712a03cf",
        conditions={"late": CONDITION_GAP, "offset": CONDITION_PRINTED_OFFSET},
    ),
    FormalTheorem(
        "mifa.thm5.1.constant_step",
        hypotheses="4f4d8ceb4288",
        conditions={"step": CONDITION_STEP, "stale": CONDITION_STALE_STEP},
    ),
    FormalTheorem(
        "mifa.thm5.1.convex",
        hypotheses="07fdef3c8867",
        conditions={"step": CONDITION_STEP, "stale": CONDITION_STALE_STEP},
    ),
)
CHECKS = tuple(formal.check() for formal in FORMAL)
