"""What TEXTBIB learns from: contexts as questions, and what the first stage finds for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from citewhy.config import DEFAULT_SEED
from citewhy.evaluate.datasets.held_out import held_out
from citewhy.evaluate.datasets.local import topic
from citewhy.progress import Tell
from citewhy.records import Alias, Citation, Context, Paper, Query
from citewhy.systems.textbib.shape import Shape
from citewhy.train.collection import canonical_ids, one_each
from citewhy.train.sampling.citation_graph import CitationGraph, Rows
from citewhy.train.sampling.mixes import Mix
from citewhy.train.sampling.negatives import Asked

if TYPE_CHECKING:
    from citewhy.encode import Encoder
    from citewhy.systems.textbib.training import Question

__all__ = ["FirstStage", "Questions", "Regime", "Shelf", "TextBibData", "TextBibSettings"]

Regime = Literal["standard", "strict"]
"""Learn from all contexts, or only from those whose cited paper the first stage found."""

FirstStage = Callable[[Query], Sequence[str]]
"""The ids that the first stage gives for a context, best first. Asked once for each context."""


@dataclass(frozen=True, slots=True)
class TextBibSettings:
    """The recipe's dials; `Shape` has the network's."""

    shape: Shape = field(default_factory=Shape)
    regime: Regime = "strict"
    negatives: Mix = field(default_factory=lambda: Mix.named("prefiltered"))
    epochs: int = 100
    batches: int = 100
    """Steps of an epoch."""
    pairs: int = 30
    """Pairs of a context and a cited paper in a batch; each makes as many triplets as it has negatives."""
    margin: float = 0.2
    learning_rate: float = 2e-3
    """Of the first step; it falls to nothing, linearly."""
    dropout: float = 0.4
    train_words: bool = False
    """Whether word vectors are learned, too; with some thousand pairs they had better stay as they are."""
    clip: float = 1.0
    """Norm that a step's gradients are scaled down to."""
    validate_every: int = 5
    """Epochs between two validations."""
    validated: int = 300
    """Validation contexts that are asked each time, drawn once; all where there are fewer."""
    depth: int = 1000
    """Candidates of the first stage."""
    held_out: bool = True
    """Keep held-out papers (`datasets.held_out`) from training, as right and as wrong answers."""
    seed: int = DEFAULT_SEED


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


class Shelf:
    """Each paper once, under its canonical id."""

    def __init__(self, data: TextBibData) -> None:
        self._canonical = canonical_ids(data.aliases)
        self.all = one_each(data.papers, self.canonical)
        ids = {*(paper.id for paper in data.papers), *self._canonical}
        self.held_out = frozenset(self.canonical(each) for each in ids if held_out(each))

    def canonical(self, paper_id: str) -> str:
        return self._canonical.get(paper_id, paper_id)

    def papers(self, ids: Collection[str]) -> Mapping[str, Paper]:
        return {each: self.all[each] for each in map(self.canonical, ids) if each in self.all}


class Questions:
    """Contexts as questions, with what the first stage finds for them."""

    def __init__(
        self,
        shelf: Shelf,
        graph: CitationGraph,
        first_stage: FirstStage,
        settings: TextBibSettings,
        tell: Tell,
    ) -> None:
        self._shelf = shelf
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
        from citewhy.systems.textbib.training import Question

        drawn = np.random.default_rng(self._settings.seed).permutation(len(contexts))
        questions = []
        for place in sorted(drawn[: self._settings.validated].tolist()):
            query, right = self._question(contexts[place])
            if query.year is not None and right:
                questions.append(Question(query, self._found(query).tolist(), right))
        return questions

    def _question(self, context: Context) -> tuple[Query, list[int]]:
        """With the rows of the cited papers that are there, and not newer."""
        found = topic(context, self._shelf, self._shelf.papers([context.citing_id]))
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
        return self._shelf.canonical(self._graph.papers[row].id) in self._shelf.held_out
