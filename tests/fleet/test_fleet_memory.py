"""A limit on memory while a Parquet file is read."""

import subprocess
import sys


def test_a_limit_on_memory_bites_and_is_lifted() -> None:
    """In a process of its own: one that has freed much memory may use it again below any limit."""
    program = """
import resource
from fltheory.fleet.parquet import memory_of
before = resource.getrlimit(resource.RLIMIT_DATA)
try:
    with memory_of(1 << 20):
        bytes(1 << 28)
except MemoryError:
    print(len(bytes(1 << 28)) == 1 << 28, resource.getrlimit(resource.RLIMIT_DATA) == before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True"], done.stderr
