"""Losses whose slopes are piecewise linear in each coordinate, and their constants in fractions.

A client's slope in one coordinate is a `Slope`: numbers at knots, linear in between, with a
curvature beyond either end. Written from the definitions of the papers, with the standard library
only; it shares no code with the package. A constant that is not known is None.
"""

import sys
from bisect import bisect_left, bisect_right
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number, power

ROOT = F(1, 2)


class Slope(NamedTuple):
    """The derivative of a loss of one coordinate."""

    knots: tuple
    values: tuple
    left: F
    right: F

    def at(self, x):
        """The slope at a point."""
        if x <= self.knots[0]:
            return self.values[0] + self.left * (x - self.knots[0])
        if x >= self.knots[-1]:
            return self.values[-1] + self.right * (x - self.knots[-1])
        k = bisect_right(self.knots, x) - 1
        bend = (self.values[k + 1] - self.values[k]) / (self.knots[k + 1] - self.knots[k])
        return self.values[k] + bend * (x - self.knots[k])

    def bends(self):
        """The curvatures of the pieces, from the left to the right."""
        points = zip(self.knots, self.values, strict=True)
        inner = [(b - a) / (y - x) for (x, a), (y, b) in pairwise(points)]
        return [self.left, *inner, self.right]

    def loss(self, x):
        """The loss at a point less that at the first knot: a sum of trapezoids."""
        low, high = sorted((self.knots[0], x))
        cuts = [low, *(k for k in self.knots if low < k < high), high]
        area = sum((b - a) * (self.at(a) + self.at(b)) / 2 for a, b in pairwise(cuts))
        return area if x >= self.knots[0] else -area

    def special(self):
        """Knots, zeros of the slope, and a point beyond each end."""
        ends = {min(self.knots) - 1, max(self.knots) + 1}
        found = {*self.knots, *ends}
        for a, b in pairwise(sorted(found)):
            low, high = self.at(a), self.at(b)
            if low * high < 0:
                found.add(a + (b - a) * low / (low - high))
        if self.left:
            found.add(min(self.knots[0], self.knots[0] - self.values[0] / self.left))
        if self.right:
            found.add(max(self.knots[-1], self.knots[-1] - self.values[-1] / self.right))
        return sorted({min(found) - 1, max(found) + 1, *found})

    def least(self):
        """The infimum of `loss`, and the point where it is attained if that is the only one; None
        if there is no infimum."""
        first, last = self.values[0], self.values[-1]
        if self.left < 0 or (self.left == 0 and first > 0):
            return None
        if self.right < 0 or (self.right == 0 and last < 0):
            return None
        points = self.special()
        low = min(map(self.loss, points))
        lowest = [x for x in points if self.loss(x) == low]
        return low, lowest[0] if len(lowest) == 1 else None

    def rises_once(self):
        """Does the slope change its sign at most once, from minus to plus?"""
        seen = [self.at(x) for x in self.special()]
        start = next((k for k, g in enumerate(seen) if g > 0), len(seen))
        return all(g >= 0 for g in seen[start:])

    def steepness(self):
        """The largest mu with slope^2 >= 2 mu (loss - infimum), or None; between special points the
        ratio is monotone, at infinity and at the minimum it tends to a curvature."""
        low = self.least()
        if low is None:
            return None
        points = self.special()
        gaps = [self.loss(x) - low[0] for x in points]
        if not any(gaps):
            return 0
        found = [self.at(x) ** 2 / (2 * gap) for x, gap in zip(points, gaps, strict=True) if gap]
        bends, lowest = self.bends(), [x for x, gap in zip(points, gaps, strict=True) if not gap]
        near = [bends[side(self.knots, x)] for x in lowest for side in (bisect_left, bisect_right)]
        return min([self.left, self.right, *found, *(h for h in near if h)])


def mixed(slopes, shares):
    """The weighted sum of several slopes."""
    knots = tuple(sorted({k for s in slopes for k in s.knots}))
    pairs = list(zip(slopes, shares, strict=True))
    return Slope(
        knots,
        tuple(sum(p * s.at(x) for s, p in pairs) for x in knots),
        sum(p * s.left for s, p in pairs),
        sum(p * s.right for s, p in pairs),
    )


def slope_of(problem, i, j):
    """The slope of client i in coordinate j."""
    kind = problem["kind"]
    if kind == "piecewise-quadratic":
        left, right = map(number, problem["ends"][i])
        return Slope(
            tuple(map(number, problem["knots"])),
            tuple(map(number, problem["slopes"][i])),
            left,
            right,
        )
    if kind == "common-curvature":
        bend = number(problem["curvature"])
        return Slope((F(0),), (number(problem["tilts"][i][j]),), bend, bend)
    bend = number(problem["curvatures"][i][j])
    if kind == "quadratic":
        return Slope((number(problem["optima"][i][j]),), (F(0),), bend, bend)
    centre, most = number(problem["centres"][i][j]), number(problem["bound"])
    reach = most / abs(bend)
    ends = (-most, most) if bend > 0 else (most, -most)
    return Slope((centre - reach, centre + reach), ends, F(0), F(0))


