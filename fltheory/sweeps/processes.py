"""Names of processes that outlive them: host, number and start time."""

import os
import socket
from pathlib import Path

GONE = "none"
"""Start time of a process that no longer runs."""


def process_name(pid: int | None = None) -> str:
    """Host, number and start time of a process; numbers are reused, start times are not."""
    number = os.getpid() if pid is None else pid
    return f"{socket.gethostname()}/{number}/{_birth(number)}"


def lives(owner: object) -> bool:
    """Whether the process of that name still runs.

    A process of another machine counts as running: a store belongs to one machine.
    """
    host, pid, birth = (*str(owner).split("/"), "", "")[:3]
    if not (pid.isascii() and pid.isdigit() and len(pid) < 20):
        return False  # not a name that process_name gives
    return host != socket.gethostname() or (birth != GONE and process_name(int(pid)) == owner)


def _birth(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return GONE
    fields = stat.rpartition(")")[2].split()
    return GONE if fields[0] in "ZX" else fields[19]  # a zombie does no work
