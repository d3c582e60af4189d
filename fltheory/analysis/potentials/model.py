"""What a potential is asked to prove, as data: states and edges of a generic client, and how the
vectors of its potential move."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from fltheory.analysis.potentials.polynomials import Interval, Poly, Row


@dataclass(frozen=True)
class Request:
    """A point at which a client was asked for its gradient; `value` names the function value, None
    for the smallest value, which is 0."""

    value: str | None
    point: Row
    gradient: Row


@dataclass(frozen=True)
class Pair:
    """One entry of a quadratic form <left, right>, free unless its factor is fixed."""

    left: str
    right: str
    fixed: Poly | None = None


@dataclass(frozen=True)
class ClientState:
    """V_state = sum of pairs + sum of function values; a value is free unless it is fixed."""

    pairs: tuple[Pair, ...]
    values: Mapping[str, Poly | None] = field(default_factory=dict)


@dataclass(frozen=True)
class At:
    """Where a potential is taken: its vectors as rows of a basis, its values by their names."""

    state: str
    vectors: Mapping[str, Row]
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Edge:
    """One move of the generic client: to one state, or to several with given chances.

    `relations` have mean zero over the clients. `null` is a direction in which the form vanishes
    by its structure (a tilt of the client's function).
    """

    name: str
    basis: tuple[str, ...]
    before: At
    after: tuple[tuple[Fraction, At], ...]
    records: tuple[tuple[Request, ...], ...]
    relations: Mapping[str, Row]
    null: tuple[str, ...] = ()


@dataclass(frozen=True)
class BoundOfPotential:
    """What a potential is compared with in one state: `form` and `values` are subtracted from it
    (`sign` 1) or it from them (`sign` -1). A factor that is a word is an unknown of that name, at
    least 0, which is always added: a slack, or a constant at the start."""

    name: str
    basis: tuple[str, ...]
    at: At
    form: tuple[tuple[str, str, Poly | str], ...]
    values: Mapping[str, Poly]
    records: tuple[tuple[Request, ...], ...] = ()
    relations: Mapping[str, Row] = field(default_factory=dict)
    null: tuple[str, ...] = ()
    sign: int = 1


@dataclass(frozen=True)
class Model:
    """The whole question in units in which the smoothness is 1 (or a polynomial of the box).

    Per edge: (rate + factor * slope) V_before - V_after - gains + budgets = sum of multipliers
    times true inequalities + relations times common vectors + a semidefinite form. `rate` and
    `slope` are polynomials; the factor is a number.
    """

    states: Mapping[str, ClientState]
    edges: tuple[Edge, ...]
    bounds: tuple[BoundOfPotential, ...]
    common: tuple[str, ...]
    """Vectors that all clients share on every edge."""
    highest: Poly
    lowest: Poly
    rate: Poly
    slope: Poly
    bound_common: tuple[str, ...] = ()
    """Vectors that all clients share in every bound with relations."""
    budgets: Mapping[str, Poly | None] = field(default_factory=dict)
    gains: Mapping[str, Poly | None] = field(default_factory=dict)
    uncorrelated: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, Interval], ...] = ()
    multiplier_scale: Poly | None = None
    multiplier_base: Poly | None = None
    given: Mapping[str, Poly] = field(default_factory=dict)
    relation_scale: Mapping[str, Poly] = field(default_factory=dict)
    degree: tuple[int, ...] = ()
    equalities: tuple[Mapping[object, Fraction], ...] = ()

    @property
    def box(self) -> tuple[Interval, ...]:
        """The intervals of the parameters."""
        return tuple(interval for _, interval in self.parameters)
