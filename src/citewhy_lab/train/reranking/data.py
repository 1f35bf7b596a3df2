"""Training data of rerankers: contexts as queries, with the candidates of the first stage."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from citewhy.base.progress import Progress
from citewhy.base.records import Alias, Citation, Context, FullText, Paper, Query
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.datasets.local import topic
from citewhy_lab.train.collection import Collection, KnownPapers
from citewhy_lab.train.recipe import Regime, RerankerInputs, checkpoints
from citewhy_lab.train.sampling.citation_graph import CitationGraph, Rows, edges
from citewhy_lab.train.sampling.negatives import Asked

if TYPE_CHECKING:
    from citewhy.search.encode import Encoder

FirstStage = Callable[[Query], Sequence[str]]
"""The ids of the first stage's candidates for a context, best first. Called once for each context."""


class Asking(Protocol):
    """The settings of a training that say what is asked."""

    @property
    def regime(self) -> Regime: ...

    @property
    def held_out(self) -> bool:
        """Keep held-out papers (`evaluate.datasets.held_out`) from training."""
        ...

    @property
    def validated(self) -> int:
        """Validation contexts that are asked each time, drawn once; all where there are fewer."""
        ...

    @property
    def depth(self) -> int:
        """Candidates of the first stage."""
        ...

    @property
    def seed(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RerankingData:
    """The data of one training. Papers may be named by any of their ids; `aliases` say which are the same."""

    papers: Sequence[Paper]
    train: Sequence[Context]
    val: Sequence[Context]
    citations: Sequence[Citation]
    """The citation graph, to which the contexts of `train` are added. Citations count as of a query's year,
    so that later ones may be among them."""
    first_stage: FirstStage
    aliases: Sequence[Alias] = ()
    pipeline: str = "bm25"
    """The name of the first stage, for which a weight is chosen."""
    others: Mapping[str, FirstStage] = field(default_factory=dict)
    """Orders of other pipelines by name, for which weights are chosen, too."""
    vectors: Path | None = None
    """Word vectors as text, word2vec or GloVe; None: made from the papers' own words."""
    encoder: Encoder | None = None
    """Its vectors of the words are joined to those from the papers' own words (TEXTBIB), or those of
    sentences replace the lower level of the network (MP-BERT4CR); None: neither."""
    full_texts: Mapping[str, FullText] = field(default_factory=dict)
    """Full texts by paper id, of any papers, for networks that read them."""
    until: int | None = None
    """The last year of `train`, for people; None: it is not told."""


@contextlib.contextmanager
def opened(
    inputs: RerankerInputs | RerankingData, depth: int, out: Path, progress: Progress
) -> Iterator[RerankingData]:
    """Yields the training data of a reranker `out` that reranks `depth` candidates; data that are there
    already are used as they are."""
    if isinstance(inputs, RerankingData):
        yield inputs
        return
    progress("reading the data", None)
    collection = Collection(inputs.data)
    learned, validated = collection.split(inputs.until)
    with contextlib.ExitStack() as open_libraries:
        first_stage = open_libraries.enter_context(_first_stage(collection, checkpoints(out), progress))
        others = {}
        if inputs.library is not None:
            served = Recommender(open_libraries.enter_context(Library.open(inputs.library)), "full")
            others["full"] = functools.partial(_ids, served, depth)
        yield RerankingData(
            papers=list(collection.papers.values()),
            train=learned,
            val=validated,
            citations=collection.citations,
            first_stage=functools.partial(_ids, first_stage, depth),
            aliases=collection.aliases,
            others=others,
            until=inputs.until,
        )


def _ids(recommender: Recommender, depth: int, query: Query) -> Sequence[str]:
    return recommender.rank(query, depth).ids


@contextlib.contextmanager
def _first_stage(collection: Collection, folder: Path, progress: Progress) -> Iterator[Recommender]:
    """BM25 over a library in `folder`, which the first of several processes makes."""
    from citewhy_lab.train import processes

    progress("making a library for the first stage", None)
    if processes.is_first():
        folder.mkdir(parents=True, exist_ok=True)
        with Library.open(folder / "library", create=True) as library:
            library.add([*collection.papers.values(), *collection.aliases])
    processes.wait()
    with Library.open(folder / "library") as library:
        yield Recommender(library, "bm25")


@dataclass(frozen=True, slots=True)
class ValidationQuestion:
    """A validation query: `candidates` are rows of what the first stage found, `right` of the cited
    papers."""

    query: Query
    candidates: Sequence[int]
    right: Sequence[int]


class Questions:
    """Makes queries of contexts, and asks the first stage for their candidates."""

    def __init__(
        self,
        papers: KnownPapers,
        graph: CitationGraph,
        first_stage: FirstStage,
        settings: Asking,
        progress: Progress,
    ) -> None:
        self._papers = papers
        self._graph = graph
        self._first_stage = first_stage
        self._settings = settings
        self._tell = progress
        self.missed = 0
        """Training pairs whose cited paper the first stage did not find."""

    def to_learn(self, contexts: Sequence[Context]) -> tuple[list[Asked], list[Query]]:
        """Training queries, of the contexts that have at least one pair by the regime."""
        learned: list[tuple[Asked, Query]] = []
        for done, context in enumerate(contexts):
            self._tell("asking the first stage", done / len(contexts))
            query, right = self.question(context)
            if not right:
                continue
            candidates = self._found(query)
            taught = [row for row in right if not (self._settings.held_out and self._held_out(row))]
            there = [row for row in taught if row in candidates]
            self.missed += len(taught) - len(there)
            if taught := there if self._settings.regime == "strict" else taught:
                query = self._dated(query)
                learned.append((Asked(query.citing_id, query.year or 0, right, taught, candidates), query))
        return [asked for asked, _ in learned], [query for _, query in learned]

    def to_validate(self, contexts: Sequence[Context]) -> list[ValidationQuestion]:
        """Validation queries, of at most as many contexts as the settings say, drawn once."""
        drawn = np.random.default_rng(self._settings.seed).permutation(len(contexts))
        questions = []
        for number in sorted(drawn[: self._settings.validated].tolist()):
            query, right = self.question(contexts[number])
            if right:
                questions.append(ValidationQuestion(self._dated(query), self._found(query).tolist(), right))
        return questions

    def _dated(self, query: Query) -> Query:
        """A context without a year may cite every paper, and all citations count: it is as if it had been
        written in the year after the newest paper."""
        return query if query.year is not None else replace(query, year=int(self._graph.years.max()) + 1)

    def question(self, context: Context) -> tuple[Query, list[int]]:
        """Returns the query of a context, and the rows of those cited papers that are known and not newer."""
        asked = topic(context, self._papers, self._papers.papers([context.citing_id]))
        rows = [row for paper_id in asked.relevant if (row := self._graph.row(paper_id)) is not None]
        last = (
            len(self._graph.papers) if asked.query.year is None else self._graph.not_newer(asked.query.year)
        )
        return asked.query, [row for row in rows if row < last]

    def _found(self, query: Query) -> Rows:
        rows = (self._graph.row(paper_id) for paper_id in self._first_stage(query))
        candidates = list(dict.fromkeys(row for row in rows if row is not None))[: self._settings.depth]
        return np.array(candidates, dtype=np.int64)

    def _held_out(self, row: int) -> bool:
        return self._papers.canonical(self._graph.papers[row].id) in self._papers.held_out


@dataclass(frozen=True, slots=True)
class Prepared:
    """The data of one training as all rerankers use them."""

    known: KnownPapers
    graph: CitationGraph
    asking: Questions


def prepared(data: RerankingData, settings: Asking, progress: Progress) -> Prepared:
    """Returns every paper once, the citations between them, and queries as the `settings` want them."""
    known = KnownPapers(data.papers, data.aliases)
    graph = CitationGraph(list(known.all.values()), edges(data.citations, data.train), known.canonical)
    return Prepared(known, graph, Questions(known, graph, data.first_stage, settings, progress))
