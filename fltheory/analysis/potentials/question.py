"""What is asked: a method, a language, a class of functions, a step size and a target."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property

import fltheory.algorithms
from fltheory.analysis.potentials.language import Language
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.registry import Settings, find_member
from fltheory.engine.roles import Algorithm

LARGEST_LOCAL_STEPS = 20


class Target(Enum):
    """What a potential bounds."""

    DISTANCE = "distance"
    GRADIENT = "gradient"


@dataclass(frozen=True)
class AllSteps:
    """All step sizes eta L <= largest_step, constant or (with `falling`) never growing, and all mu
    with mu/L <= largest_mu."""

    largest_step: Fraction
    largest_mu: Fraction
    falling: bool = False

    def __post_init__(self) -> None:
        if self.largest_step <= 0:
            raise InvalidInput("largest step size", "be above 0", self.largest_step)
        if self.largest_step >= 2:
            raise InvalidInput(
                "largest step size of the box",
                "be below 2/L, where gradient descent itself stops to converge",
                f"{self.largest_step}/L",
            )
        if not 0 < self.largest_mu < 1:
            raise InvalidInput(
                "strong convexity", "lie between 0 and the smoothness", self.largest_mu
            )


@dataclass(frozen=True)
class ForeverQuestion:
    """A question in the user's units; `step` and `condition` are the same in units in which the
    smoothness is 1."""

    method: str
    language: Language
    functions: FunctionClass
    step_size: Fraction
    local_steps: int = 1
    target: Target = Target.DISTANCE
    settings: Mapping[str, object] = field(default_factory=dict)
    noisy: bool = False
    every_step: bool = False
    falling: bool = False

    def __post_init__(self) -> None:
        step_size = exact(self.step_size, "step size")
        if step_size <= 0:
            raise InvalidInput("step size", "be above 0", step_size)
        steps = exact(self.local_steps, "local steps")
        if steps.denominator != 1 or not 1 <= steps <= LARGEST_LOCAL_STEPS:
            raise InvalidInput(
                "local steps", f"be a whole number from 1 to {LARGEST_LOCAL_STEPS}", steps
            )
        if self.target is Target.DISTANCE and not self.functions.strong_convexity:
            raise InvalidInput("strong convexity", "be above 0 for a rate of the distance", 0)
        object.__setattr__(self, "step_size", step_size)
        object.__setattr__(self, "local_steps", int(steps))
        _ = self.all_steps  # a box checks itself

    @property
    def step(self) -> Fraction:
        """eta L."""
        return self.step_size * self.functions.smoothness

    @property
    def all_steps(self) -> AllSteps | None:
        """The box, if the step size and the strong convexity are its largest ones."""
        return AllSteps(self.step, self.lowest, self.falling) if self.every_step else None

    @property
    def lowest(self) -> Fraction:
        """The lowest curvature divided by L: mu/L, 0 or -1."""
        return self.functions.lowest_curvature / self.functions.smoothness

    @cached_property
    def algorithm(self) -> Algorithm:
        """The method itself."""
        found: Algorithm = find_member(fltheory.algorithms, self.method).build(
            Settings(self.settings)
        )
        return found
