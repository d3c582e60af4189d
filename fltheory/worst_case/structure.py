"""The encoding as the interior-point method wants it: each constraint is a small matrix over a few of the recorded vectors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from fltheory.errors import InvalidInput
from fltheory.worst_case.problem import Constraint, Encoding

MOST_VECTORS = 200
"""Largest basis that is tried: the number of pairs of points, and the time, grow quickly with it."""


@dataclass(frozen=True)
class Structure:
    """Constraint k is sum over a, b of small[k, a, b] <v_a, v_b> + values[k] f <= bounds[k], v_a = vectors[places[k, a]].

    Vectors are rows over the whole basis; `same_block` marks the entries of a Gram matrix that exist. `first` marks the constraints that a
    first attempt keeps: neighbours in time, pairs with the optimum, and everything that is not interpolation.
    """

    vectors: Any
    places: Any
    small: Any
    values: Any
    bounds: Any
    objective: Any
    objective_values: Any
    same_block: Any
    first: Any
    blocks: Any

    def forms(self, gram: Any, which: Any) -> Any:
        """The quadratic part of the constraints at a Gram matrix."""
        products = self.vectors @ gram @ self.vectors.T
        at = self.places[which]
        return np.einsum("kab,kab->k", self.small[which], products[at[:, :, None], at[:, None, :]])

    def combine(self, multipliers: Any, which: Any) -> Any:
        """sum_k y_k A_k."""
        at, count = self.places[which], len(self.vectors)
        flat = (at[:, :, None] * count + at[:, None, :]).ravel()
        weights = np.bincount(flat, (multipliers[:, None, None] * self.small[which]).ravel(), minlength=count * count)
        return (self.vectors.T @ weights.reshape(count, count) @ self.vectors) * self.same_block


def structure(encoding: Encoding) -> Structure:
    """Every constraint of an encoding, in its order."""
    if len(encoding.recording.owners) > MOST_VECTORS:
        raise InvalidInput("basis of the worst case", f"have at most {MOST_VECTORS} vectors (fewer rounds, steps or classes)",
                           f"{len(encoding.recording.owners)} vectors")
    owners = np.array(encoding.recording.owners)
    by_block = [encoding.vectors(block).astype(float) for block in range(len(encoding.block_sizes))]
    form = encoding.functions.form().astype(float)
    rows: dict[Any, int] = {}
    names: dict[Any, int] = {}
    table: list[Any] = []
    places, matrices, coefficients, bounds, first = [], [], [], [], []

    def place(parts: tuple[tuple[int, int], ...]) -> int:
        if parts not in rows:
            row = np.zeros(len(owners))
            for block, k in parts:
                row[owners == block] = by_block[block][k]
            rows[parts] = len(table)
            table.append(row)
        return rows[parts]

    for k, constraint in enumerate(encoding.constraints()):
        at, matrix = _merged(constraint, form)
        places.append([place(parts) for parts in at])
        matrices.append(matrix)
        bounds.append(float(constraint.bound))
        first.append(constraint.kind != "interpolation" or 0 in constraint.about[1:] or abs(constraint.about[1] - constraint.about[2]) == 1)
        coefficients += [(k, names.setdefault(name, len(names)), float(x)) for name, x in constraint.values.items()]
    terms, told = encoding.objective()
    objective = np.zeros((len(owners), len(owners)))
    for term in terms:
        chosen = np.array([table[place(((term.block, p),))] for p in term.places])
        objective += chosen.T @ term.matrix.astype(float) @ chosen
    width = max(len(at) for at in places)
    small = np.zeros((len(places), width, width))
    padded = np.zeros((len(places), width), int)
    for k, (numbers_of, matrix) in enumerate(zip(places, matrices, strict=True)):
        small[k, : len(numbers_of), : len(numbers_of)] = matrix
        padded[k, : len(numbers_of)] = numbers_of
    values = np.zeros(len(names))
    for name, x in told.items():
        values[names[name]] = float(x)
    numbers = tuple(zip(*coefficients, strict=True)) or ((), (), ())
    linear = sparse.csr_matrix((numbers[2], numbers[:2]), shape=(len(bounds), len(names))).toarray()
    blocks = [np.nonzero(owners == block)[0] for block in sorted(set(encoding.recording.owners))]
    same_block = owners[:, None] == owners
    return Structure(np.array(table), padded, small, linear, np.array(bounds), objective, values, same_block, np.array(first), blocks)


def _merged(constraint: Constraint, form: Any) -> tuple[list[tuple[tuple[int, int], ...]], Any]:
    """Interpolation has the same matrix in both blocks of a class, so one vector over both serves; other terms stand side by side."""
    if constraint.kind == "interpolation":
        first, *more = constraint.terms
        at = [((first.block, p), *((t.block, t.places[a]) for t in more)) for a, p in enumerate(first.places)]
        return at, form
    at = [((term.block, p),) for term in constraint.terms for p in term.places]
    matrix = np.zeros((len(at), len(at)))
    begin = 0
    for term in constraint.terms:
        end = begin + len(term.places)
        matrix[begin:end, begin:end] = term.matrix.astype(float)
        begin = end
    return at, matrix
