"""The systems of the experiment `sets`, and what each finds: the first ten papers for each question.

Candidates are never newer than the question, and never its own paper.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import default_encoder, open_encoder
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.experiments.engine import Arrays, Lab, Scale, Setup, digest, kept
from citewhy_lab.experiments.sets_data import FILES, CitingContext, Field, open_field
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.systems.citation_vectors.settings import Method, VectorSettings
from citewhy_lab.train.systems.mpbert4cr.settings import PRESETS, MpBertSettings, Objective
from citewhy_lab.train.systems.mpbert4cr.texts import Example, History, examples_of

if TYPE_CHECKING:
    from citewhy_lab.train.recipe import DeviceName
    from citewhy_lab.train.systems.mpbert4cr.network import Encoder, Reader, Vocabulary

FIRST = 10
"""Recommendations of a question that are looked at."""

Ranked = NDArray[np.int64]
"""[questions, FIRST] rows of papers, best first; -1 where there are fewer."""

_ENCODED = 5000
"""Sentences whose vectors are kept in one file."""


@dataclass(frozen=True, slots=True)
class SetsScale(Scale[MpBertSettings]):
    """The size of the experiment; `taught` counts citing sentences."""

    ready: bool = True
    """Whether sentences are vectors of the built-in encoder, or words."""
    body: int | None = None
    """Sentences of a full text that may be drawn, beside its abstract."""
    vectors: VectorSettings = field(default_factory=VectorSettings)


SCALES = {
    "source": SetsScale(replace(PRESETS["source"], held_out=False), ready=False),
    "full": SetsScale(replace(PRESETS["small"], held_out=False), ready=True),
    "small": SetsScale(
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
    `rank.ranker.PIPELINES`, `method` a baseline that is trained."""

    name: str
    objective: Objective | None = None
    dynamic: bool = True
    pipeline: Pipeline | None = None
    method: Method | None = None


