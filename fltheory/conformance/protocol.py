"""What an implementation is given, and what it gives back.

An implementation is a function (or a class) of the first model and a `MethodSetup`. It returns a
function of one `ServerRound`, which returns the next model:

    class MyFedAvg:
        def __init__(self, model, setup):
            self.model = model

        def __call__(self, round):
            if round.arrivals:
                self.model = sum(a.trained() for a in round.arrivals) / len(round.arrivals)
            return self.model

Models are NumPy arrays with one number per coordinate: fractions, or floats if it asks for them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Array

Number = Fraction | float
"""A number as an implementation sees it."""


@dataclass(frozen=True)
class ClientOracle:
    """A client's loss h/2 |x - c|^2, coordinate by coordinate, known by its gradient."""

    index: int
    importance: Number
    curvature: Array
    optimum: Array

    def gradient(self, point: object) -> Array:
        """The gradient of this client's loss at a point."""
        found: Array = self.curvature * (np.asarray(point) - self.optimum)
        return found


@dataclass(frozen=True)
class Arrival:
    """Work of one client that arrives in a round: it started from `model`, the implementation's own
    model before round `started_from`, and takes `local_steps` steps of the step size that was valid
    then."""

    client: ClientOracle
    started_from: int
    model: Array
    local_steps: int
    step_size: Number

    def gradient(self, point: object) -> Array:
        """The gradient of this client's loss at a point."""
        return self.client.gradient(point)

    def delivery(self, model: object = None, step_size: Number | None = None) -> Array:
        """The sum of the gradients of local SGD, from the given model with the given step size."""
        return self._work(model, step_size)[1]

    def trained(self, model: object = None, step_size: Number | None = None) -> Array:
        """The client's model after local SGD."""
        return self._work(model, step_size)[0]

    def _work(self, model: object, step_size: Number | None) -> tuple[Array, Array]:
        local = np.array(self.model if model is None else model)
        size, delivery = self.step_size if step_size is None else step_size, 0 * local
        for _ in range(self.local_steps):
            gradient = self.gradient(local)
            local, delivery = local - size * gradient, delivery + gradient
        return local, delivery


@dataclass(frozen=True)
class ServerRound:
    """One round: the work that arrives, and the step sizes of this round."""

    index: int
    arrivals: tuple[Arrival, ...]
    local_step_size: Number
    server_step_size: Number


@dataclass(frozen=True)
class MethodSetup:
    """What a server knows before the first round. `clients` are all of them, also those that never
    deliver; `settings` are the parameters of the method (`weights`, `proximal_strength`, ...)."""

    num_clients: int
    dimension: int
    importance: tuple[Number, ...]
    settings: Mapping[str, object]
    clients: tuple[ClientOracle, ...]


Step = Callable[[ServerRound], object]
Implementation = Callable[[Array, MethodSetup], Step]


@dataclass(frozen=True)
class Played:
    """The models that an implementation returned, one before each round and one after the last;
    fewer if it raised the error told in `raised` (`declined`: NotImplementedError)."""

    models: tuple[tuple[Number, ...], ...]
    raised: str = ""
    declined: bool = False

    @property
    def exact(self) -> bool:
        """Are all numbers fractions?"""
        return all(isinstance(x, Fraction) for model in self.models for x in model)


def play(implementation: Implementation, run: Scenario, *, floats: bool = False) -> Played:
    """Run an implementation on a problem and along a trace.

    >>> from fltheory import Quadratic, Trace
    >>> def gradient_descent(model, setup):
    ...     return lambda round: setup.clients[0].optimum + 0 * model
    >>> trace = Trace.fresh([[1]])
    >>> run = Scenario("fedavg", Quadratic((1,), (2,)), trace, start=0, local_step_size="1/4")
    >>> play(gradient_descent, run).models
    ((Fraction(0, 1),), (Fraction(2, 1),))
    """

    def number(value: Fraction) -> Number:
        return float(value) if floats else value

    def array(values: tuple[Number, ...]) -> Array:
        return np.array(values, dtype=float if floats else object)

    setup = _setup(run, number, array)
    models = [tuple(map(number, run.start))]
    try:
        step = implementation(array(models[0]), setup)
        if not callable(step):
            rule = "return a function of one round, or an object that can be called"
            raise InvalidInput("implementation", rule, repr(step)[:60])
        for t in range(run.trace.num_rounds):
            arrivals = tuple(
                Arrival(
                    setup.clients[i],
                    int(run.trace.started_from[t, i]),
                    array(models[run.trace.started_from[t, i]]),
                    int(run.trace.local_steps[t, i]),
                    number(run.local_schedule(int(run.trace.started_from[t, i]))),
                )
                for i in np.flatnonzero(run.trace.delivers[t]).tolist()
            )
            sizes = number(run.local_schedule(t)), number(run.server_step_size)
            models.append(_coordinates(step(ServerRound(t, arrivals, *sizes)), setup.dimension))
    except InvalidInput:
        raise
    except Exception as problem:  # whatever somebody else's code raises is part of the answer
        told = f"{type(problem).__name__}: {problem}"[:200].rstrip(": ")
        return Played(tuple(models), told, isinstance(problem, NotImplementedError))
    return Played(tuple(models))


def _setup(
    run: Scenario, number: Callable[[Fraction], Number], array: Callable[..., Array]
) -> MethodSetup:
    def shown(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(shown, value))
        return number(value) if isinstance(value, Fraction) else value

    problem = run.problem
    importance = tuple(map(number, problem.importance))
    clients = tuple(
        ClientOracle(
            i,
            importance[i],
            array(tuple(map(number, problem.curvatures[i]))),
            array(tuple(map(number, problem.optima[i]))),
        )
        for i in range(problem.num_clients)
    )
    settings = {name: shown(value) for name, value in run.settings.items()}
    return MethodSetup(problem.num_clients, problem.dimension, importance, settings, clients)


def _coordinates(model: object, dimension: int) -> tuple[Number, ...]:
    """A returned model as numbers: fractions stay exact, everything else becomes a float."""
    flat = np.asarray(model.tolist() if hasattr(model, "tolist") else model, dtype=object).ravel()
    if len(flat) != dimension:
        rule = f"have one number for each of {dimension} coordinates"
        raise InvalidInput("model that the implementation returns", rule, repr(model)[:60])
    try:
        return tuple(
            exact(x) if isinstance(x, Fraction | int | np.integer) else float(x) for x in flat
        )
    except (TypeError, ValueError):
        rule = "hold numbers"
        raise InvalidInput(
            "model that the implementation returns", rule, repr(model)[:60]
        ) from None
