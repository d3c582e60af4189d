"""fltheory: state a convergence theorem of federated learning, and prove it, certify it, measure it
or break it.

Names are imported on first use, so that `import fltheory` is fast. Linear algebra gets one thread
unless OMP_NUM_THREADS says otherwise or NumPy is imported already: matrices are small, and several
processes with several threads each slow one another down. Seeds and claims use processes.
"""

import os
from functools import cache
from importlib import import_module
from inspect import isfunction
from pkgutil import iter_modules
from typing import TYPE_CHECKING

os.environ.setdefault("OMP_NUM_THREADS", "1")

from fltheory.core.version import __version__ as __version__

if TYPE_CHECKING:
    from fltheory.algorithms.anarchic import AfaCrossDevice as AfaCrossDevice
    from fltheory.algorithms.anarchic import AfaCrossSilo as AfaCrossSilo
    from fltheory.algorithms.fedavg import FedAvg as FedAvg
    from fltheory.algorithms.fedlaavg import FedLaAvg as FedLaAvg
    from fltheory.algorithms.mifa import Mifa as Mifa
    from fltheory.algorithms.mifa import MifaDifference as MifaDifference
    from fltheory.algorithms.weighted import WeightedAggregation as WeightedAggregation
    from fltheory.algorithms.weighted import importance_sampling as importance_sampling
    from fltheory.analysis.limits import LimitCycle as LimitCycle
    from fltheory.analysis.limits import limit_cycle as limit_cycle
    from fltheory.analysis.moments import Gap as Gap
    from fltheory.analysis.moments import expected_gap as expected_gap
    from fltheory.analysis.potentials.public import Forever as Forever
    from fltheory.analysis.potentials.public import forever as forever
    from fltheory.analysis.training import TrainingRun as TrainingRun
    from fltheory.analysis.training import train as train
    from fltheory.analysis.worst_case.checking import CertificateChecked as CertificateChecked
    from fltheory.analysis.worst_case.checking import check_certificate as check_certificate
    from fltheory.analysis.worst_case.public import WorstCaseFound as WorstCaseFound
    from fltheory.analysis.worst_case.public import worst_case as worst_case
    from fltheory.analysis.worst_case.question import Metric as Metric
    from fltheory.attacks.public import Attacks as Attacks
    from fltheory.attacks.public import attack as attack
    from fltheory.claims.scenario import Scenario as Scenario
    from fltheory.cli.sweep import sweep as sweep
    from fltheory.conformance.public import Conformance as Conformance
    from fltheory.conformance.public import conform as conform
    from fltheory.core.errors import Diverged as Diverged
    from fltheory.core.errors import InvalidInput as InvalidInput
    from fltheory.core.errors import NotExact as NotExact
    from fltheory.core.extras import MissingExtra as MissingExtra
    from fltheory.engine.arithmetic import FLOAT as FLOAT
    from fltheory.engine.arithmetic import RATIONAL as RATIONAL
    from fltheory.engine.arithmetic import named_arithmetic as named_arithmetic
    from fltheory.engine.simulate import Trajectory as Trajectory
    from fltheory.engine.simulate import simulate as simulate
    from fltheory.engine.simulate import simulate_virtual as simulate_virtual
    from fltheory.fleet.advice import Advice as Advice
    from fltheory.fleet.public import advise as advise
    from fltheory.ledger.claim_list import list_claims as list_claims
    from fltheory.ledger.explain import Explanation as Explanation
    from fltheory.ledger.prove import KernelAnswer as KernelAnswer
    from fltheory.ledger.prove import prove as prove
    from fltheory.ledger.public import Citation as Citation
    from fltheory.ledger.public import Looseness as Looseness
    from fltheory.ledger.public import WrittenReport as WrittenReport
    from fltheory.ledger.public import cite as cite
    from fltheory.ledger.public import explain as explain
    from fltheory.ledger.public import looseness as looseness
    from fltheory.ledger.public import replay as replay
    from fltheory.ledger.public import report as report
    from fltheory.ledger.replays import Replay as Replay
    from fltheory.ledger.step_sizes import StepLimits as StepLimits
    from fltheory.ledger.step_sizes import step_sizes as step_sizes
    from fltheory.ledger.verify import Verification as Verification
    from fltheory.ledger.verify import verify as verify
    from fltheory.papers.folders import add_papers as add_papers
    from fltheory.papers.listing import Listing as Listing
    from fltheory.papers.listing import list_members as list_members
    from fltheory.papers.listing import list_papers as list_papers
    from fltheory.papers.listing import list_quantities as list_quantities
    from fltheory.papers.measured_rates import MeasuredRates as MeasuredRates
    from fltheory.papers.measured_rates import rates as rates
    from fltheory.papers.self_test import SelfTest as SelfTest
    from fltheory.papers.self_test import self_test as self_test
    from fltheory.problems.clipped import Clipped as Clipped
    from fltheory.problems.common_curvature import CommonCurvature as CommonCurvature
    from fltheory.problems.quadratic import Quadratic as Quadratic
    from fltheory.problems.samples import Samples as Samples
    from fltheory.problems.samples import network_problem as network_problem
    from fltheory.problems.samples import read_samples as read_samples
    from fltheory.problems.samples import softmax_problem as softmax_problem
    from fltheory.problems.samples import synthetic_samples as synthetic_samples
    from fltheory.sweeps.run import SweepResults as SweepResults
    from fltheory.sweeps.run import SweepRun as SweepRun
    from fltheory.sweeps.run import results as results
    from fltheory.teaching.public import Demo as Demo
    from fltheory.teaching.public import demo as demo
    from fltheory.teaching.public import write_page as write_page
    from fltheory.traces.availability.alternating import Alternating as Alternating
    from fltheory.traces.availability.bernoulli import Bernoulli as Bernoulli
    from fltheory.traces.build import build_trace as build_trace
    from fltheory.traces.build import clock_trace as clock_trace
    from fltheory.traces.clocks import Asynchronous as Asynchronous
    from fltheory.traces.clocks import Buffer as Buffer
    from fltheory.traces.clocks import FixedWindow as FixedWindow
    from fltheory.traces.clocks import Synchronous as Synchronous
    from fltheory.traces.clocks import simulate_clock as simulate_clock
    from fltheory.traces.trace import Trace as Trace
    from fltheory.traces.trace_summary import TraceSummary as TraceSummary
    from fltheory.traces.trace_summary import read_trace as read_trace
    from fltheory.traces.trace_summary import summarize_trace as summarize_trace
    from fltheory.traces.update_times import ExponentialTimes as ExponentialTimes
    from fltheory.traces.update_times import FixedTimes as FixedTimes
    from fltheory.traces.weights import WeightReport as WeightReport
    from fltheory.traces.weights import fair_weights as fair_weights
    from fltheory.traces.weights import weight_report as weight_report

