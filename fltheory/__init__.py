"""fltheory: state a convergence theorem of federated learning, and prove it, certify it, measure it or break it.

Linear algebra gets one thread unless OMP_NUM_THREADS says otherwise or NumPy is there already: matrices are small, and processes that each
have several threads wait for one another. Several seeds or claims go by several processes.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa, MifaDifference
from fltheory.algorithms.weighted import WeightedAggregation, importance_sampling
from fltheory.arithmetic import FLOAT, RATIONAL, named_arithmetic
from fltheory.clocks import Asynchronous, Buffer, FixedWindow, Synchronous, simulate_clock
from fltheory.errors import InvalidInput, NotExact
from fltheory.limits import limit_cycle
from fltheory.moments import expected_gap
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.scenario import Scenario
from fltheory.simulate import Trajectory, simulate, simulate_virtual
from fltheory.trace import Trace

__version__ = "0.1.0"
__all__ = [
    "FLOAT", "RATIONAL", "AfaCrossDevice", "AfaCrossSilo", "Asynchronous", "Buffer", "Clipped", "CommonCurvature", "FedAvg", "FedLaAvg",
    "FixedWindow", "InvalidInput", "Mifa", "MifaDifference", "NotExact", "Quadratic", "Scenario", "Synchronous", "Trace", "Trajectory",
    "WeightedAggregation", "expected_gap", "importance_sampling", "limit_cycle", "named_arithmetic", "simulate", "simulate_clock",
    "simulate_virtual",
]
