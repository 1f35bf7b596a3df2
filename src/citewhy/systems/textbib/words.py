"""Words as networks read them: a text's words in order, their numbers, and vectors to begin with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.errors import InputError
from citewhy.text.source import open_lines
from citewhy.text.tokens import STOP_WORDS, words

__all__ = ["OTHER", "TARGET", "UNKNOWN", "Numbered", "read_vectors", "tokens", "vector_size"]

TARGET, OTHER = "TARGETCIT", "OTHERCIT"

_PLACEHOLDER = re.compile(f"({TARGET}|{OTHER})")

UNKNOWN = 0
"""The number of every word, or author, that was too rare in training to have its own."""


def tokens(text: str) -> list[str]:
    """Words in order, folded; function words are left out, placeholders of citations stay as they are.

    >>> tokens("Phrase tables as in TARGETCIT and others")
    ['phrase', 'tables', 'TARGETCIT', 'others']
    """
    found: list[str] = []
    for part in _PLACEHOLDER.split(text):
        found += (
            [part] if part in (TARGET, OTHER) else [word for word in words(part) if word not in STOP_WORDS]
        )
    return found


class Numbered:
    """Names and their numbers from 1; `UNKNOWN` is the number of all others."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._number = {name: number for number, name in enumerate(self.names, 1)}

    @classmethod
    def of(cls, seen: Iterable[Iterable[str]], least: int = 2, always: Sequence[str] = ()) -> Numbered:
        """Those that are seen `least` times: a rarer one teaches what an unknown one is like."""
        counts = Counter(name for each in seen for name in each)
        return cls(
            [*always, *sorted(name for name, n in counts.items() if n >= least and name not in always)]
        )

    def __len__(self) -> int:
        """Rows of a table by number, the unknown one included."""
        return 1 + len(self.names)

    def __call__(self, names: Iterable[str]) -> list[int]:
        return [self._number.get(name, UNKNOWN) for name in names]


def vector_size(path: Path) -> int:
    """Numbers in a vector of a file for `read_vectors`. Raises InputError where there is none."""
    for number, line in open_lines(path):
        parts = line.split()
        if not _is_header(number, parts):
            return len(parts[1:])
    raise InputError("no word vectors are in this file", path=path, hint="give word2vec or GloVe as text")


def read_vectors(path: Path, numbered: Numbered, size: int) -> NDArray[np.float32]:
    """[len(numbered), size] from a text file of word2vec (with a header) or GloVe (without); rows of words
    that the file does not have are zero.

    Raises InputError with file and line for a vector of another size, or one that is no vector.
    """
    table = np.zeros((len(numbered), size), dtype=np.float32)
    for number, line in open_lines(path):
        word, *values = line.rstrip().split(" ")
        if _is_header(number, [word, *values]):
            continue
        if len(values) != size:
            raise InputError(
                f"a vector of {len(values)} numbers, expected {size}",
                path=path,
                line=number,
                hint="ask for vectors of the file's size, or give another file",
            )
        (row,) = numbered([word])
        if row != UNKNOWN:
            try:
                table[row] = np.array(values, dtype=np.float32)
            except ValueError as error:
                raise InputError("not a vector of numbers", path=path, line=number) from error
    if not table.any():
        raise InputError("no word of the papers is in this file", path=path, hint="give vectors of words")
    return table


def _is_header(number: int, parts: Sequence[str]) -> bool:
    """Of word2vec: how many vectors, of which size."""
    return number == 1 and len(parts) == 2 and parts[0].isdecimal()
