"""The rounds of a random run one by one: who delivers, and what a round does to every model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.claims.moments import Chain, RoundMap, State, chain_of
from fltheory.claims.participation import Outcomes
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Array
from fltheory.engine.arithmetic import Arithmetic
from fltheory.engine.simulate import simulate
from fltheory.traces.trace import Trace


@dataclass(frozen=True)
class Branch:
    """One outcome of all that is not affine: its probability, the models without noise (rounds + 1,
    coordinates) and their change per unit of each draw (draws, rounds + 1, coordinates)."""

    chance: Fraction
    models: Array
    responses: Array


@dataclass(frozen=True)
class RoundByRound:
    """The rounds of a scenario whose method has no memory, and whose losses have one curvature for
    each coordinate; `outcomes` runs a scenario of one round whose participation is known."""

    scenario: Scenario
    arithmetic: Arithmetic
    outcomes: Callable[[Scenario], Sequence[Branch]]
    known: dict[object, RoundMap] = field(default_factory=dict)
    drawn: dict[int, Outcomes] = field(default_factory=dict)

    @cached_property
    def chain(self) -> Chain:
        """The states of the participation."""
        law, clients = self.scenario.participation, self.scenario.trace.num_clients
        if law is not None:
            law.check(clients)
        return chain_of(law, clients)

    @cached_property
    def _sorts(self) -> list[object]:
        return [self.scenario.sort_of(i) for i in range(self.scenario.trace.num_clients)]

    def _sets(self, t: int, state: State) -> Outcomes:
        """Chances of the sets of clients that deliver in round t."""
        law = self.scenario.participation
        if law is None:
            here = np.flatnonzero(self.scenario.trace.delivers[t])
            return [(Fraction(1), tuple(map(int, here)))]
        if law.kind == "markov":
            return [(Fraction(1), state)]
        if (group := t % law.groups) not in self.drawn:
            self.drawn[group] = law.of_round(group, self._sorts)
        return self.drawn[group]

    def at(self, t: int, state: State) -> RoundMap:
        """The moments of round t in a state; two starts show its affine maps."""
        s, size = self.scenario, self.scenario.local_schedule(t)
        law = s.participation
        steps = s.trace.local_steps[t] if law is None else np.maximum(s.trace.local_steps[t], 1)
        key = (size, state, law and t % law.groups, steps.tobytes(), s.trace.delivers[t].tobytes())
        if key not in self.known:
            sets = self._sets(t, state)
            rows = np.array([np.isin(range(s.trace.num_clients), who) for _, who in sets])
            one = replace(s, participation=None, averaging=(), local_step_size=size)
            quiet = not s.problem.noise_squared and not s.relative_noise
            each = self._at_once if quiet else self._one_by_one
            self.known[key] = each(one, [chance for chance, _ in sets], rows, steps)
        return self.known[key]

    def _at_once(
        self, one: Scenario, chances: Sequence[Fraction], rows: Array, steps: Array
    ) -> RoundMap:
        """All sets of clients as one batch, which needs runs without noise."""
        weights = self.arithmetic.rows([[chance] for chance in chances])
        trace = Trace.fresh(rows[:, None, :], local_steps=steps)
        low, high = (
            simulate(
                one.method,
                one.problem,
                trace,
                start=(Fraction(x),) * len(one.start),
                local_step_size=one.local_schedule,
                server_step_size=one.server_step_size,
                arithmetic=self.arithmetic,
            ).models[:, 1]
            for x in (0, 1)
        )
        a, b = high - low, low
        return RoundMap(*((weights * x).sum(axis=0) for x in (a, b, a * a, a * b, b * b)))

    def _one_by_one(
        self, one: Scenario, chances: Sequence[Fraction], rows: Array, steps: Array
    ) -> RoundMap:
        found = []
        for chance, row in zip(chances, rows, strict=True):
            trace = Trace.fresh(row[None, :], local_steps=steps[None, :])
            low, high = (
                self.outcomes(replace(one, trace=trace, start=(Fraction(x),) * len(one.start)))
                for x in (0, 1)
            )
            found += [(chance, *pair) for pair in zip(low, high, strict=True)]
        return self._summed(found)

    def _summed(self, pairs: Sequence[tuple[Fraction, Branch, Branch]]) -> RoundMap:
        s = self.scenario
        variance = Fraction(s.problem.noise_squared) / s.problem.dimension
        found: list[Array] = []
        for share, low, high in pairs:
            chance = self.arithmetic.rows([share * low.chance])[0]
            b = low.models[1]
            a = high.models[1] - b
            square = b * b
            if len(low.responses):
                square = square + (low.responses[:, 1] ** 2).sum(axis=0) * variance
            own = [chance * x for x in (a, b, a * a, a * b, square)]
            found = [x + y for x, y in zip(found, own, strict=True)] if found else own
        return RoundMap(*found)
