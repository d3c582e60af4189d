"""Attacks on many claims in several processes; if a process dies, only its own claim is affected,
and that claim is named."""

import os
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from multiprocessing.managers import SyncManager
from threading import Thread
from typing import TypeAlias

from fltheory.attacks.campaign import AttackOutcome, AttackTask, News, failed, guarded
from fltheory.core.checked import check_kind
from fltheory.core.errors import InvalidInput

Run = Callable[[AttackTask], AttackOutcome]
Tell = Callable[[News], None]
PoolOf = Callable[[int], ProcessPoolExecutor]
NewsQueue: TypeAlias = queue.Queue[News]

_channel: list[NewsQueue | None] = []
"""The queue to which a worker process reports its progress."""


def begin(parent: int, news: NewsQueue | None = None) -> None:
    """Set up a fresh process: it reports to the queue, and exits when its parent has been
    killed."""
    _channel.append(news)
    Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def in_worker(task: AttackTask) -> AttackOutcome:
    """One attack in a worker process."""
    news = _channel[0]
    assert news is not None
    return guarded(task, tell=news.put)


def run_all(
    tasks: Iterable[AttackTask],
    *,
    jobs: int = 1,
    tell: Tell = lambda news: None,
    run: Run = in_worker,
) -> Iterator[AttackOutcome]:
    """Outcomes in the order of completion; with one job, in this process and in the order of the
    tasks."""
    check_kind("jobs", jobs, int)
    if jobs < 1:
        raise InvalidInput("jobs", "be at least 1", jobs)
    listed = list(tasks)
    if jobs == 1 or len(listed) == 1:
        for task in listed:
            yield guarded(task, tell=tell)
        return
    context = get_context("spawn")
    manager = SyncManager(ctx=context)
    manager.start(begin, (os.getpid(),))
    with manager:
        news = manager.Queue()
        pool_of = partial(
            ProcessPoolExecutor, mp_context=context, initializer=begin, initargs=(os.getpid(), news)
        )
        while listed:
            dropped: list[AttackTask] = []
            yield from _in_pool(pool_of, listed, jobs, run, dropped, lambda: _drain(news, tell))
            for task in dropped:  # one of them ended its process: each gets a process of its own
                yield _alone(pool_of, task, run)


def _in_pool(
    pool_of: PoolOf,
    listed: list[AttackTask],
    jobs: int,
    run: Run,
    dropped: list[AttackTask],
    drain: Callable[[], None],
) -> Iterator[AttackOutcome]:
    """Take tasks from the front of the list, one per process at a time, until the list is empty or
    a process dies; the tasks that were running then are put into `dropped`."""
    with pool_of(jobs) as pool:
        pending: dict[Future[AttackOutcome], AttackTask] = {}
        while listed or pending:
            while listed and len(pending) < jobs and not dropped:
                try:
                    pending[pool.submit(run, listed[0])] = listed[0]
                    listed.pop(0)
                except BrokenProcessPool:  # a process died between two tasks
                    if not pending:
                        dropped.append(listed.pop(0))
                    break
            done, _ = wait_for(pending, timeout=0.5, return_when="FIRST_COMPLETED")
            drain()
            for one in done:
                task = pending.pop(one)
                try:
                    yield one.result()
                except BrokenProcessPool:
                    dropped.append(task)
            if dropped and not pending:
                return


def _alone(pool_of: PoolOf, task: AttackTask, run: Run) -> AttackOutcome:
    with pool_of(1) as pool:
        try:
            return pool.submit(run, task).result()
        except BrokenProcessPool:
            return failed(task, "its process died (out of memory, or killed)")


def _drain(news: NewsQueue, tell: Tell) -> None:
    while True:
        try:
            tell(news.get_nowait())
        except queue.Empty:
            return
