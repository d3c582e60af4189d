"""The rate of the averaged squared gradient, with step sizes 1/sqrt T."""

import math
from fractions import Fraction

from fltheory.algorithms.fedavg import FedAvg
from fltheory.analysis.regimes import RateMetric, Regime, RunPlan
from fltheory.analysis.sizes import RunSize
from fltheory.claims.rates import rate_claims
from localsgd.paper import PAPER


def _plan(size: RunSize) -> RunPlan:
    return RunPlan(FedAvg(), size.tables(), 1 / math.sqrt(size.num_rounds))


REGIMES = (
    Regime(
        "localsgd.speed",
        "fedavg",
        RateMetric.MEAN_SQUARE,
        {"T": -Fraction(1, 2)},
        _plan,
        least_rounds=lambda size: 1,
    ),
)
CLAIMS = rate_claims(PAPER, REGIMES)
