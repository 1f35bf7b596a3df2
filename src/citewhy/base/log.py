"""A log for machines: what a process did, one JSON object a line (https://jsonlines.org).

Every line has `time` (UTC, ISO 8601), `process` (its number), and `event`; docs/observability.md names the
events and what else they say. Nothing of a draft or of a question is written but what a message says. A log
that is not kept costs nothing; a line that cannot be written is lost, and the work goes on.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from citewhy.base.errors import StorageError
from citewhy.base.trace import Stage, listening

__all__ = ["event", "keeping_log", "most_memory"]

_SHORTEST = 0.001
"""Seconds below which a stage is not worth a line."""

_lock = threading.Lock()
_file: TextIO | None = None


def event(name: str, **facts: object) -> None:
    """Writes a line, if a log is kept. The facts are what JSON can say. Thread-safe."""
    if _file is None:
        return
    import json

    now = time.time()
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
    line = json.dumps({"time": when, "process": os.getpid(), "event": name, **facts}) + "\n"
    with _lock, contextlib.suppress(OSError, ValueError):
        if _file is not None:
            _file.write(line)


@contextlib.contextmanager
def keeping_log(file: Path) -> Iterator[None]:
    """Appends the events of what is done within to `file`, stages of the work (`base.trace`) among them.
    Several processes may write to one file. Raises StorageError if it cannot be opened."""
    global _file
    try:
        opened = file.open("a", encoding="utf-8", buffering=1)  # each line is given to the system whole
    except OSError as error:
        why = f"{file}: the log cannot be written ({error.strerror})"
        raise StorageError(why, hint="name a file in a folder that you can write to") from error
    before, _file = _file, opened
    try:
        with listening(_stage_ended):
            yield
    finally:
        with _lock:
            _file = before
        with contextlib.suppress(OSError):
            opened.close()


def most_memory() -> int:
    """The most memory that this process has had at once, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _stage_ended(one: Stage) -> None:
    if one.seconds >= _SHORTEST:
        seconds, own = round(one.seconds, 6), round(one.own, 6)
        event("stage", stage=one.name, seconds=seconds, own=own, thread=one.thread)
