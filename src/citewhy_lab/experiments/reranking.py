"""Rerankers after a first stage, judged in three ways: common to the experiments on local citation
recommendation that train networks.

Three ways to count what a reranker does are kept apart, because their numbers are not comparable:

counted   a cited paper that the first stage misses is missed: what a user gets
solved    only cited papers that the first stage found are judged: strict figures of Medić (2023, 5.2 and 5.3)
inserted  a cited paper that the first stage misses is added to its candidates by hand: those of chapter 4

Only the first is a number about a system; the others show what the reranker alone can do.
"""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy.base.records import Context, Paper, Query
from citewhy.models import open_model
from citewhy.ranking.rank.reranker import Reranker, RerankRequest
from citewhy.ranking.rank.reranking import citing_years
from citewhy.search.encode import CachedEncoder, Encoder, open_encoder
from citewhy.search.index.fields import BM25
from citewhy_lab.evaluate.making import file_facts, library_facts, made
from citewhy_lab.experiments.bench import (
    Bench,
    ContextQuestion,
    Form,
    Meaning,
    Stage,
    Words,
    grid,
    open_bench,
    sample,
)
from citewhy_lab.experiments.engine import (
    Arrays,
    Cell,
    Lab,
    Result,
    Scale,
    Setup,
    Table,
    compared,
    digest,
    mean_and_spread,
)
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.data_set import windowed
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.recipe import Regime, checkpoints
from citewhy_lab.train.reranking.data import Questions, RerankingData
from citewhy_lab.train.sampling.citation_graph import CitationGraph, edges
from citewhy_lab.train.sampling.mixes import Mix, Strategy
from citewhy_lab.train.sampling.negatives import Negatives
from citewhy_lab.train.systems.ncn.recipe import train_ncn
from citewhy_lab.train.systems.ncn.settings import NcnSettings
from citewhy_lab.train.systems.textbib.recipe import train_textbib
from citewhy_lab.train.systems.textbib.settings import SOURCE, TextBibSettings, TextBibShape, Variant

FORM: Form = "context + abstract"
"""The query of first stages, after the title."""

CHOSEN_ON = 200
"""Number of validation contexts on which the parameters of BM25 are chosen."""

# Trials and scales ----------------------------------------------------------------------------------------

Network = Variant | Literal["NCN"]
"""A variant of TEXTBIB, or the baseline of table 4.2."""

Prefilter = Literal["BM25", "dense"]

_CODE = ("citewhy_lab/experiments/bench", "citewhy_lab/experiments/reranking")
"""What a judgement depends on beside the training; pages may compare in other ways without new trials."""

SEEDS = 3
"""Number of trainings of each kind, with consecutive seeds."""


@dataclass(frozen=True, slots=True)
class RerankerScale(Scale[TextBibSettings]):
    """Sizes of training and test: `taught` and `asked` are numbers of contexts."""

    short: int = 40
    """Characters on each side of the marker in a short context."""
    whole: int | None = None
    """The same of a whole context; None: all that the data has."""
    usual: int | None = None
    """The same in the tables of chapter 5."""
    ncn: NcnSettings = field(default_factory=lambda: NcnSettings(held_out=False))


