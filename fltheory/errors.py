"""The two ways in which this package says no."""


class InvalidInput(ValueError):
    """Input that breaks a rule; the message names the owner, the rule and the value.

    >>> raise InvalidInput("importance of client 3", "be at least 0", "-1/5")
    Traceback (most recent call last):
    fltheory.errors.InvalidInput: importance of client 3 must be at least 0, got -1/5
    """

    def __init__(self, owner: str, rule: str, value: object) -> None:
        super().__init__(f"{owner} must {rule}, got {value}")
        self.owner, self.rule, self.value = owner, rule, value


class NotExact(ValueError):
    """An exact arithmetic was asked for a number that it cannot write down."""
