"""What TEXTBIB learns from: contexts as questions, and what the first stage finds for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citewhy.evaluate.datasets.local import topic
from citewhy.progress import Tell
from citewhy.records import Alias, Citation, Context, Paper, Query
from citewhy.systems.textbib.settings import TextBibSettings
from citewhy.train.collection import KnownPapers
from citewhy.train.sampling.citation_graph import CitationGraph, Rows
from citewhy.train.sampling.negatives import Asked

if TYPE_CHECKING:
    from citewhy.encode import Encoder

__all__ = ["FirstStage", "Question", "Questions", "TextBibData"]

FirstStage = Callable[[Query], Sequence[str]]
"""The ids that the first stage gives for a context, best first. Asked once for each context."""


@dataclass(frozen=True, slots=True)
class TextBibData:
    """What is learned from. Any id of a paper may stand anywhere; `aliases` say which are the same."""

    papers: Sequence[Paper]
    train: Sequence[Context]
    val: Sequence[Context]
    citations: Sequence[Citation]
    """Who cites whom; citing sentences of `train` are added. A citation counts from the year after its
    own, so that later ones may be among them."""
    first_stage: FirstStage
    aliases: Sequence[Alias] = ()
    vectors: Path | None = None
    """Word vectors as text, word2vec or GloVe; None: made from the papers' own words."""
    encoder: Encoder | None = None
    """Joins what it makes of each word to the vectors from the papers' own words; None: these alone."""


@dataclass(frozen=True, slots=True)
class Question:
    """A validation context: `found` are rows of the first stage's candidates, `right` of the cited papers."""

    query: Query
    found: Sequence[int]
    right: Sequence[int]


class Questions:
    """Contexts as questions, with what the first stage finds for them."""

    def __init__(
        self,
        papers: KnownPapers,
        graph: CitationGraph,
        first_stage: FirstStage,
        settings: TextBibSettings,
        tell: Tell,
    ) -> None:
        self._papers = papers
        self._graph = graph
        self._first_stage = first_stage
        self._settings = settings
        self._tell = tell
        self.missed = 0
        """Pairs to learn from whose cited paper the first stage did not find."""

    def to_learn(self, contexts: Sequence[Context]) -> tuple[list[Asked], list[Query]]:
        """Those with a year and a pair, by the regime; asked and query in the same order."""
        learned: list[tuple[Asked, Query]] = []
        for done, context in enumerate(contexts):
            self._tell("asking the first stage", done / len(contexts))
            query, right = self._question(context)
            if query.year is None or not right:
                continue
            found = self._found(query)
            taught = [row for row in right if not (self._settings.held_out and self._held_out(row))]
            there = [row for row in taught if row in found]
            self.missed += len(taught) - len(there)
            if taught := there if self._settings.regime == "strict" else taught:
                learned.append((Asked(query.citing_id, query.year, right, taught, found), query))
        return [asked for asked, _ in learned], [query for _, query in learned]

    def to_validate(self, contexts: Sequence[Context]) -> list[Question]:
        drawn = np.random.default_rng(self._settings.seed).permutation(len(contexts))
        questions = []
        for place in sorted(drawn[: self._settings.validated].tolist()):
            query, right = self._question(contexts[place])
            if query.year is not None and right:
                questions.append(Question(query, self._found(query).tolist(), right))
        return questions

    def _question(self, context: Context) -> tuple[Query, list[int]]:
        """With the rows of the cited papers that are there, and not newer."""
        found = topic(context, self._papers, self._papers.papers([context.citing_id]))
        rows = [row for each in found.relevant if (row := self._graph.row(each)) is not None]
        last = (
            len(self._graph.papers) if found.query.year is None else self._graph.not_newer(found.query.year)
        )
        return found.query, [row for row in rows if row < last]

    def _found(self, query: Query) -> Rows:
        rows = (self._graph.row(each) for each in self._first_stage(query))
        found = list(dict.fromkeys(row for row in rows if row is not None))[: self._settings.depth]
        return np.array(found, dtype=np.int64)

    def _held_out(self, row: int) -> bool:
        return self._papers.canonical(self._graph.papers[row].id) in self._papers.held_out
