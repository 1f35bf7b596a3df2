"""Common parts of the experiments on paragraph-level recommendation: questions, trainings, what each finds.

The questions are those of `citewhy evaluate paragraph`. Candidates are the papers with title and abstract
that are not newer than the question, without the citing paper. Relevant papers without an abstract, which no
system can find, do not count, nor do questions that have no others. What a trained system found is kept in a
folder, if one is given.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Paper
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.datasets.paragraphs import TASK
from citewhy_lab.evaluate.datasets.reading import find
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.experiments import Setup
from citewhy_lab.experiments.remembered import Arrays, remembered
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.requirements import check_extra, default_start, start_sha256
from citewhy_lab.train.systems.qpcr.queries import paragraph_text, whole_text
from citewhy_lab.train.systems.qpcr.settings import TRAINED, Settings, Variant

if TYPE_CHECKING:
    from citewhy_lab.experiments.paragraph_systems import Systems

__all__ = [
    "FILES",
    "FIRST",
    "MEASURES",
    "SCALES",
    "Found",
    "Lab",
    "Scale",
    "answerable",
    "open_lab",
    "ranked",
    "scored",
]

FILES = (
    "the folder of papers and citations (docs/training.md), that of `citewhy datasets build paragraphs`, and"
    " optionally one for results"
)

FIRST = 10
"""Recommendations of a question that are looked at."""

MEASURES = ("Rprec", "R@5", "R@10", "RR")


@dataclass(frozen=True, slots=True)
class Scale:
    """None: everything that the data has."""

    settings: Settings
    taught: int | None = None
    """Number of training paragraphs."""
    asked: int | None = None
    """Number of questions."""
    pool: int | None = None
    """Number of candidates, beside the relevant papers."""
    seeds: tuple[int, ...] = (1, 2, 3)


SCALES = {
    "source": Scale(Settings(patience=0)),
    "full": Scale(Settings()),
    "small": Scale(Settings(epochs=1, pool=100), taught=40, asked=40, pool=500, seeds=(1, 2)),
}


@dataclass(frozen=True, slots=True)
class Found:
    """What a system found for n questions with j relevant papers in all."""

    ranks: NDArray[np.int64]
    """[j], from 1; 0: not among the candidates."""
    first: NDArray[np.int64]
    """[n, FIRST] rows of candidates, best first; -1 where there are fewer."""

    @classmethod
    def of(cls, arrays: Arrays) -> Found:
        return cls(arrays["ranks"], arrays["first"])


class Lab:
    """Data, questions, and what trained systems found."""

    def __init__(
        self,
        data: Path,
        paragraphs: Path,
        start: Path,
        scale: Scale,
        seed: int,
        progress: Progress,
        kept: Path,
    ) -> None:
        from citewhy_lab.train.systems.qpcr.data import examples

        self.collection = Collection(data)
        self.files = {part: _file(paragraphs, part) for part in ("train", "val", "test")}
        self.scale, self.seed, self._start, self._kept, self._tell = scale, seed, start, kept, progress
        self._taught = examples([self.files["train"]], self.collection, self.collection.held_out)
        if scale.taught is not None and scale.taught < len(self._taught):
            self._taught = random.Random(seed).sample(self._taught, scale.taught)
        self._held = examples([self.files["val"]], self.collection)
        asked = TASK.topics(self.files["test"], _Known(self.collection), Options(seed=seed))
        self.topics: list[Topic] = answerable(asked, self.collection)[: scale.asked]
        if not self._taught or not self._held or not self.topics:
            raise InputError("no paragraph cites a paper of the collection", path=paragraphs)
        self.pool = self._candidates()
        """Ids of all candidates, sorted."""
        self.number = {paper_id: row for row, paper_id in enumerate(self.pool)}

    @property
    def sizes(self) -> Mapping[str, int]:
        return {"taught": len(self._taught), "held": len(self._held), "asked": len(self.topics)}

    def papers(self) -> list[Paper]:
        """The candidates."""
        return [self.collection.papers[each] for each in self.pool]

    def runs(self, variant: Variant) -> list[Found]:
        """What a system found, one for each seed; one only if it is not trained."""
        return [self.found(variant, seed) for seed in self._seeds(variant)]

    def found(self, variant: Variant, seed: int) -> Found:
        settings = replace(self.scale.settings, variant=variant, seed=seed)
        path = self._kept / f"{settings.name}-{self._systems.digest(settings)}.npz"
        return Found.of(remembered(path, lambda: self._ranked(settings)))

    def attention(self, variant: Variant) -> NDArray[np.float64]:
        """[questions, layers, seeds] share of a query's attention that goes to its topic sentence; one seed
        only if the system is not trained."""
        settings = [replace(self.scale.settings, variant=variant, seed=each) for each in self._seeds(variant)]
        return np.stack([self._attention(each) for each in settings], axis=-1)

    def _attention(self, settings: Settings) -> NDArray[np.float64]:
        from citewhy_lab.train.systems.qpcr.attention import topic_attention

        def measured() -> Arrays:
            model, network = self._systems.network(settings)
            self._tell(f"{settings.name}: attention", None)
            texts = self._texts(settings.variant)
            return {"shares": topic_attention(model, texts, network.tokens["query"])}

        path = self._kept / f"attention-{settings.name}-{self._systems.digest(settings)}.npz"
        return remembered(path, measured)["shares"]

    def _seeds(self, variant: Variant) -> Sequence[int]:
        return self.scale.seeds if variant in TRAINED else self.scale.seeds[:1]

    @cached_property
    def _systems(self) -> Systems:
        from citewhy_lab.experiments.paragraph_systems import Systems

        data = (self.collection, self._taught, self._held)
        layers = self.scale.settings.layers
        return Systems(*data, self._start, layers, self._facts, self._kept, self._tell)

    @cached_property
    def _facts(self) -> object:
        """What all results depend on."""
        files = [
            file_facts(path)["sha256"] for path in (*self.collection.files.values(), *self.files.values())
        ]
        return files, start_sha256(self._start), self.sizes, len(self.pool), self.seed

    def _candidates(self) -> list[str]:
        latest = max((each.query.year or 9999 for each in self.topics), default=0)
        found = [
            paper_id
            for paper_id, paper in sorted(self.collection.papers.items())
            if _can_be_found(paper) and (paper.year or 0) <= latest
        ]
        if self.scale.pool is None or self.scale.pool >= len(found):
            return found
        asked = {paper_id for topic in self.topics for paper_id in topic.relevant}
        chosen = np.random.default_rng(self.seed).permutation(len(found))[: self.scale.pool]
        return sorted(asked.intersection(found).union(found[place] for place in chosen))

    def _ranked(self, settings: Settings) -> Arrays:
        _, network = self._systems.network(settings)
        self._tell(f"{settings.name}: ranking", None)
        papers = network.encode([paper_text(each) for each in self.papers()], "paper")
        scores = (network.encode(self._texts(settings.variant), "query") @ papers.T).numpy()
        return ranked(scores, self.topics, self.pool, self.collection)

    def _texts(self, variant: Variant) -> list[str]:
        """The questions as a system reads them."""
        form = whole_text if variant == "base" else paragraph_text
        return [form(topic.query) or topic.query.text for topic in self.topics]


def answerable(topics: Sequence[Topic], collection: Collection) -> list[Topic]:
    """Those with relevant papers that have title and abstract, with these alone."""
    papers = collection.papers
    found = [
        (topic, tuple(each for each in topic.relevant if each in papers and _can_be_found(papers[each])))
        for topic in topics
    ]
    return [replace(topic, relevant=relevant) for topic, relevant in found if relevant]


def _can_be_found(paper: Paper) -> bool:
    """Whether it can be a candidate: the systems read title and abstract."""
    return bool(paper.title and paper.abstract)


def ranked(
    scores: NDArray[np.float32], topics: Sequence[Topic], pool: Sequence[str], collection: Collection
) -> dict[str, NDArray[np.int64]]:
    """`ranks` and `first` of `Found`, by scores [n, candidates]; ties by id. Newer papers and the citing
    paper are no candidates."""
    years = np.array([collection.papers[each].year or 0 for each in pool])
    number = {paper_id: row for row, paper_id in enumerate(pool)}
    ranks, first = [], []
    for row, topic in zip(scores, topics, strict=True):
        allowed = years <= (topic.query.year or 9999)
        if (citing := number.get(collection.canonical(topic.query.citing_id))) is not None:
            allowed[citing] = False
        order = np.argsort(np.where(allowed, -row, np.inf), kind="stable")[: allowed.sum()]
        place = dict(zip(order.tolist(), range(1, len(order) + 1), strict=True))
        ranks += [place.get(number.get(each, -1), 0) for each in topic.relevant]
        first.append([*order[:FIRST].tolist(), *[-1] * (FIRST - len(order))])
    return {"ranks": np.array(ranks), "first": np.array(first)}


def scored(runs: Sequence[Found], topics: Sequence[Topic]) -> list[Scores]:
    """The `MEASURES` of each run, by question."""
    counts = np.array([len(topic.relevant) for topic in topics])
    ids = tuple(topic.query.id for topic in topics)
    ends = np.cumsum(counts)[:-1]
    return [Scores(ids, np.ones(len(ids)), _measures(np.split(run.ranks, ends))) for run in runs]


def _measures(ranks: Sequence[NDArray[np.int64]]) -> dict[str, NDArray[np.float64]]:
    """By the ranks of each question's relevant papers, 0 for a missed one."""
    found = [np.where(each > 0, each, np.inf) for each in ranks]
    values = [
        ((each <= len(each)).mean(), (each <= 5).mean(), (each <= 10).mean(), 1 / each.min())
        for each in found
    ]
    return dict(zip(MEASURES, np.array(values, dtype=np.float64).T, strict=True))


