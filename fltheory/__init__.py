"""fltheory: state a convergence theorem of federated learning, and prove it, certify it, measure it or break it."""

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.mifa import Mifa, MifaDifference
from fltheory.algorithms.weighted import WeightedAggregation, importance_sampling
from fltheory.arithmetic import FLOAT, RATIONAL, named_arithmetic
from fltheory.errors import InvalidInput, NotExact
from fltheory.problems.quadratic import Quadratic
from fltheory.simulate import Trajectory, simulate, simulate_virtual
from fltheory.trace import Trace

__version__ = "0.1.0"
__all__ = [
    "FLOAT", "RATIONAL", "FedAvg", "InvalidInput", "Mifa", "MifaDifference", "NotExact", "Quadratic", "Trace", "Trajectory",
    "WeightedAggregation", "importance_sampling", "named_arithmetic", "simulate", "simulate_virtual",
]
