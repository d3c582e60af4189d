"""Counted nouns in sentences."""


def counted(number: int, what: str) -> str:
    """A number with its noun, in the singular or the plural.

    >>> counted(1, "client"), counted(0, "round"), counted(3, "local step")
    ('1 client', '0 rounds', '3 local steps')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