_HOMES = {
    "algorithms.anarchic": "AfaCrossDevice AfaCrossSilo",
    "algorithms.fedavg": "FedAvg",
    "algorithms.fedlaavg": "FedLaAvg",
    "algorithms.mifa": "Mifa MifaDifference",
    "algorithms.weighted": "WeightedAggregation importance_sampling",
    "analysis.limits": "LimitCycle limit_cycle",
    "analysis.moments": "Gap expected_gap",
    "analysis.training": "TrainingRun train",
    "analysis.potentials.public": "Forever forever",
    "analysis.worst_case.checking": "CertificateChecked check_certificate",
    "analysis.worst_case.public": "WorstCaseFound worst_case",
    "analysis.worst_case.question": "Metric",
    "attacks.public": "Attacks attack",
    "claims.scenario": "Scenario",
    "cli.sweep": "sweep",
    "conformance.public": "Conformance conform",
    "core.errors": "Diverged InvalidInput NotExact",
    "core.extras": "MissingExtra",
    "engine.arithmetic": "FLOAT RATIONAL named_arithmetic",
    "engine.simulate": "Trajectory simulate simulate_virtual",
    "fleet.advice": "Advice",
    "fleet.public": "advise",
    "ledger.claim_list": "list_claims",
    "ledger.replays": "Replay",
    "ledger.explain": "Explanation",
    "ledger.step_sizes": "StepLimits step_sizes",
    "ledger.public": "Citation Looseness WrittenReport cite explain looseness replay report",
    "ledger.prove": "KernelAnswer prove",
    "ledger.verify": "Verification verify",
    "papers.folders": "add_papers",
    "papers.listing": "Listing list_members list_papers list_quantities",
    "papers.measured_rates": "MeasuredRates rates",
    "papers.self_test": "SelfTest self_test",
    "problems.clipped": "Clipped",
    "problems.common_curvature": "CommonCurvature",
    "problems.quadratic": "Quadratic",
    "problems.samples": "Samples network_problem read_samples softmax_problem synthetic_samples",
    "sweeps.run": "SweepResults SweepRun results",
    "teaching.public": "Demo demo write_page",
    "traces.availability.alternating": "Alternating",
    "traces.availability.bernoulli": "Bernoulli",
    "traces.build": "build_trace clock_trace",
    "traces.clocks": "Asynchronous Buffer FixedWindow Synchronous simulate_clock",
    "traces.trace": "Trace",
    "traces.trace_summary": "TraceSummary read_trace summarize_trace",
    "traces.update_times": "ExponentialTimes FixedTimes",
    "traces.weights": "WeightReport fair_weights weight_report",
}
"""The public names of each module, as imported above; tests/house/test_import.py compares them."""

_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(["__version__", *_MODULE_OF])


@cache
def _public(name: str) -> object:
    """A public name; a function refuses arguments of a wrong type before it starts."""
    found: object = getattr(import_module(f"fltheory.{_MODULE_OF[name]}"), name)
    if not isfunction(found):
        return found
    from fltheory.core.signatures import refusing_wrong_types

    return refusing_wrong_types(found)


if not TYPE_CHECKING:  # a type checker sees the imports above

    def __getattr__(name: str) -> object:
        """Import a public name or a folder on first use (PEP 562)."""
        if name in _MODULE_OF:
            return _public(name)
        if not name.startswith("_") and name in {found.name for found in iter_modules(__path__)}:
            return import_module(f"fltheory.{name}")
        raise AttributeError(f"module 'fltheory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
