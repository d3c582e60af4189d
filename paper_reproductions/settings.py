"""Everything that one run of an experiment depends on, besides its seed: one flat record, checked
when it is made."""

from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact

CHOICES = {
    "partition": ("iid", "classes", "one-class", "dirichlet", "owner"),
    "availability": (
        "always",
        "label-correlated",
        "label-correlated-as-printed",
        "diurnal",
        "quiet-hours",
    ),
    "selection": (
        "everyone",
        "uniform",
        "longest-absent",
        "wait-for-sample",
        "wait-then-everyone",
        "successive",
    ),
    "policy": ("", "sync", "async", "window"),
    "aggregation_weights": ("time-based", "identical"),
    "step_schedule": ("constant", "inverse"),
}
MEASURES = ("train_loss", "test_accuracy", "client_spread", "surrogate_loss", "surrogate_spread")
"""Mean loss over the training samples (no penalty), share of right answers on the test samples,
standard deviation of the clients' losses; the loss weighted by 1/update time (Fraboni et al., eq.
6) and the standard deviation with these weights."""


@dataclass(frozen=True)
class Settings:
    """Names as in the vocabulary; numbers that must be exact are text.

    >>> told = {"algorithm": "fedavg", "batch_size": 10, "local_steps": 1, "num_rounds": 5}
    >>> Settings.read(told).num_clients
    10
    """

    data: str = "digits"
    train_samples: int = 0
    test_samples: int = 0
    image_size: int = 0
    day_balance: str = ""
    num_clients: int = 10
    partition: str = "iid"
    partition_seed: int = -1
    classes_per_client: int = 0
    concentration: str = "1/10"
    model: str = "logistic"
    weight_decay: str = "0"
    batch_size: int = 1
    availability: str = "always"
    min_probability: str = "1/10"
    half_period: int = 1
    day_groups: int = 1
    selection: str = "everyone"
    clients_per_round: int = 0
    arrival_probabilities: tuple[str, ...] = ()
    max_delay: int = 0
    local_steps: int = 0
    epochs: int = 0
    dynamic_steps: bool = False
    policy: str = ""
    spread_percent: int = 0
    window: str = "1/2"
    aggregation_weights: str = "time-based"
    algorithm: str = ""
    proximal_strength: str = "0"
    local_step_size: str = "1/10"
    step_schedule: str = "constant"
    server_step_size: str = "1"
    num_rounds: int = 0
    duration: str = "0"
    evaluations: int = 50
    measures: tuple[str, ...] = ("train_loss", "test_accuracy")

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            wanted = type(field.default)
            if type(value) is not wanted:
                raise InvalidInput(
                    f"setting {field.name}", f"be written as {wanted.__name__}", repr(value)
                )
            if field.name in CHOICES and value not in CHOICES[field.name]:
                raise InvalidInput(
                    f"setting {field.name}",
                    f"be one of {', '.join(filter(None, CHOICES[field.name]))}",
                    repr(value),
                )
            if isinstance(value, int) and field.name != "partition_seed" and value < 0:
                raise InvalidInput(f"setting {field.name}", "be at least 0", value)
        for name in (
            "concentration",
            "weight_decay",
            "min_probability",
            "window",
            "proximal_strength",
            "local_step_size",
            "server_step_size",
            "duration",
        ):
            exact(getattr(self, name), f"setting {name}")
        if unknown := set(self.measures) - set(MEASURES):
            raise InvalidInput(
                "setting measures", f"be among {', '.join(MEASURES)}", ", ".join(sorted(unknown))
            )
        for name, rule in (
            ("algorithm", self.algorithm),
            ("batch_size", self.batch_size),
            ("num_clients", self.num_clients),
            ("local_steps or epochs", self.local_steps or self.epochs),
            (
                "num_rounds, or duration with a policy",
                exact(self.duration) if self.policy else self.num_rounds,
            ),
        ):
            if not rule:
                raise InvalidInput(f"setting {name}", "be given", "nothing")

    @classmethod
    def read(cls, given: dict[str, Any]) -> "Settings":
        """From the tables of an experiment file; a name that does not exist is refused with its
        neighbours."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                near = ", ".join(get_close_matches(name, known)) or "see Settings"
                raise InvalidInput("setting", f"have a name that exists (near: {near})", repr(name))
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
        }
        return cls(**plain)
