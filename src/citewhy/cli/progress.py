"""A progress bar on standard error, on terminals only, for work that takes more than a second."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

from citewhy.cli.terminal import raw_error_stream, shown
from citewhy.progress import Tell

__all__ = ["progress_bar"]

_DELAY = 1.0
"""Seconds after which the bar appears."""


@contextlib.contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Tell]:
    """Shows the progress that the block reports. Nothing is written if standard error is a file or a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda _what, _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(file=raw_error_stream()), transient=True)
    bar = progress.add_task("", total=None)
    begun = time.monotonic()

    def tell(what: str, share: float | None) -> None:
        if time.monotonic() - begun > _DELAY:
            progress.start()
        progress.update(
            bar, description=shown(what), total=None if share is None else 1.0, completed=share or 0.0
        )

    try:
        yield tell
    finally:
        progress.stop()
