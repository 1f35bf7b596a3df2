"""The systems of the experiment `sets`, and what each finds: the first ten papers for each question.

Candidates are never newer than the question, and never its own paper.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import default_encoder, open_encoder
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.experiments import Setup
from citewhy_lab.experiments.remembered import Arrays, digest, remembered
from citewhy_lab.experiments.sets_data import FILES, Field, Place, open_field
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.requirements import check_extra
from citewhy_lab.train.systems.citation_vectors.settings import Method
from citewhy_lab.train.systems.citation_vectors.settings import Settings as VectorSettings
from citewhy_lab.train.systems.mpbert4cr.data import Example, History, examples_of
from citewhy_lab.train.systems.mpbert4cr.settings import PRESETS, Objective, Settings

if TYPE_CHECKING:
    from citewhy_lab.train.devices import DeviceName
    from citewhy_lab.train.systems.mpbert4cr.network import Encoder
    from citewhy_lab.train.systems.mpbert4cr.reading import Reader, Vocabulary

__all__ = ["FIRST", "SCALES", "Lab", "Ranked", "Scale", "System", "open_lab"]

FIRST = 10
"""Recommendations of a question that are looked at."""

Ranked = NDArray[np.int64]
"""[questions, FIRST] rows of papers, best first; -1 where there are fewer."""

_ENCODED = 5000
"""Sentences whose vectors are kept in one file."""


@dataclass(frozen=True, slots=True)
class Scale:
    """None: everything that the data has."""

    settings: Settings
    ready: bool
    """Whether sentences are vectors of the built-in encoder, or words."""
    seeds: tuple[int, ...] = (1, 2, 3)
    pool: int | None = None
    """Candidates beside the cited papers."""
    body: int | None = None
    """Sentences of a full text that may be drawn, beside its abstract."""
    taught: int | None = None
    """Training places."""
    vectors: VectorSettings = field(default_factory=VectorSettings)


SCALES = {
    "source": Scale(replace(PRESETS["source"], held_out=False), ready=False),
    "full": Scale(replace(PRESETS["small"], held_out=False), ready=True),
    "small": Scale(
        replace(PRESETS["small"], held_out=False),
        ready=True,
        pool=800,
        body=4,
        taught=1500,
        vectors=VectorSettings(epochs=10, citation_epochs=10),
    ),
}


@dataclass(frozen=True, slots=True)
class System:
    """A row of the tables. `objective` and `dynamic` are those of MP-BERT4CR, `pipeline` one of
    `pipeline.PIPELINES`, `method` a baseline that is trained."""

    name: str
    objective: Objective | None = None
    dynamic: bool = True
    pipeline: Pipeline | None = None
    method: Method | None = None

    @property
    def is_trained(self) -> bool:
        return self.pipeline is None


class Lab:
    """Data, and what the systems found."""

    def __init__(self, folder: Path, scale: Scale, setup: Setup, progress: Progress, kept: Path) -> None:
        settings = scale.settings
        self.scale, self.seed, self._setup, self._tell, self._kept = scale, setup.seed, setup, progress, kept
        self.encoder = open_encoder(setup.encoder) if setup.encoder else default_encoder()
        self.field: Field = open_field(
            folder, settings.sampled, scale.pool, scale.body, scale.taught, setup.seed, progress
        )
        self._started: dict[int, Encoder] = {}

    @property
    def sizes(self) -> Mapping[str, int]:
        found = self.field
        return {
            "taught": len(found.taught),
            "asked": len(found.asked),
            "several": sum(len(each.cited) > 1 for each in found.asked),
            "papers": len(found.graph.papers),
            "full texts": len(found.full_texts),
        }

    def runs(self, system: System) -> list[Ranked]:
        """One for each seed; one only if the system is not trained."""
        seeds = self.scale.seeds if system.is_trained else self.scale.seeds[:1]
        return [self._found(system, seed) for seed in seeds]

    def _found(self, system: System, seed: int) -> Ranked:
        rank, facts = self._how(system, seed)
        path = self._kept / f"{system.name.replace(' ', '-')}-{seed}-{digest(facts, self._facts)}.npz"

        def progress(what: str, share: float | None) -> None:
            self._tell(f"{system.name}, seed {seed}: {what}", share)

        return remembered(path, lambda: {"first": rank(progress)})["first"]

    def _how(self, system: System, seed: int) -> tuple[Callable[[Progress], Ranked], object]:
        """What ranks, and what its result depends on beside the data."""
        if system.pipeline is not None:
            pipeline = system.pipeline
            return lambda progress: self._recommended(pipeline, progress), self.encoder.fingerprint
        if system.method is not None:
            method, vectors = system.method, replace(self.scale.vectors, seed=seed)
            of_method = (
                method,
                asdict(vectors),
                code_digest("citewhy_lab/train"),
            )
            return lambda progress: self._by_vectors(method, vectors, progress), of_method
        settings = replace(
            self.scale.settings,
            objective=system.objective or "mpt-src-tgt",
            dynamic=system.dynamic,
            seed=seed,
        )
        code = code_digest("citewhy_lab/train")
        facts = (asdict(settings), self.scale.ready and self.encoder.fingerprint, code)
        return lambda progress: self._trained(settings, progress), facts

    @cached_property
    def _facts(self) -> object:
        files = [file_facts(path)["sha256"] for path in self.field.files]
        return (
            files,
            self.sizes,
            self.scale.pool,
            self.scale.body,
            self.seed,
            code_digest("citewhy/answers/resolve"),
        )

    # Rankings ---------------------------------------------------------------------------------------------

    def _ranked(self, scores: NDArray[np.float32]) -> Ranked:
        """By scores [questions, papers]; ties by row, and papers with a score of -inf are left out."""
        graph, found = self.field.graph, []
        for row, place in zip(scores, self.field.asked, strict=True):
            allowed = row.astype(np.float64)
            allowed[graph.not_newer(place.query.year or 0) :] = -np.inf
            if (own := graph.row(place.query.citing_id)) is not None:
                allowed[own] = -np.inf
            order = np.argsort(-allowed, kind="stable")[:FIRST]
            order = order[np.isfinite(allowed[order])]
            found.append([*order.tolist(), *[-1] * (FIRST - len(order))])
        return np.array(found)

    def _recommended(self, pipeline: Pipeline, progress: Progress) -> Ranked:
        """By a pipeline, in a library of the candidates alone."""
        graph, found = self.field.graph, []
        with (
            tempfile.TemporaryDirectory(prefix="citewhy-") as folder,
            Library.open(Path(folder) / "library", create=True) as library,
        ):
            library.add(graph.papers)
            recommender = Recommender(library, pipeline, encoder=self.encoder)
            for number, place in enumerate(self.field.asked):
                progress("asking", number / len(self.field.asked))
                rows = [graph.row(each) for each in recommender.rank(place.query, FIRST).ids]
                kept = [row for row in rows if row is not None]
                found.append([*kept, *[-1] * (FIRST - len(kept))])
        return np.array(found)

    def _by_vectors(self, method: Method, settings: VectorSettings, progress: Progress) -> Ranked:
        from citewhy_lab.train.systems.citation_vectors.training import trained

        progress("training", None)
        model = trained(method, self.field.corpus(), settings, progress)
        return self._ranked(model.scores([self.field.question(each) for each in self.field.asked]))

    # MP-BERT4CR -------------------------------------------------------------------------------------------

    def _trained(self, settings: Settings, progress: Progress) -> Ranked:
        from citewhy_lab.train.systems.mpbert4cr.training import Corpus, fine_tune

        reader, vocabulary, settings = self._reading(settings)
        history = History(
            self.field.together,
            sorted({row for each in self.field.taught for row in each.cited}),
            settings.seed,
        )
        corpus = Corpus(
            self.field.graph,
            [each for place in self.field.taught for each in _examples(place)],
            history,
            self.field.manuscript,
            self.field.paper,
        )
        start = self._start(settings, reader, vocabulary, progress)
        learner, _ = fine_tune(start, corpus, reader, len(vocabulary), settings, progress)
        scorer = learner.scorer()
        progress("ranking", None)
        papers = scorer.papers([self.field.paper(row) for row in range(len(self.field.graph.papers))])
        asked = scorer.manuscripts([self.field.manuscript(each.query) for each in self.field.asked])
        return self._ranked((asked @ papers.T).numpy())

    def _start(
        self, settings: Settings, reader: Reader, vocabulary: Vocabulary, progress: Progress
    ) -> Encoder:
        """The pre-trained encoder of a seed, the same for all objectives."""
        from citewhy_lab.train.devices import choose_device
        from citewhy_lab.train.systems.mpbert4cr.training import documents_of, pretrain

        if settings.seed not in self._started:
            documents = documents_of((), self.field.taught_texts())
            device: DeviceName = self._setup.device
            self._started[settings.seed] = pretrain(
                documents, reader, vocabulary, settings, choose_device(device), progress
            )[0]
        return self._started[settings.seed]

    def _reading(self, settings: Settings) -> tuple[Reader, Vocabulary, Settings]:
        inputs = self.encoder.dimensions if self.scale.ready else 0
        settings = replace(settings, shape=replace(settings.shape, inputs=inputs))
        words = self._vocabulary
        return (self._vectors if self.scale.ready else words), words, settings

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        from citewhy_lab.train.systems.mpbert4cr.reading import Vocabulary

        texts = (each.text for text in self.field.taught_texts().values() for each in text.sentences)
        return Vocabulary.of(
            [*texts, *(each.query.text for each in self.field.taught)], self.scale.settings.shape
        )

    @cached_property
    def _vectors(self) -> Reader:
        """The vectors of all sentences, computed once and kept."""
        from citewhy_lab.train.systems.mpbert4cr.reading import ReadyVectors

        reader = ReadyVectors(self.encoder, self.scale.settings.shape)
        sentences = self.field.sentences()
        for start in range(0, len(sentences), _ENCODED):
            self._tell(f"encoding {len(sentences):,} sentences", start / len(sentences))
            some = sentences[start : start + _ENCODED]
            path = self._kept / f"sentences-{digest(some, self.encoder.fingerprint)}.npz"
            made = remembered(path, partial(self._encoded, some))
            reader.keep(some, made["vectors"].astype(np.float32))
        return reader

    def _encoded(self, sentences: Sequence[str]) -> Arrays:
        return {"vectors": self.encoder.encode(sentences, "query").astype(np.float16)}


def _examples(place: Place) -> list[Example]:
    return examples_of(place.query, place.cited)


def open_lab(files: Sequence[Path], setup: Setup, progress: Progress) -> Lab:
    """Reads the data. Raises InputError for other files, MissingExtraError without the extra `lab`."""
    check_extra()
    if not 1 <= len(files) <= 2:
        raise InputError(f"{len(files)} files", path=files[0], hint=f"expected: {FILES}")
    folder, *kept = files
    results = kept[0] if kept else Path(tempfile.mkdtemp(prefix="citewhy-"))
    return Lab(folder, SCALES[setup.scale], setup, progress, results)
