"""Numbers with their units, in words."""


def counted(number: int, unit: str = "rounds") -> str:
    """A number with its unit.

    >>> counted(1), counted(2, "updates")
    ('1 round', '2 updates')
    """
    return f"{number} {unit.removesuffix('s') if number == 1 else unit}"


def lasting(seconds: float) -> str:
    """A time in the unit that one would say.

    >>> lasting(90.4), lasting(630.4), lasting(149400), lasting(669600)
    ('90.4 s', '10.5 min', '41.5 h', '7.8 days')
    """
    for unit, size, few in (("days", 86400, 3), ("h", 3600, 2), ("min", 60, 2)):
        if seconds >= few * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.4g} s"
