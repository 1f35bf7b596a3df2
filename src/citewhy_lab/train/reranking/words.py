"""The tokens of a text, and vocabularies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Paper
from citewhy.text.tokens import STOP_WORDS, fold, words

TARGET, OTHER = "TARGETCIT", "OTHERCIT"

_PLACEHOLDER = re.compile(f"({TARGET}|{OTHER})")

UNKNOWN = 0
"""The number of every out-of-vocabulary word or author."""


def tokens(text: str, function_words: bool = False) -> list[str]:
    """Returns words in order, in lower case; function words are left out unless they are wanted, citation
    placeholders stay as they are.

    >>> tokens("Phrase tables as in TARGETCIT and others")
    ['phrase', 'tables', 'TARGETCIT', 'others']
    """
    left_out: Collection[str] = () if function_words else STOP_WORDS
    words_in_order: list[str] = []
    for part in _PLACEHOLDER.split(text):
        words_in_order += (
            [part] if part in (TARGET, OTHER) else [word for word in words(part) if word not in left_out]
        )
    return words_in_order


def author_keys(paper: Paper, most: int) -> list[str]:
    """Returns the first `most` authors, without case and accents."""
    return [fold(name) for name in paper.authors[:most]]


def padded(lists: Sequence[Sequence[int]], least: int = 1) -> NDArray[np.int64]:
    """[n, longest] numbers, filled up with -1, in `least` columns or more."""
    table = np.full((len(lists), max(least, *map(len, lists))), -1, dtype=np.int64)
    for row, numbers in zip(table, lists, strict=True):
        row[: len(numbers)] = numbers
    return table


class Numbered:
    """A vocabulary: names are numbered from 1, `UNKNOWN` is the number of all others."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._number = {name: number for number, name in enumerate(self.names, 1)}

    @classmethod
    def of(cls, seen: Iterable[Iterable[str]], least: int = 2, always: Sequence[str] = ()) -> Numbered:
        """Names that occur `least` times or more; the rarer ones train the vector of unknown names."""
        counts = Counter(name for names in seen for name in names)
        return cls(
            [*always, *sorted(name for name, n in counts.items() if n >= least and name not in always)]
        )

    def __len__(self) -> int:
        """Returns rows of an embedding table, the unknown one included."""
        return 1 + len(self.names)

    def __call__(self, names: Iterable[str]) -> list[int]:
        return [self._number.get(name, UNKNOWN) for name in names]
