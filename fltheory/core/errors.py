"""The errors that this package raises on purpose."""


class InvalidInput(ValueError):
    """Input that breaks a rule; the message names the owner, the rule and the value.

    >>> raise InvalidInput("importance of client 3", "be at least 0", "-1/5")
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: importance of client 3 must be at least 0, got -1/5
    """

    def __init__(self, owner: str, rule: str, value: object) -> None:
        super().__init__(f"{owner} must {rule}, got {value}")
        self.owner, self.rule, self.value = owner, rule, value


class Missing(InvalidInput):
    """A setting that a choice cannot do without.

    >>> raise Missing("--optima", "--problem quadratic")
    Traceback (most recent call last):
    fltheory.core.errors.Missing: --optima is required for --problem quadratic
    """

    def __init__(self, owner: str, choice: str = "") -> None:
        super().__init__(owner, "be given", "nothing")
        self.args = (f"{owner} is required for {choice}" if choice else f"{owner} is required",)


class AlreadyExists(InvalidInput):
    """A file that would be overwritten.

    >>> raise AlreadyExists("grid.toml.sqlite", "use --resume to continue")
    Traceback (most recent call last):
    fltheory.core.errors.AlreadyExists: grid.toml.sqlite already exists; use --resume to continue
    """

    def __init__(self, file: str, advice: str) -> None:
        super().__init__(file, "not exist yet", "a file that exists")
        self.args = (f"{file} already exists; {advice}",)


class NotExact(ValueError):
    """An exact arithmetic was asked for a number that it cannot represent."""


class Diverged(ValueError):
    """A run produced an infinite or undefined number; the message names the round and, where it is
    known, the client.

    >>> try:
    ...     raise Diverged(3, 7)
    ... except Diverged as problem:
    ...     print(problem)
    the run diverged: in round 3 the delivery of client 7 is not finite
    """

    def __init__(self, round: int, client: int | None) -> None:
        culprit = "the model" if client is None else f"the delivery of client {client}"
        super().__init__(f"the run diverged: in round {round} {culprit} is not finite")
        self.round, self.client = round, client
