"""Rows of a log that cannot be read: counted and named, or refused."""

from fltheory.core.errors import InvalidInput

NAMED = 3
"""Bad rows whose errors are kept."""


class BadRows:
    """Counts the rows that are left out, beside those that are `good`. If `strict`, the first one
    is refused. `remarks` say how cells were read.

    >>> bad = BadRows(strict=False)
    >>> bad.add(InvalidInput("line 3 of a.csv", "have 2 cells, like the header", "1 cells"))
    >>> bad.good = 9
    >>> bad.notes()
    ['1 of 10 rows is left out: line 3 of a.csv must have 2 cells, like the header, got 1 cells']
    >>> bad.good = 1
    >>> bad.notes()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: line 3 of a.csv must have 2 cells, ...
    """

    def __init__(self, *, strict: bool) -> None:
        self.strict, self.count, self.good = strict, 0, 0
        self.first: list[InvalidInput] = []
        self.remarks: list[str] = []

    def add(self, problem: InvalidInput) -> None:
        """Leave out one row."""
        if self.strict:
            raise problem
        self.count += 1
        if len(self.first) < NAMED:
            self.first.append(problem)

    def notes(self) -> list[str]:
        """What was left out; refused if that is half of the rows, which is no log of this kind."""
        if not self.count:
            return self.remarks
        if self.count >= self.good:
            raise self.first[0]
        more = f"; and {self.count - NAMED} more" if self.count > NAMED else ""
        told = "; ".join(str(problem) for problem in self.first)
        verb = "rows is" if self.count == 1 else "rows are"
        return [
            *self.remarks,
            f"{self.count} of {self.count + self.good} {verb} left out: {told}{more}",
        ]
