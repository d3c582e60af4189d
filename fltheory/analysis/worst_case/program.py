"""The encoding in floating point as one sparse cone program.

In the dual, multipliers y >= 0 of the constraints minimise sum_k b_k y_k such that the values
cancel and sum_k y_k A_k - C is positive semidefinite in each block. Every such y proves an upper
bound on the worst case.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from fltheory.analysis.worst_case.encoding import Encoding, Term
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, FloatArray, IntArray

MAX_BLOCK = 90
"""Largest block that is tried: the solver's work grows with the sixth power of its size."""


@dataclass(frozen=True)
class Program:
    """Row k of `forms` is A_k (the triangles of its blocks, one after the other), and row k of
    `values` holds the coefficients of its function values."""

    block_sizes: tuple[int, ...]
    forms: sparse.csr_matrix
    values: sparse.csr_matrix
    bounds: FloatArray
    objective_form: FloatArray
    objective_values: FloatArray

    @property
    def num_constraints(self) -> int:
        """Number of constraints."""
        return len(self.bounds)


def triangle_size(size: int) -> int:
    """Number of entries of a triangle of that size."""
    return size * (size + 1) // 2


def triangles(matrices: Array) -> Array:
    """Symmetric matrices (last two axes) as vectors whose inner product is the matrices':
    off-diagonal entries times sqrt(2)."""
    size = matrices.shape[-1]
    rows, columns = np.tril_indices(size)
    scale = np.where(rows == columns, 1.0, np.sqrt(2.0))
    return matrices[..., rows, columns] * scale


def build(encoding: Encoding) -> Program:
    """Every constraint of an encoding, in its order, as floats."""
    sizes = encoding.block_sizes
    if max(sizes) > MAX_BLOCK:
        raise InvalidInput(
            "basis of the worst case",
            f"have at most {MAX_BLOCK} vectors per block (fewer rounds, steps or classes)",
            f"{max(sizes)} vectors",
        )
    if encoding.recording.noises:
        raise InvalidInput(
            "cone program",
            "be about a run without noise, whose constraints are inequalities",
            "noise",
        )
    vectors = [encoding.vectors(block).astype(float) for block in range(len(sizes))]
    offsets = np.concatenate([[0], np.cumsum([triangle_size(size) for size in sizes])])
    form = encoding.functions.form().astype(float)
    names: dict[tuple[int, ...], int] = {}
    pieces, coefficients, bounds = [], [], []
    for which in range(len(encoding.recording.records)):
        pairs = np.array(encoding.pairs(which), dtype=int).reshape(-1, 2)
        piece = np.zeros((len(pairs), offsets[-1]))
        for block, point, gradient in encoding.in_blocks(which):
            places = np.concatenate([pairs + point, pairs + gradient], axis=1)
            stacked = vectors[block][places]
            piece[:, offsets[block] : offsets[block + 1]] = triangles(
                stacked.transpose(0, 2, 1) @ (form @ stacked)
            )
        pieces.append(piece)
    for k, constraint in enumerate(encoding.constraints()):
        if constraint.kind != "interpolation":
            pieces.append(_form(constraint.terms, vectors, offsets)[None])
        bounds.append(float(constraint.bound))
        for name, factor in constraint.values.items():
            coefficients.append((k, names.setdefault(name, len(names)), float(factor)))
    terms, told = encoding.objective()
    objective = np.zeros(len(names))
    for name, factor in told.items():
        objective[names[name]] = float(factor)
    rows, columns, data = zip(*coefficients, strict=True) if coefficients else ((), (), ())
    values = sparse.csr_matrix((data, (rows, columns)), shape=(len(bounds), len(names)))
    return Program(
        sizes,
        sparse.csr_matrix(np.concatenate(pieces)),
        values,
        np.array(bounds),
        _form(terms, vectors, offsets),
        objective,
    )


def _form(terms: Iterable[Term], vectors: list[FloatArray], offsets: IntArray) -> FloatArray:
    """A sum of terms as one row."""
    result = np.zeros(offsets[-1])
    for term in terms:
        result[offsets[term.block] : offsets[term.block + 1]] += triangles(
            _matrix(term, vectors[term.block])
        )
    return result


def _matrix(term: Term, vectors: FloatArray) -> FloatArray:
    chosen = vectors[list(term.places)]
    return chosen.T @ (term.matrix.astype(float) @ chosen)
