"""TEXTBIB, a reranker for citing sentences: Medić and Šnajder (2020, 2022), Medić (2023, chapters 4 and 5).

A context is compared with the candidates that the first stage found for it: by what both texts say, the
context enhanced by title and abstract of its paper; and by who wrote the candidate and how often it was
cited. The network is in `models.textbib`, its loss in `losses`, its negatives in `sampling.negatives`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from citewhy.config import DEFAULT_SEED
from citewhy.datasets.held_out import held_out
from citewhy.datasets.local import topic
from citewhy.errors import InputError
from citewhy.evaluation.making import software
from citewhy.models.textbib_shape import Shape
from citewhy.progress import Tell
from citewhy.records import Alias, Citation, Context, Paper, Query
from citewhy.sampling.citation_graph import CitationGraph, Rows, edges
from citewhy.sampling.mixes import Mix
from citewhy.sampling.negatives import Asked, Negatives
from citewhy.sampling.triplets import Triplets
from citewhy.training.collection import canonical_ids, one_each

if TYPE_CHECKING:
    from torch import Tensor

    from citewhy.models.textbib_reading import Reader
    from citewhy.training.textbib import Question

__all__ = ["FirstStage", "Regime", "TextBibData", "TextBibSettings", "checkpoints", "train_textbib"]

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
    dropout: float = 0.2
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
    """Word vectors as text, word2vec or GloVe, to begin with; None: made from the papers' own words."""


def checkpoints(out: Path) -> Path:
    """The folder beside `out` from which an interrupted training goes on."""
    return out.with_name(f"{out.name}.training")


def train_textbib(data: TextBibData, settings: TextBibSettings, out: Path, tell: Tell) -> dict[str, Any]:
    """Writes the folder `out`, which `rerank.textbib.open_textbib` opens, and returns its report.

    What was begun for the same `out` with the same settings and data is continued. Raises InputError for
    data that cannot be learned from or an `out` that is there, MissingExtraError without torch, StorageError.
    """
    from citewhy.training.requirements import check_modules

    check_modules("torch", "safetensors", "scipy")
    import torch

    from citewhy.models.textbib import TextBib
    from citewhy.models.textbib_folder import save
    from citewhy.models.textbib_reading import Reader
    from citewhy.training.textbib import Dials, TextBibTrainer

    if out.exists():
        raise InputError(
            "there is something here already", path=out, hint="name another folder, or remove it"
        )
    shelf = _Shelf(data)
    graph = CitationGraph(list(shelf.all.values()), edges(data.citations, data.train), shelf.canonical)
    contexts = _Contexts(shelf, graph, data.first_stage, settings, tell)
    asked, queries = contexts.to_learn(data.train)
    never = (
        [row for each in shelf.held_out if (row := graph.row(each)) is not None] if settings.held_out else []
    )
    triplets = _triplets(asked, Negatives(graph, settings.negatives, never), settings, out)
    questions = contexts.to_validate(data.val)

    tell("words and authors", None)
    newest = max(query.year or 0 for query in queries)
    seen = graph.papers[: graph.not_newer(newest)]
    reader = Reader.of(seen, [query.text for query in queries], settings.shape)
    torch.manual_seed(settings.seed)
    network = TextBib(len(reader.words), len(reader.authors), settings.shape, settings.dropout)
    _start_words(network.encoder.embedding.weight, reader, seen, queries, data.vectors, settings)

    facts = {
        "settings": {**asdict(settings), "negatives": str(settings.negatives)},
        "data": {
            "papers": len(graph.papers),
            "contexts": len(asked),
            "pairs": len(triplets),
            "newest": newest,
            "missed": contexts.missed,
            "validated": len(questions),
            "words": len(reader.words),
            "authors": len(reader.authors),
        },
    }
    dials = Dials(
        settings.epochs,
        settings.batches,
        settings.validate_every,
        settings.margin,
        settings.learning_rate,
        settings.clip,
        settings.seed,
    )
    trainer = TextBibTrainer(
        network, reader, graph, queries, triplets, questions, dials, checkpoints(out), facts, tell
    )
    losses = trainer.run()
    tell("writing the model", None)
    best = max(trainer.validations, key=lambda each: (each.mrr, -each.epoch))
    report = {
        **facts,
        "name": settings.shape.variant,
        "validations": [asdict(each) for each in trainer.validations],
        "best": asdict(best),
        "losses": _by_epoch(losses, settings.batches),
        "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
    }
    save(out, network, reader, report)
    return report


class _Shelf:
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


class _Contexts:
    """Contexts as questions, with what the first stage finds for them."""

    def __init__(
        self,
        shelf: _Shelf,
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
        from citewhy.training.textbib import Question

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


def _triplets(asked: Sequence[Asked], negatives: Negatives, settings: TextBibSettings, out: Path) -> Triplets:
    if not asked:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts with a year whose cited papers are there, or the regime standard",
        )
    return Triplets(asked, negatives, settings.pairs, settings.seed)


def _start_words(
    weight: Tensor,
    reader: Reader,
    papers: Sequence[Paper],
    queries: Sequence[Query],
    vectors: Path | None,
    settings: TextBibSettings,
) -> None:
    """Fills the table of word vectors; a word that has none keeps a random one of like length."""
    import torch

    from citewhy.models.corpus_vectors import corpus_vectors
    from citewhy.models.words import read_vectors, tokens

    size = settings.shape.word
    if vectors is None:
        texts = [reader.paper(paper) for paper in papers] + [
            reader.words(tokens(each.text)) for each in queries
        ]
        table = corpus_vectors(texts, len(reader.words), size, settings.seed)
    else:
        table = read_vectors(vectors, reader.words, size)
    there = np.linalg.norm(table, axis=1) > 0
    table /= max(float(np.linalg.norm(table[there], axis=1).mean()), 1e-9) / size**0.5
    with torch.no_grad():
        weight[torch.from_numpy(there)] = torch.from_numpy(table[there])


def _by_epoch(losses: Sequence[float], batches: int) -> list[float]:
    return [
        round(float(np.mean(losses[first : first + batches])), 5) for first in range(0, len(losses), batches)
    ]
