"""Progress of work that takes more than a second: a bar on standard error, on terminals only, and lines of
the log, if one is kept."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from citewhy.base.log import event
from citewhy.base.progress import Progress
from citewhy.doors.cli.terminal import raw_error_stream, shown

_DELAY = 1.0
"""Seconds after which the bar appears."""


@contextlib.contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress]:
    """Shows the progress that the block reports. Nothing is shown if standard error is a file or a pipe."""
    log = _Logged()
    stream: Any = sys.stderr  # None if it was closed before the start
    if quiet or not (stream and stream.isatty()):
        yield log
        return
    from rich import progress as rich_progress  # large, and only terminals have bars
    from rich.console import Console

    columns = (
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.TimeElapsedColumn(),
    )
    display = rich_progress.Progress(*columns, console=Console(file=raw_error_stream()), transient=True)
    bar = display.add_task("", total=None)
    begun = time.monotonic()

    def progress(what: str, share: float | None) -> None:
        log(what, share)
        if time.monotonic() - begun > _DELAY:
            display.start()
        display.update(
            bar, description=shown(what), total=None if share is None else 1.0, completed=share or 0.0
        )

    try:
        yield progress
    finally:
        display.stop()


class _Logged:
    """A line of the log each second."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _DELAY

    def __call__(self, what: str, share: float | None) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _DELAY
            event("progress", what=what, share=None if share is None else round(share, 4))
