"""The work that a server does at a time: what is too much waits, and what waits too long is refused."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

from citewhy.doors.web.problems import ProblemError

P = ParamSpec("P")
Result = TypeVar("Result")

MOST_WAITING = 64
"""Requests that wait for their turn; more are refused with 429."""

MOST_SECONDS = 60.0
"""Seconds that a request waits for its turn, and that one step of it takes; then it is refused with 503."""

_TURN_SECONDS = 0.02
"""After so long, a turn ends with its present item."""

_LIGHT_THREADS = 4


class Work:
    """Runs what takes long in threads: as many at a time as there are processors, in the order in which they
    came."""

    def __init__(
        self, *, at_a_time: int | None = None, most_waiting: int = MOST_WAITING, seconds: float = MOST_SECONDS
    ) -> None:
        self.at_a_time: Final = at_a_time or max(2, os.cpu_count() or 2)
        self._most_waiting = most_waiting
        self._seconds = seconds
        self._slots = asyncio.Semaphore(self.at_a_time)
        self._threads = ThreadPoolExecutor(self.at_a_time, thread_name_prefix="answer")
        self._light = ThreadPoolExecutor(_LIGHT_THREADS, thread_name_prefix="light")
        self.waiting = 0
        self.running = 0

    def close(self) -> None:
        """Waits for what is running."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._light.shutdown(wait=True, cancel_futures=True)

    async def light(self, function: Callable[P, Result], *given: P.args, **named: P.kwargs) -> Result:
        """Runs what takes no longer than reading a file, without waiting for its turn."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._light, lambda: function(*given, **named))

    async def run(self, function: Callable[P, Result], *given: P.args, **named: P.kwargs) -> Result:
        """Runs a function in its turn. Raises ProblemError if too many wait, or it takes too long."""
        if self.waiting >= self._most_waiting:
            raise ProblemError(429, "too many requests are waiting", hint="try again in a moment")
        await self._turn()
        future = asyncio.get_running_loop().run_in_executor(self._threads, lambda: function(*given, **named))
        self.running += 1
        future.add_done_callback(
            lambda _: self._done()
        )  # a thread cannot be stopped, and has its turn until it ends
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(future)
        future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        raise ProblemError(
            503, f"the answer takes longer than {self._seconds:.0f} seconds", hint="ask for less"
        )

    async def _turn(self) -> None:
        self.waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._slots.acquire()
        except TimeoutError:
            detail = f"no turn came within {self._seconds:.0f} seconds"
            raise ProblemError(503, detail, hint="try again in a moment") from None
        finally:
            self.waiting -= 1

    def _done(self) -> None:
        self.running -= 1
        self._slots.release()

    async def each(self, items: Iterator[Result]) -> AsyncIterator[Result]:
        """The items of an iterator that takes long for some: every such one is a turn, so that nobody waits
        for all of a long draft; what comes at once comes in one turn. Who stops listening stops the work."""

        def some() -> tuple[list[Result], bool]:
            batch: list[Result] = []
            until = time.monotonic() + _TURN_SECONDS
            for item in items:
                batch.append(item)
                if time.monotonic() > until:
                    return batch, True
            return batch, False

        try:
            more = True
            while more:
                batch, more = await self.run(some)
                for item in batch:
                    yield item
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                with contextlib.suppress(ValueError):  # it is running still: it ends with its present step
                    close()
