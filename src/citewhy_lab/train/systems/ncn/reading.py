"""The inputs of the NCN network: numbers of words and authors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from citewhy.base.records import Paper, Query
from citewhy_lab.train.reranking.words import OTHER, TARGET, UNKNOWN, Numbered, author_keys, tokens
from citewhy_lab.train.systems.ncn.network import Contexts, Titles
from citewhy_lab.train.systems.ncn.settings import NcnShape

__all__ = ["Reader"]


@dataclass(frozen=True, slots=True)
class Reader:
    """Three vocabularies; what is in none of them is `UNKNOWN`."""

    words: Numbered
    """Of contexts."""
    titles: Numbered
    authors: Numbered
    shape: NcnShape

    @classmethod
    def of(cls, papers: Sequence[Paper], queries: Sequence[Query], shape: NcnShape) -> Reader:
        """The most frequent words and authors, each occurring at least twice."""
        titles = [_title(paper) for paper in papers]
        authors = [author_keys(paper, shape.authors) for paper in papers]
        contexts = [tokens(query.text, function_words=True) for query in queries]
        return cls(
            _frequent(contexts, shape.vocabulary, always=(TARGET,)),
            _frequent(titles, shape.vocabulary),
            _frequent(authors, shape.vocabulary),
            shape,
        )

    def contexts(self, queries: Sequence[Query]) -> Contexts:
        """The words around the first ``TARGETCIT``, of which the placeholders are left out."""
        people = [self._people(Paper("", "", authors=query.authors)) for query in queries]
        return Contexts(
            _padded([self._context(query.text) for query in queries], self.shape.context_tokens),
            _padded(people, self.shape.authors),
        )

    def candidates(self, papers: Sequence[Paper], context: Tensor) -> Titles:
        """`context` [m] places in the contexts."""
        return Titles(
            _padded([self.title(paper) for paper in papers], self.shape.title_tokens),
            _padded([self._people(paper) for paper in papers], self.shape.authors),
            context,
        )

    def title(self, paper: Paper) -> list[int]:
        """Numbers of the words of a title, at least one."""
        return self.titles(_title(paper)[: self.shape.title_tokens]) or [UNKNOWN]

    def _context(self, text: str) -> list[int]:
        found = tokens(text, function_words=True)
        target = found.index(TARGET) if TARGET in found else len(found)
        there = [place for place, word in enumerate(found) if word not in (TARGET, OTHER)]
        size = self.shape.context_tokens
        before = sum(place < target for place in there)
        first = min(max(before - size // 2, 0), max(len(there) - size, 0))
        return self.words(found[place] for place in there[first : first + size])

    def _people(self, paper: Paper) -> list[int]:
        return self.authors(author_keys(paper, self.shape.authors))


def _title(paper: Paper) -> list[str]:
    return tokens(paper.title, function_words=True)


def _frequent(seen: Iterable[Sequence[str]], most: int, always: Sequence[str] = ()) -> Numbered:
    """At most `most` names that occur twice or more, the most frequent ones."""
    counts = Counter(name for each in seen for name in each if name not in always)
    often = [name for name, count in counts.items() if count > 1]
    ranked = sorted(often, key=lambda name: (-counts[name], name))
    return Numbered([*always, *ranked[:most]])


def _padded(lists: Sequence[Sequence[int]], length: int) -> Tensor:
    """[n, length], filled up with -1."""
    table = np.full((len(lists), length), -1, dtype=np.int64)
    for row, each in zip(table, lists, strict=True):
        row[: len(each)] = each
    return torch.from_numpy(table)
