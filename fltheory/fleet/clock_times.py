"""Times in logs: seconds (or milliseconds) as numbers, ISO 8601 with a time zone, and dates with
points (31.12.2026 23:59), which are local times."""

import math
import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fltheory.core.errors import InvalidInput

SHOWN = 60
LATEST = 1e11
"""Seconds; a larger number is probably in milliseconds."""
POINTS = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})((?: |, ?)\d{1,2}:\d{2}(?::\d{2})?)?", re.ASCII)
"""Day, month, year and time of day."""
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class ClockTimes:
    """How to read a time: the zone of local times (None if they are refused), and the unit of
    numbers in seconds."""

    zone: ZoneInfo | None = None
    unit: float = 1.0

    @classmethod
    def of(cls, timezone: str | None, unit: str | None) -> "ClockTimes":
        """From the name of a zone and of a unit.

        >>> ClockTimes.of("Europe/Berlin", "ms").unit
        0.001
        """
        if unit is not None and unit not in UNITS:
            raise InvalidInput("time unit", f"be one of {', '.join(UNITS)}", repr(unit[:SHOWN]))
        try:
            zone = None if timezone is None else ZoneInfo(timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            rule = "be a name such as Europe/Berlin or UTC"
            raise InvalidInput("time zone", rule, repr(str(timezone)[:SHOWN])) from None
        return cls(zone, UNITS[unit or "s"])

    def seconds(self, text: str, place: str) -> tuple[float, bool]:
        """Seconds, and whether the time is one of a calendar."""
        try:
            number = float(text) * self.unit
        except ValueError:
            return self._moment(text.strip(), place), True
        if not math.isfinite(number) or abs(number) > LATEST:
            raise InvalidInput(
                f"time in {place}",
                f"be a finite number of seconds up to {LATEST:g} (divide milliseconds by 1000, or"
                " use --time-unit ms)",
                repr(text.strip()[:SHOWN]),
            )
        return number, False

    def _moment(self, word: str, place: str) -> float:
        try:
            moment = datetime.fromisoformat(_iso(word))
        except ValueError:
            raise InvalidInput(
                f"time in {place}",
                "be seconds or an ISO 8601 time such as 2026-03-01T08:00:00Z",
                repr(word[:SHOWN]),
            ) from None
        if moment.tzinfo is not None:
            return moment.timestamp()
        if self.zone is None:
            rule = "have a time zone, such as Z or +01:00 (or use --timezone Europe/Berlin)"
            raise InvalidInput(f"time in {place}", rule, repr(word[:SHOWN]))
        first, second = (moment.replace(tzinfo=self.zone, fold=fold) for fold in (0, 1))
        if first.utcoffset() != second.utcoffset():
            rule = f"have an offset, because clocks change at this hour in {self.zone.key}"
            raise InvalidInput(f"time in {place}", rule, repr(word[:SHOWN]))
        return first.timestamp()


def _iso(word: str) -> str:
    """A time as ISO 8601 has it.

    >>> _iso("3.4.2026 8:05"), _iso("2026-04-03 08:05 UTC")
    ('2026-04-03T08:05', '2026-04-03 08:05+00:00')
    """
    if word.endswith(("UTC", "GMT")):
        return f"{word[:-3].rstrip()}+00:00"
    dotted = POINTS.fullmatch(word)
    if dotted is None:
        return word
    day, month, year, hours = dotted.groups()
    clock = (hours or "0:00").strip(", ")
    return f"{year}-{month:0>2}-{day:0>2}T{clock.zfill(3 * clock.count(':') + 2)}"