class Losses:
    """The losses of all clients, and the constants of theorems."""

    def __init__(self, problem):
        self.problem, self.kind = problem, problem["kind"]
        self.shares = [number(p) for p in problem["importance"]]
        self.clients = range(len(self.shares))
        first = next(problem[n] for n in ("optima", "centres", "tilts", "slopes") if n in problem)
        self.size = 1 if self.kind == "piecewise-quadratic" else len(first[0])
        self.slopes = [[slope_of(problem, i, j) for j in range(self.size)] for i in self.clients]
        self.total = [mixed(column, self.shares) for column in zip(*self.slopes, strict=True)]
        self.affine = self.kind in ("quadratic", "common-curvature")
        self.noise_squared = number(problem.get("noise_squared", "0"))
        self.lowest = [s.least() for s in self.total]
        self.bounded_below = None not in self.lowest

    def gradient(self, i, x):
        return [s.at(a) for s, a in zip(self.slopes[i], x, strict=True)]

    def total_gradient(self, x):
        return [s.at(a) for s, a in zip(self.total, x, strict=True)]

    def gap(self, x):
        """f - f* at a point."""
        if not self.bounded_below:
            return None
        pairs = zip(self.total, x, self.lowest, strict=True)
        return sum(s.loss(a) - low[0] for s, a, low in pairs)

    @property
    def optimum(self):
        """The only minimiser of f, or None."""
        found = [low[1] for low in self.lowest if low is not None]
        return found if len(found) == self.size and None not in found else None

    def bends(self, i):
        """All curvatures of one client, with 0 for losses that are clipped."""
        return [h for s in self.slopes[i] for h in s.bends()]

    def all_bends(self):
        return [h for i in self.clients for h in self.bends(i)]

    def total_bends(self):
        return [h for s in self.total for h in s.bends()]

    def squares(self, x):
        """|grad f_i|^2 at a point, for each client."""
        return [sum(g * g for g in self.gradient(i, x)) for i in self.clients]

    def mean(self, values):
        return sum(p * v for p, v in zip(self.shares, values, strict=True))

    def deviations(self, i):
        """grad f_i - grad f in each coordinate."""
        return [
            mixed((own, whole), (F(1), F(-1)))
            for own, whole in zip(self.slopes[i], self.total, strict=True)
        ]

    def dissimilarity_squared(self):
        """sup over x and clients of |grad f_i - grad f|^2."""
        found = []
        for i in self.clients:
            apart = self.deviations(i)
            if any(s.left or s.right for s in apart):
                return None
            found.append(sum(max(v * v for v in s.values) for s in apart))
        return max(found)

    def mean_dissimilarity_squared(self):
        """sup over x of sum_i p_i |grad f_i - grad f|^2."""
        every = [self.deviations(i) for i in self.clients]
        if any(s.left or s.right for apart in every for s in apart):
            return None
        return sum(
            max(self.mean([s.at(x) ** 2 for s in column]) for s in column for x in s.knots)
            for column in zip(*every, strict=True)
        )

    def relative_dissimilarity_squared(self):
        """B^2 with sum_i p_i |grad f_i|^2 <= B^2 |grad f|^2, for clients with one optimum."""
        one = all(
            s.knots == t.knots
            for row in self.slopes
            for s, t in zip(row, self.slopes[0], strict=True)
        )
        still = not any(v for row in self.slopes for s in row for v in s.values)
        if not (self.affine and one and still and all(s.left for s in self.total)):
            return None
        columns = zip(self.total, zip(*self.slopes, strict=True), strict=True)
        return max(self.mean([s.left**2 for s in own]) / whole.left**2 for whole, own in columns)

    def steepest_squared(self):
        """The largest |grad f_i|^2 anywhere."""
        if any(s.left or s.right for row in self.slopes for s in row):
            return None
        return max(sum(max(v * v for v in s.values) for s in row) for row in self.slopes)

    def client_gaps(self, x):
        """f_i - inf f_i at a point, for each client."""
        found = []
        for row in self.slopes:
            low = [s.least() for s in row]
            if None in low:
                return None
            found.append(sum(s.loss(a) - b[0] for s, a, b in zip(row, x, low, strict=True)))
        return found

    def minima_gap(self):
        """f* less the average of the clients' least losses."""
        here = [F(0)] * self.size
        own, whole = self.client_gaps(here), self.gap(here)
        return None if own is None or whole is None else self.mean(own) - whole

    def steepness(self):
        """The PL constant of f."""
        found = [s.steepness() for s in self.total]
        if None in found:
            return None
        moving = [mu for mu in found if mu]
        return min(moving) if moving and min(moving) > 0 else None

    def constants(self):
        """The constants of theorems by name, each computed when it is asked for."""
        steep, noise = self.steepest_squared, self.noise_squared
        bends, whole = self.all_bends, self.total_bends

        def root(square):
            return None if square is None else power(F(square), ROOT)

        def above(value):
            return value if value > 0 else None

        return {
            "smoothness": lambda: max(map(abs, bends())),
            "strong_convexity": lambda: above(min(bends())),
            "gradient_noise": lambda: root(noise),
            "gradient_bound": lambda: None if steep() is None else root(steep() + noise),
            "lipschitz": lambda: root(steep()),
            "dissimilarity": lambda: root(self.dissimilarity_squared()),
            "mean_dissimilarity": lambda: root(self.mean_dissimilarity_squared()),
            "relative_dissimilarity": lambda: root(self.relative_dissimilarity_squared()),
            "client_minima_gap": self.minima_gap,
            "least_importance": lambda: min(self.shares),
            "largest_importance": lambda: max(self.shares),
            "sum_squared_importance": lambda: sum(p * p for p in self.shares),
            "mean_smoothness": lambda: self.mean(
                [max(map(abs, self.bends(i))) for i in self.clients]
            ),
            "global_smoothness": lambda: max(map(abs, whole())),
            "global_strong_convexity": lambda: above(min(whole())),
            "pl_constant": self.steepness,
            "weak_convexity": lambda: max(F(0), -min(bends())),
            "dissimilarity_at_optimum": lambda: (
                None if self.optimum is None else self.mean(self.squares(self.optimum))
            ),
        }
