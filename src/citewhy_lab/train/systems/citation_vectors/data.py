"""What the baselines learn from: text, and sentences that cite numbered papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.train.reranking.words import OTHER, TARGET, tokens

__all__ = ["CitingSentence", "Corpus", "Question", "by_cosine", "paper_token", "with_papers", "words_of"]


@dataclass(frozen=True, slots=True)
class Question:
    """A manuscript at a citation."""

    text: str
    """The citing sentence and its neighbours, with the placeholder of the citation."""
    section: str = ""
    known: tuple[int, ...] = ()
    """Other papers that the manuscript cites."""


@dataclass(frozen=True, slots=True)
class CitingSentence(Question):
    """A question with its answers."""

    citing: int = -1
    """The citing paper; -1 if it is none of the numbered ones."""
    cited: tuple[int, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Corpus:
    """Training data."""

    papers: Sequence[str]
    """The text of each numbered paper."""
    sentences: Sequence[str]
    """Further running text."""
    citations: Sequence[CitingSentence]


def words_of(text: str) -> list[str]:
    """Without placeholders and function words."""
    return [each for each in tokens(text) if each not in (TARGET, OTHER)]


def paper_token(row: int) -> str:
    """The word that stands for a paper in running text."""
    return f"paper:{row}"


def with_papers(each: CitingSentence) -> list[str]:
    """The words of a citing sentence, with those of the cited papers in place of the first placeholder."""
    found = tokens(each.text)
    place = found.index(TARGET) if TARGET in found else len(found)
    cited = [paper_token(row) for row in each.cited]
    rest = [word for word in found[place:] if word not in (TARGET, OTHER)]
    return [*(word for word in found[:place] if word != OTHER), *cited, *rest]


def by_cosine(queries: NDArray[np.float32], papers: NDArray[np.float32]) -> NDArray[np.float32]:
    """[n, p] cosines; -inf for papers whose vector is zero, which are not known."""
    cosines: NDArray[np.float32] = _unit(queries) @ _unit(papers).T
    cosines[:, ~papers.any(axis=1)] = -np.inf
    return cosines


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (vectors / np.where(lengths, lengths, 1)).astype(np.float32)
    return unit
