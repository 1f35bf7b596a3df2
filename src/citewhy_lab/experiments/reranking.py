"""Trains rerankers after a first stage and evaluates them on test contexts: common to three experiments."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.artifact import replace_file
from citewhy.base.progress import Progress
from citewhy.base.records import Context, Paper, Query
from citewhy.models import open_model
from citewhy.ranking.rank.reranker import Reranker, RerankRequest
from citewhy.ranking.rank.reranking import citing_years
from citewhy.search.encode import CachedEncoder, Encoder, open_encoder
from citewhy.search.index.fields import BM25
from citewhy_lab.evaluate.making import file_facts
from citewhy_lab.experiments import Setup
from citewhy_lab.experiments.bench import Bench, Question, open_bench, sample
from citewhy_lab.experiments.first_stage import Form, Meaning, Stage, Words, grid
from citewhy_lab.experiments.remembered import digest
from citewhy_lab.experiments.trials import SCALES, SEEDS, Prefilter, Trial
from citewhy_lab.experiments.ways import Judged, judge
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.data_set import windowed
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.requirements import check_modules
from citewhy_lab.train.reranking.data import Questions, RerankingData
from citewhy_lab.train.sampling.citation_graph import CitationGraph, edges
from citewhy_lab.train.sampling.mixes import Mix, Strategy
from citewhy_lab.train.sampling.negatives import Negatives
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.ncn.recipe import train_ncn
from citewhy_lab.train.systems.ncn.settings import NcnSettings
from citewhy_lab.train.systems.textbib.recipe import train_textbib
from citewhy_lab.train.systems.textbib.settings import TextBibSettings

__all__ = ["Lab", "open_lab"]

FORM: Form = "context + abstract"
"""The query of first stages, after the title."""

CHOSEN_ON = 200
"""Number of validation contexts on which the parameters of BM25 are chosen."""


@contextmanager
def open_lab(files: Sequence[Path], setup: Setup, progress: Progress) -> Iterator[Lab]:
    """As `open_bench`. Raises MissingExtraError at once if networks cannot be trained."""
    check_modules("torch", "safetensors", "scipy")
    with open_bench(files, progress) as bench:
        yield Lab(bench, setup, progress)


class Lab:
    """Caches candidates during an experiment, and judgements on disk beside the library, so that experiments
    share trials and can be resumed."""

    def __init__(self, bench: Bench, setup: Setup, progress: Progress) -> None:
        self.bench = bench
        self.setup = setup
        self.scale = SCALES[setup.scale]
        self._tell = progress
        self._candidates: dict[tuple[str, str, str], NDArray[np.int64]] = {}
        self.train = sample(bench.data.train, self.scale.learned, setup.seed)
        self.test = sample(bench.data.test, self.scale.tested, setup.seed)
        self._judged: dict[Trial, list[Judged]] = {}
        self._orders: dict[str, Judged] = {}

    def judged(self, trial: Trial) -> list[Judged]:
        """One result for each seed."""
        if trial not in self._judged:
            seeds = range(self.setup.seed, self.setup.seed + SEEDS)
            self._judged[trial] = [self._remembered(trial, seed) for seed in seeds]
        return self._judged[trial]

    def _remembered(self, trial: Trial, seed: int) -> Judged:
        path = self.bench.library.folder / "trials" / f"{self._key(trial, seed)}.json"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            model = path.with_suffix("")
            found = self.run(trial, seed, model)
            # JSON has no infinity: a missed paper has rank 0, one that is not judged -1.
            replace_file(path, orjson.dumps({way: _written(each) for way, each in asdict(found).items()}))
            for folder in (model, checkpoints(model)):
                shutil.rmtree(folder, ignore_errors=True)
        return Judged(**{way: _read(each) for way, each in orjson.loads(path.read_bytes()).items()})

    def _key(self, trial: Trial, seed: int) -> str:
        """Of all that a judgement depends on; the contexts that were drawn differ with the experiment's
        seed."""
        settings = asdict(self._settings(trial, seed)) | {"negatives": trial.negatives}
        asked = [[(each.citing_id, each.id) for each in part] for part in (self.train, self.test)]
        encoder = self._encoder.fingerprint
        vectors = None if self.setup.vectors is None else file_facts(self.setup.vectors)["sha256"]
        code = code_digest(
            "citewhy_lab/experiments",
            "citewhy_lab/train",
        )
        return digest(code, encoder, vectors, self._bm25, asdict(trial), settings, asked)

    def order(self, prefilter: Prefilter) -> Judged:
        """The first stage's own order, judged as a reranker is; a paper that it misses comes after its
        candidates."""
        if prefilter not in self._orders:
            stage, found = self.stage(prefilter), []
            for question in self.bench.questions(self.test):
                candidates = self._found(stage, question.query, self.scale.settings.depth)
                scores = -np.arange(len(candidates), dtype=np.float32)
                missed = [
                    -np.inf for row in question.answers if row >= 0 and row not in set(candidates.tolist())
                ]
                found += judge(candidates, scores, question.answers, missed, self._id_ranks)
            self._orders[prefilter] = Judged(*zip(*found, strict=True))
        return self._orders[prefilter]

    def hard_counts(self, strategies: Sequence[Strategy]) -> dict[Strategy, NDArray[np.int64]]:
        """[training contexts] how many different hard negatives of each strategy there are,
        after BM25."""
        data = self._learned(Trial(), self.stage("BM25"))
        known = KnownPapers(data.papers, data.aliases)
        graph = CitationGraph(list(known.all.values()), edges(data.citations, data.train), known.canonical)
        asked, _ = Questions(known, graph, data.first_stage, self.scale.settings, self._tell).to_learn(
            data.train
        )
        negatives = Negatives(graph, Mix.named("random"))
        return {
            name: np.array([negatives.hard_count(name, each) for each in asked], dtype=np.int64)
            for name in strategies
        }

    def solved(self, prefilter: Prefilter) -> tuple[int, int]:
        """Sizes of the strict sets: training and test pairs of a context and a cited paper whose paper is
        among the candidates."""
        stage, sizes = self.stage(prefilter), []
        for contexts in (self.train, self.test):
            pairs = 0
            for question in self.bench.questions(contexts):
                found = set(self._found(stage, question.query, self.scale.settings.depth).tolist())
                pairs += sum(row in found for row in question.answers)
            sizes.append(pairs)
        return sizes[0], sizes[1]

    def run(self, trial: Trial, seed: int, out: Path) -> Judged:
        """Trains a model to the folder `out`, and judges it. Resumes an interrupted training, or uses the
        model if it is complete."""
        stage = self.stage(trial.prefilter)
        name = f"{trial.variant}, {trial.prefilter}, {trial.regime}, {trial.negatives}, seed {seed}"
        if not out.exists():
            settings = self._settings(trial, seed)
            data = self._learned(trial, stage)
            progress = functools.partial(self._say, name)
            if isinstance(settings, NcnSettings):
                train_ncn(data, settings, out, progress, self.setup.device)
            else:
                train_textbib(data, settings, out, progress, self.setup.device)
        reranker = cast("Reranker", open_model(out, "reranker"))
        return self._judge(reranker, trial, stage, name)

    def _say(self, name: str, what: str, share: float | None) -> None:
        self._tell(f"{name}: {what}", share)

    def _learned(self, trial: Trial, stage: Stage) -> RerankingData:
        data, depth = self.bench.data, self.scale.settings.depth

        def first_stage(query: Query) -> list[str]:
            return self.bench.index.ids(self._found(stage, query, depth))

        papers, contexts = self._shelf(stage), (_cut(self.train, trial), _cut(data.val, trial))
        return RerankingData(
            papers,
            *contexts,
            data.citations,
            first_stage,
            data.aliases,
            vectors=self.setup.vectors,
            encoder=self._words,
        )

    def _judge(self, reranker: Reranker, trial: Trial, stage: Stage, name: str) -> Judged:
        questions = self.bench.questions(_cut(self.test, trial))
        found: list[tuple[float, float, float]] = []
        for done, question in enumerate(questions, start=1):
            found += self.places(reranker, stage, question)
            self._tell(f"{name}: {done:,} of {len(questions):,} test contexts", done / len(questions))
        counted, solved, inserted = zip(*found, strict=True)
        return Judged(counted, solved, inserted)

    def places(
        self, reranker: Reranker, stage: Stage, question: Question
    ) -> list[tuple[float, float, float]]:
        """Of each answer of a question, as `Judged` has them: counted, solved, inserted."""
        candidates = self._found(stage, question.query, self.scale.settings.depth)
        there = set(candidates.tolist())
        missed = [row for row in question.answers if row >= 0 and row not in there]
        rows = np.array([*candidates, *missed], dtype=np.int64)
        years = citing_years(self.bench.view(question.query, question.rows), rows)
        papers = [self.papers[row] for row in rows.tolist()]
        scores = reranker.scores(RerankRequest(question.query, papers, years))
        own, others = scores[: len(candidates)], scores[len(candidates) :].tolist()
        return judge(candidates, own, question.answers, others, self._id_ranks)

    def _found(self, stage: Stage, query: Query, depth: int) -> NDArray[np.int64]:
        """The candidates are those for the whole context, regardless of how much of it the network reads."""
        citing = self.bench.library.canonical(query.citing_id) or query.citing_id
        key = (stage.name, citing, query.id)
        if key not in self._candidates:
            whole = replace(query, text=self._whole[citing, query.id])
            self._candidates[key] = stage.best(whole, self.bench.rows(query), depth)
        return self._candidates[key]

    def _shelf(self, stage: Stage) -> Sequence[Paper]:
        """The papers for training: all, or at a smaller scale those that are cited or found."""
        if self.scale.learned is None:
            return self.bench.data.papers
        rows: set[int] = set()
        for question in self.bench.questions([*self.train, *self.test]):
            rows.update(question.answers, (question.rows.citing,))
            rows.update(self._found(stage, question.query, self.scale.settings.depth).tolist())
        return [self.papers[row] for row in sorted(rows) if row in self.papers]

    def _settings(self, trial: Trial, seed: int) -> TextBibSettings | NcnSettings:
        if trial.variant == "NCN":
            return replace(self.scale.ncn, regime=trial.regime, seed=seed)
        settings = self.scale.settings
        return replace(
            settings,
            shape=replace(settings.shape, variant=trial.variant),
            regime=trial.regime,
            negatives=Mix.named(trial.negatives),
            enough=trial.enough,
            seed=seed,
        )

    @functools.lru_cache(maxsize=2)  # noqa: B019 # one of each, as long as the experiment
    def stage(self, prefilter: Prefilter) -> Stage:
        if prefilter == "BM25":
            return Words(self.bench, self._bm25, FORM)
        self.bench.encode(self._encoder, self._tell)
        return Meaning(self.bench, self._encoder, FORM)

    @functools.cached_property
    def _bm25(self) -> BM25:
        """Parameters chosen by R@1000 on validation contexts."""
        asked = self.bench.questions(sample(self.bench.data.val, CHOSEN_ON, self.setup.seed))
        found = grid(self.bench, asked, [FORM], self._tell)
        return max(found, key=lambda key: found[key])[1]

    def stages(self) -> str:
        """A description for people."""
        words = f"BM25 with k1 = {self._bm25.k1:g} and b = {self._bm25.b:g}"
        return f"{words} (or by meaning, where it says dense)"

    @functools.cached_property
    def _encoder(self) -> Encoder:
        return open_encoder(self.setup.encoder)

    @functools.cached_property
    def _words(self) -> CachedEncoder:
        """Text for word vectors, from which all trainings start."""
        return CachedEncoder(self._encoder)

    @functools.cached_property
    def _id_ranks(self) -> NDArray[np.int64]:
        """Ranks of the papers' ids in sorted order, by row."""
        rows = self.bench.index.papers()
        ranks = np.zeros(int(rows.max(initial=0)) + 1, dtype=np.int64)
        ranks[rows] = self.bench.index.id_ranks(rows)
        return ranks

    @functools.cached_property
    def papers(self) -> dict[int, Paper]:
        """By row."""
        return dict(self.bench.library.numbered_papers())

    @functools.cached_property
    def _whole(self) -> dict[tuple[str, str], str]:
        contexts = (*self.train, *self.bench.data.val, *self.test)
        topics = self.bench.questions(contexts)
        return {
            (found.query.citing_id, found.query.id): context.text
            for found, context in zip(topics, contexts, strict=True)
        }


def _cut(contexts: Sequence[Context], trial: Trial) -> list[Context]:
    return list(contexts) if trial.window is None else windowed(contexts, trial.window)


def _written(places: Sequence[float]) -> list[float]:
    return [0.0 if place == float("inf") else -1.0 if np.isnan(place) else place for place in places]


def _read(places: Sequence[float]) -> tuple[float, ...]:
    other = {0.0: float("inf"), -1.0: float("nan")}
    return tuple(other.get(place, place) for place in places)