SCALES = {
    "source": RerankerScale(SOURCE, short=200, whole=600, usual=200),
    "full": RerankerScale(TextBibSettings(epochs=100, held_out=False)),
    "small": RerankerScale(
        TextBibSettings(
            shape=TextBibShape(word=64, state=24, attention=24, author=16, people=16, paper_tokens=40),
            epochs=4,
            batches=60,
            pairs=10,
            dropout=0.1,
            validate_every=2,
            validated=30,
            depth=200,
            held_out=False,
        ),
        taught=1000,
        asked=150,
        ncn=NcnSettings(epochs=4, batches=60, validate_every=2, validated=30, held_out=False),
    ),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """A cell of a table."""

    variant: Network = "TEXTBIBENH-WS"
    prefilter: Prefilter = "BM25"
    regime: Regime = "standard"
    negatives: str = "random"
    window: int | None = None
    """Characters of a context that are read on each side of the marker; None: all."""
    enough: tuple[Strategy, int] | None = None
    """Learn only from contexts with at least this number of hard negatives of the strategy."""


# Judging --------------------------------------------------------------------------------------------------

Way = Literal["counted", "solved", "inserted"]

WAYS: tuple[Way, ...] = get_args(Way)

EXPLANATIONS = {
    "counted": "counted: what the first stage misses is missed",
    "solved": "solved: only cited papers that the first stage found are judged",
    "inserted": "inserted: what the first stage misses was added by hand",
}

AT = 10


@dataclass(frozen=True, slots=True)
class JudgedRanks:
    """Ranks of cited papers, from 1 and infinite for a missed one, in each way of counting; one element a
    cited paper, in ``solved`` nan for one that is not judged."""

    counted: tuple[float, ...]
    solved: tuple[float, ...]
    inserted: tuple[float, ...]

    def recall(self, way: Way) -> float:
        """Computes R@10; nan if nothing is judged."""
        return _mean([rank <= AT for rank in self.judged(way)])

    def reciprocal(self, way: Way) -> float:
        """Computes RR; nan if nothing is judged."""
        return _mean([1 / rank for rank in self.judged(way)])

    def judged(self, way: Way) -> list[float]:
        """Returns the ranks that count."""
        ranks: tuple[float, ...] = getattr(self, way)
        return [rank for rank in ranks if rank == rank]  # not nan


def judge(
    candidates: NDArray[np.int64],
    scores: NDArray[np.float32],
    answers: Sequence[int],
    missed: Sequence[float],
    ranks: NDArray[Any],
) -> list[tuple[float, float, float]]:
    """Ranks each of `answers` (rows; -1 for a paper that is not in the library): counted, solved, inserted.

    `scores` [n] are those of `candidates` [n] (rows), `missed` those of the answers that are not among them,
    in order (not for a row of -1); ties are broken by `ranks` [R].
    """
    inserted = iter(missed)
    index = {int(row): number for number, row in enumerate(candidates.tolist())}
    judged: list[tuple[float, float, float]] = []
    for row in answers:
        if row in index:
            rank = _rank(candidates, scores, float(scores[index[row]]), row, ranks)
            judged.append((rank, rank, rank))
        elif row < 0:
            judged.append((float("inf"), float("nan"), float("inf")))
        else:
            rank = _rank(candidates, scores, next(inserted), row, ranks)
            judged.append((float("inf"), float("nan"), rank))
    return judged


def _rank(
    candidates: NDArray[np.int64], scores: NDArray[np.float32], own: float, row: int, ranks: NDArray[Any]
) -> float:
    same = candidates[scores == own]
    return float(1 + np.count_nonzero(scores > own) + np.count_nonzero(ranks[same] < ranks[row]))


def summary(runs: Sequence[JudgedRanks], way: Way) -> list[Cell]:
    """Returns R@10 and RR over runs with different seeds, each followed by the standard deviation."""
    recalls = mean_and_spread([run.recall(way) for run in runs])
    return recalls + mean_and_spread([run.reciprocal(way) for run in runs])


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else float("nan")


# The laboratory -------------------------------------------------------------------------------------------


@contextmanager
def open_lab(files: Sequence[Path], setup: Setup, progress: Progress) -> Iterator[RerankerLab]:
    """Opens the data set as `open_bench` does."""
    with open_bench(files, progress) as bench:
        yield RerankerLab(bench, setup, progress)


class RerankerLab(Lab[Trial, JudgedRanks]):
    """The data set, its candidates, and the trials, whose judgements are kept beside the library, so that
    experiments share them."""

    def __init__(self, bench: Bench, setup: Setup, progress: Progress) -> None:
        seeds = range(setup.seed, setup.seed + SEEDS)
        super().__init__(seeds, bench.library.folder / "trials", progress)
        self.bench = bench
        self.setup = setup
        self.scale = SCALES[setup.scale]
        self._candidates: dict[tuple[str, str, str], NDArray[np.int64]] = {}
        self.train = sample(bench.data.train, self.scale.taught, setup.seed)
        self.test = sample(bench.data.test, self.scale.asked, setup.seed)
        self._orders: dict[str, JudgedRanks] = {}

    def named(self, system: Trial, seed: int) -> str:
        """Names all that a judgement depends on; the contexts that were drawn differ with the experiment's
        seed."""
        settings = asdict(self._settings(system, seed)) | {"negatives": system.negatives}
        asked = [[(context.citing_id, context.id) for context in part] for part in (self.train, self.test)]
        encoder = self._encoder.fingerprint
        vectors = None if self.setup.vectors is None else file_facts(self.setup.vectors)["sha256"]
        code = code_digest(*_CODE, "citewhy_lab/train")
        return digest(code, encoder, vectors, self._bm25, asdict(system), settings, asked)

    def ask(self, system: Trial, seed: int) -> Arrays:
        """Trains a model and judges it. Resumes an interrupted training, or uses the model if it is
        complete; in the end it is removed."""
        model = self.folder / self.named(system, seed)
        stage = self.stage(system.prefilter)
        name = f"{system.variant}, {system.prefilter}, {system.regime}, {system.negatives}, seed {seed}"
        if not model.exists():
            self._train(system, seed, stage, model, functools.partial(self._say, name))
        reranker = cast("Reranker", open_model(model, "reranker"))
        judged = self._judge(reranker, system, stage, name)
        for folder in (model, checkpoints(model)):
            shutil.rmtree(folder, ignore_errors=True)
        return {way: np.array(getattr(judged, way)) for way in WAYS}

    def answers(self, arrays: Arrays) -> JudgedRanks:
        return JudgedRanks(*(tuple(arrays[way].tolist()) for way in WAYS))

    def _train(self, system: Trial, seed: int, stage: Stage, model: Path, progress: Progress) -> None:
        settings = self._settings(system, seed)
        data = self._learned(system, stage)
        if isinstance(settings, NcnSettings):
            train_ncn(data, settings, model, progress, self.setup.device)
        else:
            train_textbib(data, settings, model, progress, self.setup.device)

    def order(self, prefilter: Prefilter) -> JudgedRanks:
        """Returns the first stage's own order, judged as a reranker is; a paper that it misses comes after
        its candidates."""
        if prefilter not in self._orders:
            stage, judged = self.stage(prefilter), []
            for question in self.bench.questions(self.test):
                candidates = self._candidates_of(stage, question.query, self.scale.settings.depth)
                scores = -np.arange(len(candidates), dtype=np.float32)
                missed = [
                    -np.inf for row in question.answers if row >= 0 and row not in set(candidates.tolist())
                ]
                judged += judge(candidates, scores, question.answers, missed, self._id_ranks)
            self._orders[prefilter] = JudgedRanks(*zip(*judged, strict=True))
        return self._orders[prefilter]

    def hard_counts(self, strategies: Sequence[Strategy]) -> dict[Strategy, NDArray[np.int64]]:
        """Counts [training contexts] how many different hard negatives of each strategy there are,
        after BM25."""
        data = self._learned(Trial(), self.stage("BM25"))
        known = KnownPapers(data.papers, data.aliases)
        graph = CitationGraph(list(known.all.values()), edges(data.citations, data.train), known.canonical)
        asked, _ = Questions(known, graph, data.first_stage, self.scale.settings, self.progress).to_learn(
            data.train
        )
        negatives = Negatives(graph, Mix.named("random"))
        return {
            name: np.array([negatives.hard_count(name, question) for question in asked], dtype=np.int64)
            for name in strategies
        }

    def solved(self, prefilter: Prefilter) -> tuple[int, int]:
        """Returns the sizes of the strict sets: training and test pairs of a context and a cited paper whose
        paper is among the candidates."""
        stage, sizes = self.stage(prefilter), []
        for contexts in (self.train, self.test):
            pairs = 0
            for question in self.bench.questions(contexts):
                rows = self._candidates_of(stage, question.query, self.scale.settings.depth)
                pairs += len({*question.answers} & {*rows.tolist()})
            sizes.append(pairs)
        return sizes[0], sizes[1]

    def _say(self, name: str, what: str, share: float | None) -> None:
        self.progress(f"{name}: {what}", share)

    def _learned(self, trial: Trial, stage: Stage) -> RerankingData:
        data, depth = self.bench.data, self.scale.settings.depth

        def first_stage(query: Query) -> list[str]:
            return self.bench.index.ids(self._candidates_of(stage, query, depth))

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

    def _judge(self, reranker: Reranker, trial: Trial, stage: Stage, name: str) -> JudgedRanks:
        questions = self.bench.questions(_cut(self.test, trial))
        judged: list[tuple[float, float, float]] = []
        for done, question in enumerate(questions, start=1):
            judged += self.ranks(reranker, stage, question)
            self.progress(f"{name}: {done:,} of {len(questions):,} test contexts", done / len(questions))
        return JudgedRanks(*zip(*judged, strict=True))

    def ranks(
        self, reranker: Reranker, stage: Stage, question: ContextQuestion
    ) -> list[tuple[float, float, float]]:
        """Ranks each answer of a question, as `JudgedRanks` has them: counted, solved, inserted."""
        candidates = self._candidates_of(stage, question.query, self.scale.settings.depth)
        known = set(candidates.tolist())
        missed = [row for row in question.answers if row >= 0 and row not in known]
        rows = np.array([*candidates, *missed], dtype=np.int64)
        years = citing_years(self.bench.view(question.query, question.rows), rows)
        papers = [self.papers[row] for row in rows.tolist()]
        scores = reranker.scores(RerankRequest(question.query, papers, years))
        own, others = scores[: len(candidates)], scores[len(candidates) :].tolist()
        return judge(candidates, own, question.answers, others, self._id_ranks)

    def _candidates_of(self, stage: Stage, query: Query, depth: int) -> NDArray[np.int64]:
        """Returns the candidates for the whole context, regardless of how much of it the network reads."""
        citing = self.bench.library.canonical(query.citing_id) or query.citing_id
        key = (stage.name, citing, query.id)
        if key not in self._candidates:
            whole = replace(query, text=self._whole[citing, query.id])
            self._candidates[key] = stage.best(whole, self.bench.rows(query), depth)
        return self._candidates[key]

    def _shelf(self, stage: Stage) -> Sequence[Paper]:
        """Returns the papers for training: all, or at a smaller scale those that are cited or found."""
        if self.scale.taught is None:
            return self.bench.data.papers
        rows: set[int] = set()
        for question in self.bench.questions([*self.train, *self.test]):
            rows.update(question.answers, (question.rows.citing,))
            rows.update(self._candidates_of(stage, question.query, self.scale.settings.depth).tolist())
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
        self.bench.encode(self._encoder, self.progress)
        return Meaning(self.bench, self._encoder, FORM)

    @functools.cached_property
    def _bm25(self) -> BM25:
        """The parameters chosen by R@1000 on validation contexts."""
        asked = self.bench.questions(sample(self.bench.data.val, CHOSEN_ON, self.setup.seed))
        recalls = grid(self.bench, asked, [FORM], self.progress)
        return max(recalls, key=lambda key: recalls[key])[1]

    def stages(self) -> str:
        """Describes the first stages for people."""
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
        """Returns the papers by row."""
        return dict(self.bench.library.numbered_papers())

    @functools.cached_property
    def _whole(self) -> dict[tuple[str, str], str]:
        contexts = (*self.train, *self.bench.data.val, *self.test)
        topics = self.bench.questions(contexts)
        return {
            (topic.query.citing_id, topic.query.id): context.text
            for topic, context in zip(topics, contexts, strict=True)
        }


def _cut(contexts: Sequence[Context], trial: Trial) -> list[Context]:
    return list(contexts) if trial.window is None else windowed(contexts, trial.window)


# Pages ----------------------------------------------------------------------------------------------------

COLUMNS = ("R@10", "± R@10", "RR", "± RR")

SMALL = (
    "Scale small: networks, contexts and candidates are as many as two cores get through in minutes. Large"
    " differences tell something; what lies within the spread of the seeds does not."
)


def tables(
    title: str, rows: Mapping[str, Trial], lab: RerankerLab, first_stages: Sequence[Prefilter] = ("BM25",)
) -> list[Table]:
    """Makes a table for each way of counting; the first column has the name of the trial. The orders of the
    first stages come first."""
    judged = {f"{name} alone": [lab.order(name)] for name in first_stages}
    judged |= {name: lab.runs(trial) for name, trial in rows.items()}
    return [
        Table(
            f"{title}, {way}",
            ["", "cited papers", *COLUMNS],
            [[name, len(runs[0].judged(way)), *summary(runs, way)] for name, runs in judged.items()],
            [
                f"{EXPLANATIONS[way].capitalize()}. {len(lab.test):,} test contexts;"
                f" {lab.scale.settings.depth:,} candidates of a pool of {lab.bench.pool:,},"
                f" by {lab.stages()};"
                f" mean and standard deviation (±) of {SEEDS} trainings."
            ],
        )
        for way in WAYS
    ]


def differs(
    first: Sequence[JudgedRanks], second: Sequence[JudgedRanks], way: Way
) -> tuple[Difference, Difference]:
    """Tests first minus second in R@10 and RR, over cited papers and seeds."""
    hits, reciprocals = (
        compared(_values(first, way, measure), _values(second, way, measure)) for measure in _MEASURES
    )
    return hits, reciprocals


def differs_more(
    one: tuple[Sequence[JudgedRanks], Sequence[JudgedRanks]],
    other: tuple[Sequence[JudgedRanks], Sequence[JudgedRanks]],
    way: Way,
) -> tuple[Difference, Difference]:
    """Tests the difference of two systems minus that of two others, in R@10 and RR, over cited papers and
    seeds; the same papers are judged for all four."""

    def gains(
        pair: tuple[Sequence[JudgedRanks], Sequence[JudgedRanks]], measure: Callable[[float], float]
    ) -> list[NDArray[np.float64]]:
        first, second = (_values(runs, way, measure) for runs in pair)
        return [high - low for high, low in zip(first, second, strict=True)]

    hits, reciprocals = (compared(gains(one, measure), gains(other, measure)) for measure in _MEASURES)
    return hits, reciprocals


_MEASURES: tuple[Callable[[float], float], ...] = (lambda rank: float(rank <= AT), lambda rank: 1 / rank)
"""R@10 and RR of a cited paper, from its rank."""


def _values(
    runs: Sequence[JudgedRanks], way: Way, measure: Callable[[float], float]
) -> list[NDArray[np.float64]]:
    """[cited papers] for each run."""
    return [np.array([measure(rank) for rank in run.judged(way)]) for run in runs]


def tests(rows: Mapping[str, tuple[Difference, Difference]], note: str) -> Table:
    """Makes the table of differences in R@10 and in RR."""
    heads = [f"{name}{what}" for name in ("R@10", "RR") for what in ("", ", low", ", high", ", p")]
    cells: list[list[Cell]] = [
        [
            name,
            *(
                cell
                for difference in pair
                for cell in (difference.value, difference.low, difference.high, difference.p)
            ),
        ]
        for name, pair in rows.items()
    ]
    return Table("Is it by chance?", ["", *heads], cells, [note])


def mean(lab: RerankerLab, trial: Trial, way: Way = "counted") -> float:
    """Averages RR over seeds."""
    values = [run.reciprocal(way) for run in lab.runs(trial)]
    return sum(values) / len(values)


def page(
    title: str, summary: Sequence[str], parts: Sequence[Table], rows: Mapping[str, Trial], lab: RerankerLab
) -> Result:
    """Makes the whole result, with the figures of every seed of every trial, and its provenance."""
    bench, setup = lab.bench, lab.setup
    sizes = {"taught": len(lab.train), "asked": len(lab.test)}
    options = {"scale": setup.scale, "first_stages": lab.stages(), "seeds": list(lab.seeds), **sizes}
    trials = {
        name: [
            {way: {"R@10": run.recall(way), "RR": run.reciprocal(way)} for way in WAYS}
            for run in lab.runs(trial)
        ]
        for name, trial in rows.items()
    }
    return Result(
        title=f"{title}: {bench.data.name}",
        summary=[*([SMALL] if setup.scale == "small" else []), *bench.data.notes, *summary],
        tables=parts,
        facts={"trials": trials},
        made=made(bench.data.files, None, library_facts(bench.library), options, setup.seed),
    )
