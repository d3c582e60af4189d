"""Strategies for Flower that do what `fltheory advise` recommends (extra `flower`):

from fltheory.flower import FedAvgIS, LogsRounds, Mifa, strategy_for
"""

from typing import TYPE_CHECKING, Any

from fltheory.core.extras import require

if TYPE_CHECKING:
    from fltheory.flower.log_writer import LogsRounds as LogsRounds
    from fltheory.flower.strategies import AfaCrossSiloStrategy as AfaCrossSilo  # noqa: F401
    from fltheory.flower.strategies import AsyncStrategy as AsyncWeights  # noqa: F401
    from fltheory.flower.strategies import FedAvgISStrategy as FedAvgIS  # noqa: F401
    from fltheory.flower.strategies import FedBuffStrategy as FedBuff  # noqa: F401
    from fltheory.flower.strategies import FedLaAvgStrategy as FedLaAvg  # noqa: F401
    from fltheory.flower.strategies import MifaStrategy as Mifa  # noqa: F401
    from fltheory.flower.strategies import strategy_for as strategy_for

NAMES = {
    "AfaCrossSilo": "AfaCrossSiloStrategy",
    "AsyncWeights": "AsyncStrategy",
    "FedAvgIS": "FedAvgISStrategy",
    "FedBuff": "FedBuffStrategy",
    "FedLaAvg": "FedLaAvgStrategy",
    "LogsRounds": "LogsRounds",
    "Mifa": "MifaStrategy",
    "strategy_for": "strategy_for",
}
"""Public names, and what they are called where they are; flwr is imported with the first."""


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("flower", f"fltheory.flower.{name}")
    from fltheory.flower import log_writer, strategies

    return getattr(log_writer if name == "LogsRounds" else strategies, NAMES[name])
