"""fltheory: state a convergence theorem of federated learning, and prove it, certify it, measure it
or break it.

Linear algebra gets one thread unless OMP_NUM_THREADS says otherwise or NumPy is there already:
matrices are small, and processes that each have several threads wait for one another. Several seeds
or claims go by several processes.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa, MifaDifference
from fltheory.algorithms.weighted import WeightedAggregation, importance_sampling
from fltheory.analysis.limits import limit_cycle
from fltheory.analysis.moments import expected_gap
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.version import __version__
from fltheory.engine.arithmetic import FLOAT, RATIONAL, named_arithmetic
from fltheory.engine.simulate import Trajectory, simulate, simulate_virtual
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Synchronous, simulate_clock
from fltheory.traces.trace import Trace

__all__ = [
    "__version__",
    "FLOAT",
    "RATIONAL",
    "AfaCrossDevice",
    "AfaCrossSilo",
    "Asynchronous",
    "Buffer",
    "Clipped",
    "CommonCurvature",
    "FedAvg",
    "FedLaAvg",
    "FixedWindow",
    "InvalidInput",
    "Mifa",
    "MifaDifference",
    "NotExact",
    "Quadratic",
    "Scenario",
    "Synchronous",
    "Trace",
    "Trajectory",
    "WeightedAggregation",
    "expected_gap",
    "importance_sampling",
    "limit_cycle",
    "named_arithmetic",
    "simulate",
    "simulate_clock",
    "simulate_virtual",
]
