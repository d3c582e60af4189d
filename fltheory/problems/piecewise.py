"""Losses of one coordinate whose gradient is piecewise linear: convex or not, with exact constants
in fractions."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import shares
from fltheory.core.registry import Member, Settings
from fltheory.core.types import ExactLike, Vector
from fltheory.engine.arithmetic import RATIONAL, Arithmetic, Rows
from fltheory.problems.constants import Constants
from fltheory.problems.tables import Shares, Table, TableLike, noise_variance, table


@frozen
class PiecewiseQuadratic:
    """Losses with f_i(0) = 0 whose gradient is linear between knots.

    Client i has the gradient `slopes[i][k]` at the point `knots[k]`, linear in between, and the
    curvatures `ends[i]` to the left of the first and to the right of the last knot. The knots are
    those of all clients.

    >>> huber = PiecewiseQuadratic(knots=(-1, 1), slopes=[(-1, 1)], ends=[(0, 0)])
    >>> constants = huber.constants
    >>> constants.smoothness, constants.infimum, constants.gradient_bound_squared
    (Fraction(1, 1), Fraction(0, 1), Fraction(1, 1))
    """

    knots: Checked[Vector, tuple[Fraction, ...]]
    slopes: Checked[TableLike, Table]
    ends: Checked[TableLike, Table]
    importance: Checked[Vector | None, Shares] = default(None)
    noise_squared: Checked[ExactLike, Fraction] = default(0)

    def __post_init__(self) -> None:
        knots = tuple(row[0] for row in table(self.knots, "knot"))
        slopes, ends = table(self.slopes, "slope"), table(self.ends, "end curvature")
        if len(knots) < 2 or any(a >= b for a, b in pairwise(knots)):
            raise InvalidInput("knots", "be at least two and grow", [str(x) for x in knots][:5])
        if len(slopes[0]) != len(knots):
            raise InvalidInput(
                "slopes", f"have one number for each of {len(knots)} knots", len(slopes[0])
            )
        if len(ends) != len(slopes) or len(ends[0]) != 2:
            raise InvalidInput("ends", "have two curvatures for each client", len(ends))
        checked = {
            "knots": knots,
            "slopes": slopes,
            "ends": ends,
            "importance": shares(self.importance, len(slopes)),
            "noise_squared": noise_variance(self.noise_squared),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def num_clients(self) -> int:
        return len(self.slopes)

    @property
    def dimension(self) -> int:
        return 1

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    @cached_property
    def bends(self) -> Table:
        """The curvatures of each client's pieces, from the left end to the right end."""
        widths = [b - a for a, b in pairwise(self.knots)]
        return tuple(
            (left, *((b - a) / w for (a, b), w in zip(pairwise(row), widths, strict=True)), right)
            for row, (left, right) in zip(self.slopes, self.ends, strict=True)
        )

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i' at row i: the slope at the first knot plus a ramp for each piece."""
        first = arithmetic.rows([[row[0]] for row in self.slopes])
        bends = [arithmetic.rows([[row[k]] for row in self.bends]) for k in range(self.pieces)]
        knots = [arithmetic.rows([[x]]) for x in self.knots]

        def gradients(rows: Rows) -> Rows:
            past = [_positive(arithmetic, rows - x) for x in knots]
            found = first + bends[0] * (rows - knots[0] - past[0])
            for k, bend in enumerate(bends[1:]):
                after = past[k + 1] if k + 1 < len(past) else 0 * past[k]
                found = found + bend * (past[k] - after)
            return found

        return gradients

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, which is 0 at 0."""
        first = arithmetic.rows([[row[0]] for row in self.slopes])
        bends = [arithmetic.rows([[row[k]] for row in self.bends]) for k in range(self.pieces)]
        knots = [arithmetic.rows([[x]]) for x in self.knots]

        def above(rows: Rows) -> Rows:
            past = [_positive(arithmetic, rows - x) for x in knots]
            before = rows - knots[0] - past[0]
            found = first * (rows - knots[0]) + bends[0] * before**2 / 2
            for k, bend in enumerate(bends[1:]):
                found = found + bend * past[k] ** 2 / 2
                if k + 1 < len(past):  # from the next knot on, another curvature
                    found = found - bend * past[k + 1] ** 2 / 2
            return found

        return lambda rows: above(rows) - above(0 * rows)

    @property
    def pieces(self) -> int:
        """One more than there are knots."""
        return len(self.knots) + 1

    @cached_property
    def at_knots(self) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
        """(point, slope, loss) of the global loss at knots, zeros of the slope, and one point
        beyond each end."""
        zeros = [zero for k in range(self.pieces) if (zero := self._zero(k)) is not None]
        points = sorted({self.knots[0] - 1, *self.knots, self.knots[-1] + 1, *zeros})
        return tuple((x, self._slope(x), self._loss(x)) for x in points)

    def _zero(self, piece: int) -> Fraction | None:
        """The zero of the global slope inside one piece, if there is one."""
        bend, begin = self._mixed(piece), self.knots[max(piece - 1, 0)]
        if not bend:
            return None
        zero = begin - self._slope(begin) / bend
        above = piece == 0 or zero > begin
        below = piece == self.pieces - 1 or zero < self.knots[piece]
        return zero if above and below else None

    def _mixed(self, piece: int) -> Fraction:
        return sum(
            (p * row[piece] for p, row in zip(self.importance, self.bends, strict=True)),
            Fraction(0),
        )

    def _slope(self, x: Fraction) -> Fraction:
        rows = RATIONAL.rows([[x]] * self.num_clients)
        found = self.gradients(RATIONAL)(rows)[:, 0]
        return sum((p * g for p, g in zip(self.importance, found, strict=True)), Fraction(0))

    def _loss(self, x: Fraction) -> Fraction:
        rows = RATIONAL.rows([[x]] * self.num_clients)
        found = self.losses(RATIONAL)(rows)[:, 0]
        return sum((p * g for p, g in zip(self.importance, found, strict=True)), Fraction(0))

    @cached_property
    def infimum(self) -> Fraction | None:
        """The least loss; None if the loss is unbounded below."""
        left, right = self.at_knots[0], self.at_knots[-1]
        ends = self._mixed(0), self._mixed(self.pieces - 1)
        falls = (
            ends[0] < 0 or (ends[0] == 0 and left[1] > 0),
            ends[1] < 0 or (ends[1] == 0 and right[1] < 0),
        )
        return None if any(falls) else min(loss for _, _, loss in self.at_knots)

    @cached_property
    def constants(self) -> Constants:
        every = [h for row in self.bends for h in row]
        bounded = all(h == 0 for row in self.ends for h in row)
        infimum = self.infimum
        lowest = [x for x, _, loss in self.at_knots if loss == infimum]
        optimum = (lowest[0],) if len(lowest) == 1 else None
        at_optimum = None
        if optimum is not None:
            slopes = self.gradients(RATIONAL)(RATIONAL.rows([optimum] * self.num_clients))[:, 0]
            at_optimum = sum(
                (p * g * g for p, g in zip(self.importance, slopes, strict=True)), Fraction(0)
            )
        steepest = max(abs(g) for row in self.slopes for g in row)
        return Constants(
            smoothness=max(abs(h) for h in every),
            strong_convexity=min(every) if min(every) > 0 else None,
            gradient_noise_squared=self.noise_squared,
            gradient_bound_squared=steepest**2 + self.noise_squared if bounded else None,
            dissimilarity_at_optimum=at_optimum,
            optimum=optimum,
            infimum=infimum,
        )


def _positive(arithmetic: Arithmetic, rows: Rows) -> Rows:
    """max(x, 0)."""
    return arithmetic.where(rows > 0, rows, 0 * rows)


def _build(settings: Settings) -> PiecewiseQuadratic:
    """With optima alone: Huber losses, quadratic between -1 and 1, linear beyond."""
    if settings.get("knots") is None:
        optima = [x for (x,) in table(settings.need("optima"), "optimum")]
        knots: object = (-1, 1)
        slopes: object = [(-1 - x, 1 - x) for x in optima]
        ends: object = [(0, 0)] * len(optima)
    else:
        knots, slopes, ends = (settings.need(name) for name in ("knots", "slopes", "ends"))
    return PiecewiseQuadratic(
        knots,  # type: ignore[arg-type]
        slopes,  # type: ignore[arg-type]
        ends,  # type: ignore[arg-type]
        settings.get("importance"),
        settings.get("noise_squared", 0),
    )


MEMBERS = (
    Member(
        "piecewise-quadratic",
        "gradients that are linear between knots, convex or not, one coordinate",
        _build,
        makes=PiecewiseQuadratic,
        usage="--optima 0,1",
    ),
)
