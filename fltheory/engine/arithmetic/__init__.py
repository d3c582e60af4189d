"""Number types: the same algorithms run over formulas, fractions, floats and tensors.

Rows are arrays of shape (..., clients, coordinates); leading axes are a batch; the server's model
is one row.
"""

from fltheory.engine.arithmetic.base import Arithmetic, Rows, mean, total
from fltheory.engine.arithmetic.float_ import FLOAT
from fltheory.engine.arithmetic.rational import RATIONAL

__all__ = ["FLOAT", "RATIONAL", "Arithmetic", "Rows", "mean", "named_arithmetic", "total"]


def named_arithmetic(name: str) -> Arithmetic:
    """The arithmetic of that name; sympy and torch are imported only when they are needed.

    >>> named_arithmetic("rational")
    Rational(name='rational')
    """
    from fltheory.core.errors import InvalidInput

    if name == "symbolic":
        from fltheory.engine.arithmetic.symbolic import SYMBOLIC

        return SYMBOLIC
    if name == "tensor":
        from fltheory.engine.arithmetic.tensor import Tensor

        return Tensor()
    known: dict[str, Arithmetic] = {"rational": RATIONAL, "float": FLOAT}
    if name not in known:
        raise InvalidInput("arithmetic", "be one of rational, float, symbolic, tensor", repr(name))
    return known[name]
