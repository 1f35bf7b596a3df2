"""Contexts and papers as tensors, from which TEXTBIB's batches are made."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from citewhy.base.records import Paper, Query
from citewhy_lab.train.systems.textbib.network import Contexts
from citewhy_lab.train.systems.textbib.ragged import Ragged
from citewhy_lab.train.systems.textbib.reading import Reader
from citewhy_lab.train.systems.textbib.scorer import padded

__all__ = ["Texts"]


class Texts:
    """Tokens and years of the contexts, tokens and authors of the papers of the graph; computed once."""

    def __init__(self, reader: Reader, queries: Sequence[Query], papers: Sequence[Paper]) -> None:
        self.years = [query.year or 0 for query in queries]
        self._contexts = [reader.context(query.text) for query in queries]
        self._targets = [reader.target(numbers) for numbers in self._contexts]
        self._citing = [reader.citing(query) for query in queries]
        self._papers = [reader.paper(paper) for paper in papers]
        self._authors = padded([reader.people(paper) for paper in papers])

    def contexts(self, places: Sequence[int]) -> Contexts:
        return Contexts(
            Ragged.of([self._contexts[place] for place in places]),
            torch.tensor([each for place in places for each in self._targets[place]]),
            Ragged.of([self._citing[place] for place in places]),
        )

    def papers(self, rows: Sequence[int]) -> tuple[Ragged, Tensor]:
        return Ragged.of([self._papers[row] for row in rows]), self._authors[list(rows)]
