"""The inputs of the TEXTBIB network: numbers of words and authors, citation counts; as tensors for
batches."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.records import Paper, Query
from citewhy_lab.train.reranking.words import TARGET, UNKNOWN, Numbered, author_keys, tokens
from citewhy_lab.train.systems.textbib.network import Contexts, Ragged
from citewhy_lab.train.systems.textbib.settings import TextBibShape

MOST_AUTHORS = 8
"""Authors of a paper that are read, the first ones."""


@functools.lru_cache(maxsize=20_000)
def paper_words(title: str, abstract: str, function_words: bool = False) -> tuple[str, ...]:
    """Cached: a training needs the same papers again and again."""
    return tuple(tokens(f"{title} {abstract}", function_words))


def counts(cited_in: Sequence[NDArray[np.int16]], year: int | None, recent: int) -> NDArray[np.float32]:
    """[n, 2] ln(1 + citations): all, and those of the last `recent` years before `year`. A `year` of None is
    the year after the newest citation of all candidates."""
    sizes = [len(years) for years in cited_in]
    flat = np.concatenate([np.zeros(0, dtype=np.int16), *cited_in])
    now = year if year is not None else 1 + int(flat.max(initial=0))
    late = np.bincount(
        np.repeat(np.arange(len(sizes)), sizes), weights=flat >= now - recent, minlength=len(sizes)
    )
    logarithms: NDArray[np.float32] = np.log1p(np.stack([sizes, late], axis=1)).astype(np.float32)
    return logarithms


@dataclass(frozen=True, slots=True)
class Reader:
    """The vocabulary: words and authors that have vectors; all others are `UNKNOWN`."""

    words: Numbered
    authors: Numbered
    shape: TextBibShape

    @classmethod
    def of(cls, papers: Sequence[Paper], contexts: Iterable[str], shape: TextBibShape) -> Reader:
        """Words and authors that occur at least twice."""
        texts = [paper_words(paper.title, paper.abstract, shape.function_words) for paper in papers]
        texts += [tuple(tokens(text, shape.function_words)) for text in contexts]
        return cls(
            Numbered.of(texts, always=(TARGET,)),
            Numbered.of([author_keys(paper, MOST_AUTHORS) for paper in papers]),
            shape,
        )

    def context(self, text: str) -> list[int]:
        """The words around ``TARGETCIT``; a text without one has it appended."""
        words = tokens(text, self.shape.function_words)
        if TARGET not in words:
            words = [*words[-self.shape.context_tokens + 1 :], TARGET]
        size = self.shape.context_tokens
        first = min(max(words.index(TARGET) - size // 2, 0), max(len(words) - size, 0))
        return self.words(words[first : first + size])

    def citing(self, query: Query) -> list[int]:
        return self._text(query.title, query.abstract)

    def paper(self, paper: Paper) -> list[int]:
        return self._text(paper.title, paper.abstract)

    def people(self, paper: Paper) -> list[int]:
        """Numbers of the authors, at least one."""
        return self.authors(author_keys(paper, MOST_AUTHORS)) or [UNKNOWN]

    def target(self, numbers: Sequence[int]) -> list[bool]:
        """Which words of a context are ``TARGETCIT``."""
        (wanted,) = self.words([TARGET])
        return [number == wanted for number in numbers]

    def _text(self, title: str, abstract: str) -> list[int]:
        read = paper_words(title, abstract, self.shape.function_words)
        return self.words(read[: self.shape.paper_tokens]) or [UNKNOWN]


class Texts:
    """Tokens and years of the contexts, tokens and authors of the papers of the graph; computed once."""

    def __init__(self, reader: Reader, queries: Sequence[Query], papers: Sequence[Paper]) -> None:
        self.years = [query.year or 0 for query in queries]
        self._contexts = [reader.context(query.text) for query in queries]
        self._targets = [reader.target(numbers) for numbers in self._contexts]
        self._citing = [reader.citing(query) for query in queries]
        self._papers = [reader.paper(paper) for paper in papers]
        self._authors = padded([reader.people(paper) for paper in papers])

    def contexts(self, numbers: Sequence[int]) -> Contexts:
        """The contexts with these numbers."""
        return Contexts(
            Ragged.of([self._contexts[number] for number in numbers]),
            torch.tensor([target for number in numbers for target in self._targets[number]]),
            Ragged.of([self._citing[number] for number in numbers]),
        )

    def papers(self, rows: Sequence[int]) -> tuple[Ragged, Tensor]:
        """The tokens and the authors of the papers in these rows."""
        return Ragged.of([self._papers[row] for row in rows]), self._authors[list(rows)]


def padded(lists: Sequence[Sequence[int]]) -> Tensor:
    """[n, longest], filled up with -1."""
    table = np.full((len(lists), max(map(len, lists))), -1, dtype=np.int64)
    for row, each in zip(table, lists, strict=True):
        row[: len(each)] = each
    return torch.from_numpy(table)
