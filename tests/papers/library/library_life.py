"""A process that changes a library step by step; tests kill it, limit its files, or observe it.

    python library_life.py FOLDER SEED FIRST STEPS [HANDLES]

makes the steps FIRST, FIRST + 1, … and writes a line to standard output when each is done, with no more than
HANDLES further files open. The library after n steps depends only on the seed (`expected`).
"""

from __future__ import annotations

import functools
import os
import random
import resource
import sys
from dataclasses import replace
from pathlib import Path

from library_world import BATCH, batch, paper

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Paper
from citewhy.papers.library.store import Library

REFUSED = 3
"""Exit status after a CiteWhyError."""


def step(library: Library, seed: int, number: int) -> None:
    """Adds a batch; or, every third step, updates an older one; or, every fifth, removes half of one."""
    old = _older(seed, number)
    if number % 5 == 4:
        library.remove([f"P{old * BATCH:04}", f"P{old * BATCH + 1:04}"])
    elif number % 3 == 2:
        library.add(_update(old, number))
    else:
        library.add(batch(number))


def expected(seed: int, steps: int) -> dict[str, Paper]:
    """The papers after the given number of steps."""
    papers: dict[str, Paper] = {}
    for number in range(steps):
        old = _older(seed, number)
        if number % 5 == 4:
            del papers[f"P{old * BATCH:04}"], papers[f"P{old * BATCH + 1:04}"]
        elif number % 3 == 2:
            papers.update((each.id, each) for each in _update(old, number))
        else:
            papers.update((each.id, each) for each in batch(number) if isinstance(each, Paper))
    return papers


def _update(old: int, number: int) -> list[Paper]:
    first = old * BATCH
    return [
        replace(paper(each), abstract=f"Changed in step {number}.") for each in range(first, first + BATCH)
    ]


@functools.cache
def _older(seed: int, number: int) -> int:
    """A batch that was added before the step, and that no other step removes from."""
    added = [each for each in range(number) if each % 5 != 4 and each % 3 != 2]
    removed = [_older(seed, each) for each in range(4, number, 5)] if number % 5 == 4 else []
    choices = [each for each in added if each not in removed] or added
    return random.Random(f"{seed} {number}").choice(choices) if choices else 0


def main() -> None:
    folder, seed, first, steps = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    if sys.argv[5:]:
        _spare_handles(int(sys.argv[5]))
    try:
        with Library.open(folder, create=True) as library:
            os.write(1, b"open\n")
            for number in range(first, first + steps):
                step(library, seed, number)
                os.write(1, f"{number}\n".encode())
    except CiteWhyError as error:
        os.write(2, f"{type(error).__name__}: {error}".encode())
        sys.exit(REFUSED)


def _spare_handles(count: int) -> None:
    next_handle = os.dup(0)
    os.close(next_handle)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next_handle + count, next_handle + count))


if __name__ == "__main__":
    main()
