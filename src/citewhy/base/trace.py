"""Where the time of a command goes: stages of the work, measured where they are named.

Nothing is measured unless somebody asks (`tracing`); a stage that nobody measures costs less than a
microsecond.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ParamSpec, TypeVar

from citewhy.base.errors import StorageError

__all__ = ["Ended", "Stage", "Trace", "listening", "stage", "traced", "tracing"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the work that has ended."""

    name: str
    start: float
    """Seconds on the clock of `time.perf_counter`."""
    seconds: float
    own: float
    """The seconds that are not those of stages within it."""
    thread: int


Ended = Callable[[Stage], None]
"""Called with each stage that ends, in the thread in which it ends."""


@dataclass(slots=True)
class Trace:
    """The stages of all threads of this process, in the order in which they ended."""

    stages: list[Stage] = field(default_factory=list)
    begun: float = field(default_factory=time.perf_counter)

    def chrome(self) -> str:
        """The stages as a document of the Trace Event Format, which Chrome (chrome://tracing) and Perfetto
        show: complete events, times in microseconds."""
        import json

        events = [
            {
                "name": one.name,
                "ph": "X",
                "ts": round((one.start - self.begun) * 1e6),
                "dur": round(one.seconds * 1e6),
                "pid": os.getpid(),
                "tid": one.thread,
            }
            for one in self.stages
        ]
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})

    def table(self) -> str:
        """The stages by the time that they took without those within them, longest first: how often, all
        their seconds, and their own, in milliseconds."""
        names: dict[str, list[Stage]] = defaultdict(list)
        for one in self.stages:
            names[one.name].append(one)
        rows = sorted(names.items(), key=lambda row: -sum(one.own for one in row[1]))
        lines = [f"{'stage':44}{'times':>7}{'with parts':>14}{'alone':>12}"]
        lines += [
            f"{name[:43]:44}{len(some):>7,}{sum(one.seconds for one in some) * 1e3:>11,.1f} ms"
            f"{sum(one.own for one in some) * 1e3:>9,.1f} ms"
            for name, some in rows
        ]
        return "\n".join(lines)


_told: tuple[Ended, ...] = ()


class _Open(threading.local):
    """Of each thread, the seconds of the stages within each stage that has not ended."""

    def __init__(self) -> None:
        self.within: list[float] = []


_open = _Open()


def stage(name: str) -> contextlib.AbstractContextManager[None]:
    """Names what is done within as a stage of the work."""
    return _measured(name) if _told else contextlib.nullcontext()


def traced(name: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Names a function as a stage of the work."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def within(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            if not _told:
                return function(*args, **kwargs)
            with _measured(name):
                return function(*args, **kwargs)

        return within

    return decorate


@contextlib.contextmanager
def _measured(name: str) -> Iterator[None]:
    """Measures what is done within, also if it fails."""
    within = _open.within
    within.append(0.0)
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds = time.perf_counter() - start
        own = seconds - within.pop()
        if within:
            within[-1] += seconds
        ended = Stage(name, start, seconds, own, threading.get_ident())
        for told in _told:
            told(ended)


@contextlib.contextmanager
def listening(told: Ended) -> Iterator[None]:
    """Tells `told` of each stage that ends within, in any thread of this process."""
    global _told
    before, _told = _told, (*_told, told)
    try:
        yield
    finally:
        _told = before


@contextlib.contextmanager
def tracing(file: Path, told: Callable[[str], None]) -> Iterator[Trace]:
    """Measures the stages of what is done within. At the end, also if it fails, the trace is written to
    `file` (`Trace.chrome`), and its table `told`. Raises StorageError if the file cannot be written."""
    trace, failed = Trace(), True
    try:
        with listening(trace.stages.append):
            yield trace
        failed = False
    finally:
        told(trace.table())
        try:
            file.write_text(trace.chrome(), encoding="utf-8")
        except OSError as error:
            if not failed:  # else the command's own error is told
                why = f"{file}: the trace cannot be written ({error.strerror})"
                raise StorageError(why) from error
