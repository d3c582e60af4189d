"""Make the example logs from keyed randomness, and their reports with `fltheory advise`."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np

from fltheory.cli import make_app
from fltheory.core.randomness import Purpose, uniforms

HERE = Path(__file__).parent


def chance(client: int, draw: int) -> float:
    """A number in [0, 1) that depends on the client and the draw alone."""
    return float(uniforms(7, Purpose.AVAILABILITY, rounds=[draw], clients=[client])[0])


def diurnal_phones() -> Iterator[str]:
    """24 phones in three time zones, charging at night for two to nine hours, over five days."""
    yield "client,start,end"
    for phone in range(24):
        zone = timezone(timedelta(hours=(-5, 1, 9)[phone % 3]))
        for day in range(5):
            hours = 2 + 7 * phone / 23
            begin = datetime(2026, 3, 27, tzinfo=zone) + timedelta(
                days=day, hours=22 + 2 * chance(phone, 2 * day)
            )
            end = begin + timedelta(hours=hours * (0.8 + 0.4 * chance(phone, 2 * day + 1)))
            times = (moment.isoformat(timespec="seconds") for moment in (begin, end))
            yield ",".join((f"phone_{phone + 1}", *times))


def flaky_silos() -> Iterator[str]:
    """Eight silos that are up with chances from 0.3 to 0.98, over 400 rounds."""
    chances = np.linspace(0.3, 0.98, 8)
    yield "round," + ",".join(f"silo_{k}" for k in "abcdefgh")
    for t in range(400):
        yield f"{t + 1}," + ",".join(str(int(chance(k, t) < p)) for k, p in enumerate(chances))


def one_straggler() -> Iterator[str]:
    """Ten machines: nine need about a minute per delivery, one needs ten; over four hours."""
    yield "client,received,returned"
    for machine in range(10):
        now, draw = 0.0, 0
        while now < 4 * 3600:
            took = (600 if machine == 9 else 50 + 2 * machine) * (0.9 + 0.2 * chance(machine, draw))
            yield f"machine_{machine},{now:.1f},{now + took:.1f}"
            now, draw = now + took, draw + 1


EXAMPLES = {
    "diurnal_phones": (diurnal_phones, ["--round-seconds=900"]),
    "flaky_silos": (flaky_silos, []),
    "one_straggler": (one_straggler, ["--target=1/30"]),
}


if __name__ == "__main__":
    for name, (rows, options) in EXAMPLES.items():
        log = HERE / f"{name}.csv"
        log.write_text("\n".join(rows()) + "\n", encoding="utf-8")
        report = [f"--output={HERE / name}.html", f"--weights={HERE / name}.weights.csv"]
        make_app()(["advise", str(log), *options, *report], standalone_mode=False)
