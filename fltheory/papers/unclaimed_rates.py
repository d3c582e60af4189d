"""How a method runs whose rate nobody claims."""

import math

from fltheory.algorithms.fedavg import FedAvg
from fltheory.analysis.regimes import RateMetric, Regime, RunPlan


def unclaimed() -> Regime:
    """The mean squared gradient with the local step size 1/(K sqrt T) and the server step size 1;
    staleness is the period of availability.

    >>> from fltheory.analysis.sizes import RunSize
    >>> unclaimed().plan(RunSize(num_rounds=100, local_steps=5)).local_step_size
    0.02
    """
    return Regime(
        "",
        "",
        RateMetric.MEAN_SQUARE,
        {},
        lambda size: RunPlan(
            FedAvg(), size.tables(), 1 / (size.local_steps * math.sqrt(size.num_rounds))
        ),
        lambda size: 2,
    )
