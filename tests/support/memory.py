"""Limits the memory of a block of code, if the system supports it."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def memory_limit(more: int) -> Iterator[None]:
    """Within the block, allocating more than `more` additional bytes of address space raises MemoryError.

    Without ``/proc`` there is no limit.
    """
    pages = Path("/proc/self/statm")
    if not pages.exists():
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    has = int(pages.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
