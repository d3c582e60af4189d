"""A worst case as a chain of small semidefinite blocks.

Basis vectors are ordered by the time at which the run introduces them. What constraints on later
vectors still need of the earlier ones is a state: a few combinations of them, such as the model and
the memory. Each link of the chain holds the state before it and its new vectors. A Gram matrix of
everything exists exactly if each link has a semidefinite one and neighbours agree on the state that
they share, because every link meets all earlier ones in that state only. In the dual, the
multipliers of this agreement are a quadratic potential of the state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fltheory.analysis.worst_case.program import triangle_size
from fltheory.analysis.worst_case.structure import Structure
from fltheory.core.types import FloatArray, IntArray

NEGLIGIBLE, DEPENDENT = 1e-12, 1e-9
"""Entries below the first are rounding errors; rows are dependent up to the second."""

UNCERTAIN = 1e-7
"""Eigenvalues of a state's Gram matrix below this part of the largest are treated as zero."""

STEPS, LINK_SECONDS, OPERATIONS_PER_SECOND = 40, 2.5e-5, 8e8
"""Usual number of Clarabel's steps in all, and its processor time in each: for a link, and for the
cube of its number of entries (measured on one thread, links of 3 to 12 vectors)."""


class Link(NamedTuple):
    """One block of the chain: the rows of the state before it over all earlier vectors, the numbers
    of its new vectors, and the state after it as combinations of both."""

    state: FloatArray
    begin: int
    end: int
    onward: FloatArray
    pieces: IntArray
    """The pieces of the block's part that end here."""

    @property
    def size(self) -> int:
        return len(self.state) + self.end - self.begin

    def coordinates(self, rows: FloatArray) -> FloatArray:
        """Rows over all vectors, which need only the state and the new ones, over those."""
        before = rows[:, : self.begin] @ self.state.T
        return np.concatenate([before, rows[:, self.begin : self.end]], axis=1)

    def squares(
        self, squares: Sequence[tuple[float, FloatArray]]
    ) -> list[tuple[float, FloatArray]]:
        """Those of the metric's squares whose last vector is new here, over the coordinates."""
        return [
            (factor, self.coordinates(row[None]))
            for factor, row in squares
            if self.begin <= _last(row[None, None])[0] < self.end
        ]


@dataclass(frozen=True)
class ChainOfBlocks:
    """The links of each block of a problem."""

    problem: Structure
    links: tuple[tuple[Link, ...], ...]

    @classmethod
    def of(cls, problem: Structure) -> "ChainOfBlocks":
        return cls(problem, tuple(_links(problem, block) for block in range(len(problem.parts))))

    @property
    def sizes(self) -> list[int]:
        """The size of every link."""
        return [link.size for links in self.links for link in links]

    @property
    def seconds(self) -> float:
        """Processor seconds, about, of all solves."""
        work = sum(triangle_size(size) ** 3 for size in self.sizes) / OPERATIONS_PER_SECOND
        return STEPS * (work + LINK_SECONDS * len(self.sizes))

    def completed(
        self, grams: Sequence[FloatArray], scales: Sequence[FloatArray]
    ) -> list[FloatArray]:
        """One Gram matrix per block from those of the links, given in units `scales` of their
        coordinates: given the state, new vectors are orthogonal to what came before."""
        found: list[FloatArray] = []
        k = 0
        for links in self.links:
            whole = np.zeros((links[-1].end,) * 2) if links else np.zeros((0, 0))
            for link in links:
                unit, here, r = scales[k], grams[k], len(link.state)
                new, old = slice(link.begin, link.end), slice(0, link.begin)
                whole[new, new] = here[r:, r:] * unit[r:] * unit[r:, None]
                if r:
                    values, vectors = np.linalg.eigh(here[:r, :r])
                    sure = values > UNCERTAIN * values[-1]
                    inverse = (vectors[:, sure] / values[sure]) @ vectors[:, sure].T
                    before = link.state @ whole[old, old] / unit[:r, None]
                    whole[new, old] = unit[r:, None] * (here[r:, :r] @ inverse @ before)
                    whole[old, new] = whole[new, old].T
                k += 1
            found.append(whole)
        return found


def _links(problem: Structure, block: int) -> tuple[Link, ...]:
    """The links of a block, from the last to the first: a link ends where a vector is no longer
    needed."""
    part, wide = problem.parts[block], len(problem.objective[block])
    rows = np.stack([part.left, part.right, part.square], axis=1)
    metric = np.array([row for _, row in problem.squares[block]]).reshape(-1, 1, wide)
    ends = [_last(group) for group in (rows, metric)]
    state = np.zeros((0, wide))
    states = [state]
    for k in range(wide - 1, -1, -1):
        here = [rows[ends[0] == k].reshape(-1, wide), metric[ends[1] == k].reshape(-1, wide)]
        needed = _independent(np.concatenate([*here, state])[:, :k])
        state = np.pad(needed, ((0, 0), (0, wide - k)))
        states.append(state)
    states.reverse()
    links, begin = [], 0
    for end in range(1, wide + 1):
        if end < wide and len(states[end]) == len(states[begin]) + end - begin:
            continue  # nothing is dropped yet
        pieces = np.flatnonzero((ends[0] >= begin) & (ends[0] < end))
        link = Link(states[begin][:, :begin], begin, end, np.zeros((0, 0)), pieces)
        links.append(link._replace(onward=link.coordinates(states[end])))
        begin = end
    return tuple(links)


def _last(rows: FloatArray) -> IntArray:
    """The last vector that each group of rows involves."""
    there = abs(rows).max(axis=1) > NEGLIGIBLE
    return np.where(there.any(axis=1), there.shape[1] - 1 - there[:, ::-1].argmax(axis=1), 0)


def _independent(rows: FloatArray) -> FloatArray:
    """Orthonormal rows with the same span."""
    sizes = np.linalg.norm(rows, axis=1)
    rows = rows[sizes > NEGLIGIBLE] / sizes[sizes > NEGLIGIBLE, None]
    if not rows.size:
        return np.zeros((0, rows.shape[1]))
    _, values, found = np.linalg.svd(rows, full_matrices=False)
    return found[values > DEPENDENT * values[0]]
