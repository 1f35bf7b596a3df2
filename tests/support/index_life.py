"""A process that updates the index of a growing library; tests kill it, limit its memory, or run it in
parallel.

    python index_life.py FOLDER grow FIRST    adds batches FIRST, FIRST + 1, …, and indexes each
    python index_life.py FOLDER answer        for each line of standard input, opens everything anew

`grow` writes ``added N`` and ``indexed N``, `answer` a digest of the contents of the index.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from pathlib import Path

from small_library import context, index_contents, paper

from citewhy.base.errors import CiteWhyError
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.search.index.opened import Index

REFUSED = 3
"""Exit status after a CiteWhyError."""

WORDS = ["tree", "bank", "error", "rate", "model", "corpu"]


def batch(number: int) -> list[Record]:
    """Ten papers, changes of two older ones, and sentences that cite both."""
    chance = random.Random(number)

    def words() -> str:
        return " ".join(chance.choices(WORDS, k=8))

    records: list[Record] = []
    for place in range(12):
        name = f"p{number * 10 + place}" if place < 10 else f"p{chance.randrange(number * 10 + 1)}"
        records.append(paper(name, f"{words()} {number} {place}", words(), 1990 + number % 20))
        records.append(context(f"c{number} {place}", name, f"p{chance.randrange(number * 10 + 10)}", words()))
    return records


def digest(index: Index) -> str:
    return hashlib.sha256(repr(sorted(index_contents(index, WORDS).items())).encode()).hexdigest()


def grow(folder: Path, first: int) -> None:
    with Library.open(folder, create=True) as library:
        for number in range(first, first + 1000):
            library.add(batch(number))
            os.write(1, f"added {number}\n".encode())
            open_index(library)
            os.write(1, f"indexed {number}\n".encode())


def answer(folder: Path) -> None:
    os.write(1, b"ready\n")
    for _ in sys.stdin:
        with Library.open(folder) as library:
            os.write(1, f"{digest(open_index(library))}\n".encode())


def main() -> None:
    folder, what, *rest = sys.argv[1:]
    try:
        if what == "grow":
            grow(Path(folder), int(rest[0]))
        else:
            answer(Path(folder))
    except CiteWhyError as error:
        os.write(2, f"{type(error).__name__}: {error}".encode())
        sys.exit(REFUSED)


if __name__ == "__main__":
    main()
