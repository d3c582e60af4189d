"""End a computation after some processor time, wherever it is."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.25
"""Seconds until the signal is repeated, if the computation has not ended by then."""

CALLBACK = "gc_callback"
"""Hypothesis runs this whenever the interpreter collects garbage; what is raised there is printed
and lost."""


class TimeIsUp(BaseException):
    """The processor time is over; no error, so that nobody who handles errors keeps it."""


@contextmanager
def processor_time(seconds: float | None) -> Iterator[None]:
    """Raise TimeIsUp inside after so many seconds of processor time of this process.

    Signals reach the main thread only, and a timer that somebody else has set stays his: elsewhere
    nothing is raised.

    >>> with processor_time(10):
    ...     print("in time")
    in time
    """
    here = threading.current_thread() is threading.main_thread()
    if seconds is None or not here or signal.getsignal(signal.SIGPROF) is not signal.SIG_DFL:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if frame is None or frame.f_code.co_name != CALLBACK:
            raise TimeIsUp

    signal.signal(signal.SIGPROF, stop)
    # again and again: one that comes inside a callback of the interpreter is lost
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.001), AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