class _Known:
    """A collection as the `Papers` that a task needs."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def canonical(self, paper_id: str, /) -> str | None:
        found = self._collection.canonical(paper_id)
        return found if found in self._collection.papers else None

    def papers(self, ids: Any, /) -> Mapping[str, Paper]:
        return {each: self._collection.papers[each] for each in ids if each in self._collection.papers}


def open_lab(
    files: Sequence[Path], setup: Setup, progress: Progress, scales: Mapping[str, Scale] | None = None
) -> Lab:
    """Reads the data. Raises InputError for other files."""
    check_extra()
    if not 2 <= len(files) <= 3:
        raise InputError(f"{len(files)} files", path=files[0], hint=f"expected: {FILES}")
    data, paragraphs, *kept = files
    start = setup.encoder or default_start()
    folder = kept[0] if kept else Path(tempfile.mkdtemp(prefix="citewhy-"))
    return Lab(data, paragraphs, start, (scales or SCALES)[setup.scale], setup.seed, progress, folder)


def _file(folder: Path, part: str) -> Path:
    found = find(folder, f"paragraphs.{part}.jsonl")
    if found is None:
        raise InputError(
            f"the folder has no paragraphs.{part}.jsonl",
            path=folder,
            hint="make it with `citewhy datasets build paragraphs … --split YEAR`",
        )
    return found
