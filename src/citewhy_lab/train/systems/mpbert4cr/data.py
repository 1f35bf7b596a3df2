"""Examples for fine-tuning: a query, one of the papers that it cites, and papers cited together with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from citewhy.base.records import Query
from citewhy_lab.train.sampling.co_citations import CitedTogether, CoCitations

__all__ = ["Drawn", "Example", "History", "examples_of"]


@dataclass(frozen=True, slots=True)
class Example:
    """Papers are numbers."""

    query: Query
    target: int
    cited: frozenset[int]
    """All papers that the query cites, the target included."""
    year: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """The other papers of an example in one epoch."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]


def examples_of(query: Query, cited: Iterable[int]) -> list[Example]:
    """One for each of the `cited` papers; none for a query of unknown year."""
    every = frozenset(cited)
    year = query.year
    return [] if year is None else [Example(query, each, every, year) for each in sorted(every)]


class History:
    """Draws positives by co-citations, and negatives by citations, of years before that of an example."""

    def __init__(self, cited_together: Iterable[CitedTogether], papers: Sequence[int], seed: int) -> None:
        """`papers`: what negatives are drawn from where the years before have too few, at least one."""
        self._co_citations = CoCitations(cited_together)
        self._papers = np.array(papers, dtype=np.int64)
        self._seed = seed

    def draw(self, example: Example, positives: int, negatives: int, epoch: int, number: int) -> Drawn:
        """At most so many positives, first the other papers of the sentence, then papers that were cited
        with the target (equation 1); and so many negatives (equation 2), none of which is the target or a
        positive, as long as there are other papers. The same for the same epoch and number of the example."""
        rng = np.random.default_rng((self._seed, epoch, number))
        others = rng.permutation(sorted(example.cited - {example.target})).tolist()[:positives]
        missing = positives - len(others)
        together = self._co_citations.positives(example.target, example.year, missing, rng, example.cited)
        taken = {*example.cited, *together}
        found = self._co_citations.negatives(taken, example.year, negatives, rng)
        if missing := negatives - len(found):
            rest = np.setdiff1d(self._papers, [*taken, *found])
            rest = rest if len(rest) else np.array(found or self._papers)
            found += rng.choice(rest, missing, replace=len(rest) < missing).tolist()
        return Drawn((*others, *together), tuple(found))
