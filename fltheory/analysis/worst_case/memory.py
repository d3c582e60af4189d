"""An estimate of the memory that a worst case needs, before it is used."""

import os

from fltheory.core.errors import InvalidInput

FLOAT_BYTES, FRACTION_BYTES = 8, 120
COPIES = 8
"""Rows of all clients that exist at once while a method runs: deliveries, memory, local models and
their changes."""


def available() -> int:
    """Half of the machine's memory, in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def needed(num_clients: int, capacity: int, records: list[int], *, exact: bool) -> int:
    """Bytes for the rows of a run over `capacity` basis vectors, and for the constraints of classes
    with these numbers of records.

    >>> needed(1, 42, [41], exact=False) < 10**7 < needed(1, 20_000, [20_000], exact=False)
    True
    """
    rows = COPIES * num_clients * capacity * (FRACTION_BYTES if exact else FLOAT_BYTES)
    return rows + sum(6 * count * count for count in records) * capacity * FLOAT_BYTES


def refuse_if_too_large(
    num_clients: int, capacity: int, records: list[int], *, exact: bool
) -> None:
    """Raise an error with the estimate if it exceeds the available memory."""
    wanted, limit = needed(num_clients, capacity, records, exact=exact), available()
    if wanted > limit:
        raise InvalidInput(
            "worst case",
            f"fit into {_told(limit)} (fewer rounds, local steps, classes or clients)",
            f"about {_told(wanted)} for {num_clients} clients and {capacity} vectors",
        )


def _told(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"
