"""A bar on standard error: for people only, and only for what takes over a second."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

__all__ = ["Tell", "encoding", "progress_bar"]

Tell = Callable[[str, float | None], None]
"""What is being done, and the share of it that is done, in [0, 1]; None where nobody knows."""

_PATIENCE = 1.0


@contextlib.contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Tell]:
    """Shows what the block tells. Nothing is shown to a file or a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda _what, _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    bar = progress.add_task("", total=None)
    begun = time.monotonic()

    def tell(what: str, share: float | None) -> None:
        if time.monotonic() - begun > _PATIENCE:
            progress.start()
        progress.update(bar, description=what, total=None if share is None else 1.0, completed=share or 0.0)

    try:
        yield tell
    finally:
        progress.stop()


def encoding(tell: Tell) -> Callable[[int, int], None]:
    """Tells how many papers are encoded, and how fast."""
    begun, first = time.monotonic(), -1

    def told(done: int, everything: int) -> None:
        nonlocal begun, first
        if first < 0:
            begun, first = time.monotonic(), done  # what was in the cache says nothing about speed
        passed = time.monotonic() - begun
        speed = f", {(done - first) / passed:,.0f} a second" if done > first and passed > 0 else ""
        tell(f"encoding {done:,} of {everything:,} papers{speed}", done / max(everything, 1))

    return told
