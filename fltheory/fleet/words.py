"""Numbers with their units, in words."""


def counted(number: int, unit: str = "rounds") -> str:
    """A number with its unit.

    >>> counted(1), counted(2, "updates")
    ('1 round', '2 updates')
    """
    return f"{number} {unit.removesuffix('s') if number == 1 else unit}"


def lasting(seconds: float) -> str:
    """Seconds, and hours where there are many.

    >>> lasting(630.4), lasting(8449)
    ('630.4 s', '8449 s = 2.3 h')
    """
    return f"{seconds:.4g} s" if seconds < 3600 else f"{seconds:.0f} s = {seconds / 3600:.1f} h"