class SetsLab(Lab[System, Ranked]):
    """Data, and what the systems found."""

    def __init__(self, data: Path, scale: SetsScale, setup: Setup, progress: Progress, folder: Path) -> None:
        super().__init__(scale.seeds, folder, progress)
        self.scale, self.setup = scale, setup
        self.encoder = open_encoder(setup.encoder) if setup.encoder else default_encoder()
        sampled = scale.settings.sampled
        self.field: Field = open_field(
            data, sampled, scale.pool, scale.body, scale.taught, setup.seed, progress
        )
        self._started: dict[int, Encoder] = {}

    @property
    def sizes(self) -> Mapping[str, int]:
        return {
            "taught": len(self.field.taught),
            "asked": len(self.field.asked),
            "several": sum(len(sentence.cited) > 1 for sentence in self.field.asked),
            "papers": len(self.field.graph.papers),
            "full texts": len(self.field.full_texts),
        }

    def is_trained(self, system: System) -> bool:
        return system.pipeline is None

    def named(self, system: System, seed: int) -> str:
        facts = digest(self._facts_of(system, seed), self._facts)
        return f"{system.name.replace(' ', '-')}-{seed}-{facts}"

    def ask(self, system: System, seed: int) -> Arrays:
        def progress(what: str, share: float | None) -> None:
            self.progress(f"{system.name}, seed {seed}: {what}", share)

        if system.pipeline is not None:
            return {"first": self._recommended(system.pipeline, progress)}
        if system.method is not None:
            settings = replace(self.scale.vectors, seed=seed)
            return {"first": self._by_vectors(system.method, settings, progress)}
        return {"first": self._trained(self._settings(system, seed), progress)}

    def answers(self, arrays: Arrays) -> Ranked:
        return arrays["first"]

    def _settings(self, system: System, seed: int) -> MpBertSettings:
        return replace(
            self.scale.settings,
            objective=system.objective or "mpt-src-tgt",
            dynamic=system.dynamic,
            seed=seed,
        )

    def _facts_of(self, system: System, seed: int) -> object:
        """Returns what the answers of a system depend on beside the data."""
        if system.pipeline is not None:
            return self.encoder.fingerprint
        code = code_digest("citewhy_lab/train")
        if system.method is not None:
            return system.method, asdict(replace(self.scale.vectors, seed=seed)), code
        encoder = self.scale.ready and self.encoder.fingerprint
        return asdict(self._settings(system, seed)), encoder, code

    @cached_property
    def _facts(self) -> object:
        files = [file_facts(path)["sha256"] for path in self.field.files]
        sizes = (self.sizes, self.scale.pool, self.scale.body, self.setup.seed)
        return files, sizes, code_digest("citewhy/answers/resolve")

    # Rankings ---------------------------------------------------------------------------------------------

    def _ranked(self, scores: NDArray[np.float32]) -> Ranked:
        """Ranks by scores [questions, papers]; ties by row, and papers with a score of -inf are left out."""
        graph, first = self.field.graph, []
        for row, sentence in zip(scores, self.field.asked, strict=True):
            allowed = row.astype(np.float64)
            allowed[graph.not_newer(sentence.query.year or 0) :] = -np.inf
            if (own := graph.row(sentence.query.citing_id)) is not None:
                allowed[own] = -np.inf
            order = np.argsort(-allowed, kind="stable")[:FIRST]
            order = order[np.isfinite(allowed[order])]
            first.append([*order.tolist(), *[-1] * (FIRST - len(order))])
        return np.array(first)

    def _recommended(self, pipeline: Pipeline, progress: Progress) -> Ranked:
        """Ranks by a pipeline, in a library of the candidates alone."""
        graph, first = self.field.graph, []
        with (
            tempfile.TemporaryDirectory(prefix="citewhy-") as folder,
            Library.open(Path(folder) / "library", create=True) as library,
        ):
            library.add(graph.papers)
            recommender = Recommender(library, pipeline, models=ModelSet(encoder=self.encoder))
            for number, sentence in enumerate(self.field.asked):
                progress("asking", number / len(self.field.asked))
                ids = recommender.rank(sentence.query, FIRST).ids
                rows = [row for paper_id in ids if (row := graph.row(paper_id)) is not None]
                first.append([*rows, *[-1] * (FIRST - len(rows))])
        return np.array(first)

    def _by_vectors(self, method: Method, settings: VectorSettings, progress: Progress) -> Ranked:
        from citewhy_lab.train.systems.citation_vectors.training import trained

        progress("training", None)
        model = trained(method, self.field.corpus(), settings, progress)
        return self._ranked(model.scores([self.field.question(each) for each in self.field.asked]))

    # MP-BERT4CR -------------------------------------------------------------------------------------------

    def _trained(self, settings: MpBertSettings, progress: Progress) -> Ranked:
        from citewhy_lab.train.systems.mpbert4cr.recipe import Corpus, fine_tune

        reader, vocabulary, settings = self._reading(settings)
        history = History(
            self.field.together,
            sorted({row for each in self.field.taught for row in each.cited}),
            settings.seed,
        )
        corpus = Corpus(
            self.field.graph,
            [example for sentence in self.field.taught for example in _examples(sentence)],
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
        self, settings: MpBertSettings, reader: Reader, vocabulary: Vocabulary, progress: Progress
    ) -> Encoder:
        """Returns the pre-trained encoder of a seed, the same for all objectives."""
        from citewhy_lab.train.devices import choose_device
        from citewhy_lab.train.systems.mpbert4cr.recipe import documents_of, pretrain

        if settings.seed not in self._started:
            documents = documents_of((), self.field.taught_texts())
            device: DeviceName = self.setup.device
            self._started[settings.seed] = pretrain(
                documents, reader, vocabulary, settings, choose_device(device), progress
            )[0]
        return self._started[settings.seed]

    def _reading(self, settings: MpBertSettings) -> tuple[Reader, Vocabulary, MpBertSettings]:
        inputs = self.encoder.dimensions if self.scale.ready else 0
        settings = replace(settings, shape=replace(settings.shape, inputs=inputs))
        words = self._vocabulary
        return (self._vectors if self.scale.ready else words), words, settings

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        from citewhy_lab.train.systems.mpbert4cr.network import Vocabulary

        texts = (sentence.text for text in self.field.taught_texts().values() for sentence in text.sentences)
        return Vocabulary.of(
            [*texts, *(each.query.text for each in self.field.taught)], self.scale.settings.shape
        )

    @cached_property
    def _vectors(self) -> Reader:
        """The vectors of all sentences, computed once and kept."""
        from citewhy_lab.train.systems.mpbert4cr.network import ReadyVectors

        reader = ReadyVectors(self.encoder, self.scale.settings.shape)
        sentences = self.field.sentences()
        for start in range(0, len(sentences), _ENCODED):
            self.progress(f"encoding {len(sentences):,} sentences", start / len(sentences))
            some = sentences[start : start + _ENCODED]
            path = self.folder / f"sentences-{digest(some, self.encoder.fingerprint)}.npz"
            vectors = kept(path, partial(self._encoded, some))["vectors"]
            reader.keep(some, vectors.astype(np.float32))
        return reader

    def _encoded(self, sentences: Sequence[str]) -> Arrays:
        return {"vectors": self.encoder.encode(sentences, "query").astype(np.float16)}


def _examples(sentence: CitingContext) -> list[Example]:
    return examples_of(sentence.query, sentence.cited)


def open_lab(files: Sequence[Path], setup: Setup, progress: Progress) -> SetsLab:
    """Reads the data. Raises InputError for other files."""
    if not 1 <= len(files) <= 2:
        raise InputError(f"{len(files)} files", path=files[0], hint=f"expected: {FILES}")
    data, *results = files
    folder = results[0] if results else Path(tempfile.mkdtemp(prefix="citewhy-"))
    return SetsLab(data, SCALES[setup.scale], setup, progress, folder)
