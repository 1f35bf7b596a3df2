"""Experiment `sets`: places that cite one paper, and places that cite several.

Tables 3 and 4 of Zhang and Ma (2021): recall and average precision of the first ten for places with exactly
one, at least one, and at least two relevant papers; and recall by how often two of them were cited together
before. Candidates are never newer than the question, and never its own paper.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder as SentenceEncoder
from citewhy.search.encode import TextKind, Vectors, default_encoder, open_encoder
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.making import file_facts, made
from citewhy_lab.experiments.engine import (
    Arrays,
    Cell,
    Lab,
    Result,
    Scale,
    Setup,
    Table,
    compared,
    comparisons,
    digest,
    kept,
    mean_and_spread,
    shown,
    signed,
)
from citewhy_lab.experiments.sets_data import FILES, CitingContext, Field, open_field
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.recipe import DeviceName
from citewhy_lab.train.requirements import default_start, start_sha256
from citewhy_lab.train.sampling.co_citations import CoCitations
from citewhy_lab.train.systems.citation_vectors.settings import Method, VectorSettings
from citewhy_lab.train.systems.citation_vectors.training import trained
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.encoder.settings import TOKENS
from citewhy_lab.train.systems.mpbert4cr.network import Encoder, Reader, ReadyVectors, Vocabulary
from citewhy_lab.train.systems.mpbert4cr.recipe import Corpus, documents_of, fine_tune, pretrain
from citewhy_lab.train.systems.mpbert4cr.settings import PRESETS, MpBertSettings, Objective
from citewhy_lab.train.systems.mpbert4cr.texts import Example, History, examples_of

# The systems ---------------------------------------------------------------------------------------------


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
    """Sentences of a full text that may be drawn, beside its abstract: more than are drawn, or dynamic
    sampling has nothing to choose from."""
    vectors: VectorSettings = field(default_factory=VectorSettings)


GENSIM = VectorSettings(window=5, negatives=5, least=5, epochs=5, citation_epochs=5)
"""The "default parameters" of the source's baselines (section 5.2): gensim's, which HyperDoc2Vec has, too."""

SCALES = {
    "source": SetsScale(replace(PRESETS["source-acl"], held_out=False), ready=False, vectors=GENSIM),
    "full": SetsScale(replace(PRESETS["small"], held_out=False), ready=True),
    "small": SetsScale(
        replace(PRESETS["small"], held_out=False),
        ready=True,
        pool=800,
        body=20,
        taught=1500,
        vectors=VectorSettings(epochs=10, citation_epochs=10),
    ),
}


@dataclass(frozen=True, slots=True)
class System:
    """A row of the tables. `objective` and `dynamic` are those of MP-BERT4CR, `pipeline` one of
    `rank.ranker.PIPELINES`, `method` a baseline that is trained. `tuned`: whether MP-BERT4CR is fine-tuned
    after its pre-training. `plain`: sentences are vectors of all-MiniLM-L6-v2, which was not trained on
    citing sentences, in place of those of the built-in encoder, which was."""

    name: str
    objective: Objective | None = None
    dynamic: bool = True
    tuned: bool = True
    plain: bool = False
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
        self._started: dict[tuple[int, bool], Encoder] = {}
        self._readers: dict[bool, Reader] = {}

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
            return {"first": self._recommended(system, progress)}
        if system.method is not None:
            settings = replace(self.scale.vectors, seed=seed)
            return {"first": self._by_vectors(system.method, settings, progress)}
        return {"first": self._trained(system, self._settings(system, seed), progress)}

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
        encoder = self._encoder(system.plain)
        if system.pipeline is not None:
            return encoder.fingerprint
        code = code_digest("citewhy_lab/train")
        if system.method is not None:
            return system.method, asdict(replace(self.scale.vectors, seed=seed)), code
        ready = self.scale.ready and encoder.fingerprint
        return asdict(self._settings(system, seed)), ready, system.tuned, code

    def _encoder(self, plain: bool) -> SentenceEncoder:
        return self._plain if plain else self.encoder

    @cached_property
    def _plain(self) -> SentenceEncoder:
        return plain_encoder()

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

    def _recommended(self, system: System, progress: Progress) -> Ranked:
        """Ranks by a pipeline, in a library of the candidates alone."""
        graph, first = self.field.graph, []
        with (
            tempfile.TemporaryDirectory(prefix="citewhy-") as folder,
            Library.open(Path(folder) / "library", create=True) as library,
        ):
            library.add(graph.papers)
            models = ModelSet(encoder=self._encoder(system.plain))
            recommender = Recommender(library, system.pipeline or "bm25", models=models)
            for number, sentence in enumerate(self.field.asked):
                progress("asking", number / len(self.field.asked))
                ids = recommender.rank(sentence.query, FIRST).ids
                rows = [row for paper_id in ids if (row := graph.row(paper_id)) is not None]
                first.append([*rows, *[-1] * (FIRST - len(rows))])
        return np.array(first)

    def _by_vectors(self, method: Method, settings: VectorSettings, progress: Progress) -> Ranked:

        progress("training", None)
        model = trained(method, self.field.corpus(), settings, progress)
        return self._ranked(model.scores([self.field.question(question) for question in self.field.asked]))

    # MP-BERT4CR -------------------------------------------------------------------------------------------

    def _trained(self, system: System, settings: MpBertSettings, progress: Progress) -> Ranked:

        reader, vocabulary, settings = self._reading(system, settings)
        history = History(
            self.field.together,
            sorted({row for context in self.field.taught for row in context.cited}),
            settings.seed,
            settings.sentence_first,
        )
        corpus = Corpus(
            self.field.graph,
            [example for sentence in self.field.taught for example in _examples(sentence)],
            history,
            self.field.manuscript,
            self.field.paper,
        )
        start = self._start(system, settings, reader, vocabulary, progress)
        settings = settings if system.tuned else replace(settings, epochs=0)
        learner, _ = fine_tune(start, corpus, reader, len(vocabulary), settings, progress)
        scorer = learner.scorer()
        progress("ranking", None)
        papers = scorer.papers([self.field.paper(row) for row in range(len(self.field.graph.papers))])
        asked = scorer.manuscripts([self.field.manuscript(question.query) for question in self.field.asked])
        return self._ranked((asked @ papers.T).numpy())

    def _start(
        self,
        system: System,
        settings: MpBertSettings,
        reader: Reader,
        vocabulary: Vocabulary,
        progress: Progress,
    ) -> Encoder:
        """Returns the pre-trained encoder of a seed, the same for all objectives."""

        key = settings.seed, system.plain
        if key not in self._started:
            documents = documents_of((), self.field.taught_texts())
            device: DeviceName = self.setup.device
            self._started[key] = pretrain(
                documents, reader, vocabulary, settings, choose_device(device), progress
            )[0]
        return self._started[key]

    def _reading(self, system: System, settings: MpBertSettings) -> tuple[Reader, Vocabulary, MpBertSettings]:
        words = self._vocabulary
        if not self.scale.ready:
            return words, words, settings
        encoder = self._encoder(system.plain)
        settings = replace(settings, shape=replace(settings.shape, inputs=encoder.dimensions))
        if system.plain not in self._readers:
            self._readers[system.plain] = self._vectors(encoder)
        return self._readers[system.plain], words, settings

    @cached_property
    def _vocabulary(self) -> Vocabulary:

        texts = (sentence.text for text in self.field.taught_texts().values() for sentence in text.sentences)
        return Vocabulary.of(
            [*texts, *(example.query.text for example in self.field.taught)], self.scale.settings.shape
        )

    def _vectors(self, encoder: SentenceEncoder) -> Reader:
        """Returns the vectors of all sentences, computed once and kept."""

        reader = ReadyVectors(encoder, self.scale.settings.shape)
        sentences = self.field.sentences()
        for start in range(0, len(sentences), _ENCODED):
            self.progress(f"encoding {len(sentences):,} sentences", start / len(sentences))
            some = sentences[start : start + _ENCODED]
            path = self.folder / f"sentences-{digest(some, encoder.fingerprint)}.npz"
            vectors = kept(path, partial(_encoded, encoder, some))["vectors"]
            reader.keep(some, vectors.astype(np.float32))
        return reader


def _encoded(encoder: SentenceEncoder, sentences: Sequence[str]) -> Arrays:
    return {"vectors": encoder.encode(sentences, "query").astype(np.float16)}


class PlainEncoder:
    """all-MiniLM-L6-v2 as its authors published it, in 32 bits."""

    name = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        start = default_start()
        self._model = TextModel(start)
        self.fingerprint = start_sha256(start)
        self.dimensions = int(self._model.network.config.hidden_size)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Encodes as `Encoder.encode` does."""
        return self._model.encode(texts, TOKENS[kind], lambda _share: None)


def plain_encoder() -> SentenceEncoder:
    """Opens the encoder of the rows `System.plain`."""
    return PlainEncoder()


def _examples(sentence: CitingContext) -> list[Example]:
    return examples_of(sentence.query, sentence.cited)


def open_lab(files: Sequence[Path], setup: Setup, progress: Progress) -> SetsLab:
    """Reads the data. Raises InputError for other files."""
    if not 1 <= len(files) <= 2:
        raise InputError(f"{len(files)} files", path=files[0], hint=f"expected: {FILES}")
    data, *results = files
    folder = results[0] if results else Path(tempfile.mkdtemp(prefix="citewhy-"))
    return SetsLab(data, SCALES[setup.scale], setup, progress, folder)


# Tables and measures -------------------------------------------------------------------------------------

BEST, UNTUNED = "MB4R mpt-src-tgt", "MB4R not fine-tuned"
PLAIN, PLAIN_BEST = "plain encoder", "MB4R mpt-src-tgt, plain encoder"

SYSTEMS = (
    System("BM25", pipeline="bm25"),
    System("built-in encoder", pipeline="dense"),
    System("MB4R no dynamic", "mpt-src-tgt", dynamic=False),
    System("MB4R triplet", "triplet"),
    System(BEST, "mpt-src-tgt"),
    System("W2V", method="word2vec"),
    System("D2V", method="doc2vec"),
    System("HD2V", method="hyperdoc2vec"),
    System("DACR", method="dacr"),
    System("MB4R mpt-src", "mpt-src"),
    System("MB4R mpt-tgt", "mpt-tgt"),
    System(UNTUNED, "mpt-src-tgt", tuned=False),
    System(PLAIN, pipeline="dense", plain=True),
    System(PLAIN_BEST, "mpt-src-tgt", plain=True),
)
"""In the order in which they are trained."""

_OF_ENCODERS = (UNTUNED, PLAIN, PLAIN_BEST)
"""Rows that tell what a ready encoder, and its training, contribute; only for scales that have one."""

_BASELINES = ("BM25", "built-in encoder", "W2V", "D2V", "HD2V", "DACR")

_TABLE_3 = (*_BASELINES, "MB4R no dynamic", "MB4R triplet", BEST, *_OF_ENCODERS)

_TABLE_4 = ("MB4R triplet", "MB4R mpt-src", "MB4R mpt-tgt", BEST)

_COMPARED = (
    (BEST, "MB4R triplet"),
    (BEST, "MB4R no dynamic"),
    (BEST, "MB4R mpt-tgt"),
    ("MB4R mpt-src", "MB4R triplet"),
    ("MB4R mpt-tgt", "MB4R triplet"),
    ("MB4R mpt-tgt", "MB4R mpt-src"),
    (BEST, "MB4R mpt-src"),
    (BEST, "BM25"),
    (BEST, UNTUNED),
    (PLAIN_BEST, PLAIN),
    (PLAIN_BEST, "BM25"),
    (BEST, PLAIN_BEST),
)
"""Beside `_against_baselines`: findings of the source (5.4, 5.5), and what the encoder is worth."""

_SIZES: Mapping[str, Callable[[int], bool]] = {
    "= 1": lambda size: size == 1,
    "≥ 1": lambda size: size >= 1,
    "≥ 2": lambda size: size >= 2,
}

_SOURCE = (
    "The source on DBLP-1, R@10 for = 1, ≥ 1 and ≥ 2: no dynamic .390, .394, .473; triplet .401, .403, .450;"
    " mpt-src .419, .422, .488; mpt-tgt .449, .451, .497; mpt-src-tgt .448, .452, .525. On ACL:"
    " no dynamic .305, .305, .328; triplet .308, .309, .396; mpt-src-tgt .361, .362, .406; HD2V, its best"
    " baseline, .309, .308, .236."
)

_READY = (
    "MP-BERT4CR reads vectors of the sentence encoder, which was trained on citing sentences of these papers;"
    " W2V, D2V, HD2V and DACR see the training places alone. The plain encoder is all-MiniLM-L6-v2, from"
    " which the built-in one was trained: it has read no citing sentences of this field, but pairs of titles"
    " and abstracts that cite each other, among which these papers may be."
)

_GIVEN = (
    "MP-BERT4CR reads vectors of the encoder that was given with --encoder, which is the row “built-in"
    " encoder”, too; W2V, D2V, HD2V and DACR see the training places alone. The plain encoder is"
    " all-MiniLM-L6-v2, which has read no citing sentences of this field."
)

_ABSENT = "The source's rows SciBERT and Specter are absent: their weights are no part of this package."

_THIRDS = ("low", "middle", "high")


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains and asks every system, and compares the best with what it is made of."""
    lab = open_lab(files, setup, progress)
    left_out = () if lab.scale.ready else _OF_ENCODERS
    runs = {system.name: lab.runs(system) for system in SYSTEMS if system.name not in left_out}
    by_pair = _differences(runs, lab)
    named = {
        f"{pair}, {measure}": effect
        for pair, by_measure in by_pair.items()
        for measure, effect in by_measure.items()
    }
    options = {"scale": setup.scale, "seeds": list(lab.seeds), **lab.sizes}
    return Result(
        title="Several citations for one place",
        summary=[*_summary(by_pair, small=setup.scale == "small"), draws(lab)],
        tables=[
            _table("Table 3", _TABLE_3, runs, lab),
            _table("Table 4", _TABLE_4, runs, lab),
            _by_frequency(runs, lab),
            comparisons(named, "95 % intervals and p with citing papers and seeds as drawn at random."),
        ],
        facts={
            "seeds": {
                name: [means(ranked, lab.field.asked) for ranked in of_system]
                for name, of_system in runs.items()
            }
        },
        made=made(lab.field.files, None, None, options, setup.seed),
    )


# Measures -------------------------------------------------------------------------------------------------


def measured(first: Ranked, asked: Sequence[CitingContext]) -> dict[str, NDArray[np.float64]]:
    """Returns [questions] recall and average precision of the first `FIRST`, and whether all relevant papers
    are among them."""
    recalls, precisions, whole = [], [], []
    for row, context in zip(first.tolist(), asked, strict=True):
        hits = [rank for rank, paper in enumerate(row, 1) if paper in context.cited]
        recalls.append(len(hits) / len(context.cited))
        precisions.append(
            sum(count / rank for count, rank in enumerate(hits, 1)) / min(len(context.cited), FIRST)
        )
        whole.append(float(len(hits) == len(context.cited)))
    return {"R@10": np.array(recalls), "AP@10": np.array(precisions), "all@10": np.array(whole)}


def _of_size(asked: Sequence[CitingContext], fits: Callable[[int], bool]) -> NDArray[np.bool_]:
    return np.array([fits(len(question.cited)) for question in asked])


def means(first: Ranked, asked: Sequence[CitingContext]) -> dict[str, float]:
    by_measure = measured(first, asked)
    return {
        f"{name} {size}": float(values[kept].mean())
        for size, fits in _SIZES.items()
        if (kept := _of_size(asked, fits)).any()
        for name, values in by_measure.items()
        if name != "all@10" or size == "≥ 2"
    }


def by_paper(values: NDArray[np.float64], asked: Sequence[CitingContext]) -> tuple[NDArray[np.float64], ...]:
    """Sums and numbers of questions by citing paper: those of one paper are not independent."""
    papers = {question.query.citing_id: None for question in asked}
    row = {paper: number for number, paper in enumerate(papers)}
    positions = np.array([row[question.query.citing_id] for question in asked])
    return np.bincount(positions, values).astype(np.float64), np.bincount(positions).astype(np.float64)


def difference(
    one: Sequence[Ranked], other: Sequence[Ranked], name: str, asked: Sequence[CitingContext]
) -> Difference:
    """Tests first minus second, over citing papers and seeds."""
    return _difference(one, other, lambda first: measured(first, asked)[name], asked)


def _difference(
    one: Sequence[Ranked],
    other: Sequence[Ranked],
    values: Callable[[Ranked], NDArray[np.float64]],
    asked: Sequence[CitingContext],
) -> Difference:
    """Tests first minus second: `values` [n] are means of what is `asked` [n], of two citing papers or
    more."""

    def by_citing_paper(first: Ranked) -> NDArray[np.float64]:
        sums, counts = by_paper(values(first), asked)
        scaled: NDArray[np.float64] = sums * len(sums) / counts.sum()
        return scaled

    return compared(*([by_citing_paper(first) for first in runs] for runs in (one, other)))


Pair = tuple[int, int, int]
"""A question, and two papers that it cites."""


def co_cited(field: Field) -> dict[Pair, int]:
    """Returns how many earlier papers cite both of each pair of papers that one question cites."""
    history = CoCitations(field.together)
    return {
        (number, one, other): history.frequencies(one, context.query.year or 0).get(other, 0)
        for number, context in enumerate(field.asked)
        for one, other in combinations(context.cited, 2)
    }


def thirds(field: Field) -> dict[str, list[Pair]]:
    """Returns the pairs by thirds of the number of earlier papers that cite both."""
    counts = co_cited(field)
    if not counts:
        return {}
    low, high = np.quantile(list(counts.values()), [1 / 3, 2 / 3])
    which = {pair: 0 if count <= low else 1 if count <= high else 2 for pair, count in counts.items()}
    return {
        name: [pair for pair, third in which.items() if third == number]
        for number, name in enumerate(_THIRDS)
    }


def both_found(first: Ranked, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """[pairs] whether the first ten have both papers."""
    return np.array([float({one, other} <= set(first[number].tolist())) for number, one, other in pairs])


# Pages ----------------------------------------------------------------------------------------------------


def _table(title: str, names: Sequence[str], runs: Mapping[str, Sequence[Ranked]], lab: SetsLab) -> Table:
    asked = lab.field.asked
    columns = [f"{name}, {size}" for size in _SIZES for name in ("R@10", "AP@10")]
    rows: list[list[Cell]] = []
    for name in (name for name in names if name in runs):
        cells: list[Cell] = [name]
        for fits in _SIZES.values():
            kept = _of_size(asked, fits)
            cells += [_cell(runs[name], measure, kept, lab) for measure in ("R@10", "AP@10")]
        rows.append(cells)
    sizes = lab.sizes
    note = (
        f"{sizes['asked']:,} questions of the newest year, {sizes['several']:,} of them with several relevant"
        f" papers; {sizes['papers']:,} candidates; {sizes['taught']:,} earlier places for training. Means"
        f" over {len(lab.seeds)} seeds ± their standard deviation, and 95 % intervals of the means by"
        " the bootstrap over citing papers."
    )
    return Table(
        title, ["", *columns], rows, [note, *([_ready(lab)] if lab.scale.ready else []), _ABSENT, _SOURCE]
    )


def _ready(lab: SetsLab) -> str:
    return _GIVEN if lab.setup.encoder else _READY


def _cell(runs: Sequence[Ranked], measure: str, kept: NDArray[np.bool_], lab: SetsLab) -> Cell:
    asked = [context for context, fits in zip(lab.field.asked, kept, strict=True) if fits]
    if not asked:
        return None
    values = [measured(ranked[kept], asked)[measure] for ranked in runs]
    sums, counts = by_paper(np.mean(values, axis=0), asked)
    low, high = interval(resampled_means(sums, counts, lab.setup.seed))
    mean, spread = mean_and_spread([float(run.mean()) for run in values])
    around = "" if spread is None else f" ± {shown(spread)}"
    return f"{shown(mean)}{around} ({shown(low)}–{shown(high)})"


def _by_frequency(runs: Mapping[str, Sequence[Ranked]], lab: SetsLab) -> Table:
    pairs = thirds(lab.field)
    rows: list[list[Cell]] = []
    for name, rankings in runs.items():
        cells: list[Cell] = [name]
        for third in pairs.values():
            both = [both_found(first, third).mean() for first in rankings if third]
            cells.append(float(np.mean(both)) if both else None)
        whole = [means(first, lab.field.asked).get("all@10 ≥ 2") for first in rankings]
        cells.append(fmean(share for share in whole if share is not None) if whole[0] is not None else None)
        rows.append(cells)
    columns = [*(f"{name} ({len(of)} pairs)" for name, of in pairs.items()), "all relevant papers"]
    counts = co_cited(lab.field)
    spans = [
        f"{min(counts[pair] for pair in third):,} to {max(counts[pair] for pair in third):,} ({name})"
        for name, third in pairs.items()
        if third
    ]
    note = (
        "Share of the pairs of papers that one question cites of which the first ten have both, by thirds of"
        f" the number of earlier papers that cite both, {', '.join(spans)}; and the share of questions with"
        " several relevant papers of which the first ten have all."
    )
    return Table("By frequency of co-citation", ["", *columns], rows, [note])


def _differences(runs: Mapping[str, Sequence[Ranked]], lab: SetsLab) -> dict[str, dict[str, Difference]]:
    """Returns the differences by measure and size, of each pair of systems that are compared."""
    by_pair: dict[str, dict[str, Difference]] = {}
    pairs = dict.fromkeys((*_COMPARED, *_against_baselines(runs, lab)))
    for first, second in (pair for pair in pairs if runs.keys() >= {*pair}):
        by_pair[f"{first} − {second}"] = by_measure = {}
        for size, fits in _SIZES.items():
            right_size = _of_size(lab.field.asked, fits)
            asked = [context for context, own in zip(lab.field.asked, right_size, strict=True) if own]
            if len({context.query.citing_id for context in asked}) < 2:
                continue
            for measure in ("R@10", "AP@10"):
                one, other = ([ranked[right_size] for ranked in runs[name]] for name in (first, second))
                by_measure[f"{measure} {size}"] = difference(one, other, measure, asked)
    for first, second in ((BEST, "MB4R triplet"), _against_baselines(runs, lab)[-1]):
        by_pair[f"{first} − {second}"] |= _of_pairs(runs[first], runs[second], lab)
    return by_pair


def _of_pairs(one: Sequence[Ranked], other: Sequence[Ranked], lab: SetsLab) -> dict[str, Difference]:
    """Returns the differences in what `_by_frequency` tells."""
    every, found = lab.field.asked, {}
    for name, third in thirds(lab.field).items():
        asked = [every[number] for number, *_ in third]
        if len({context.query.citing_id for context in asked}) > 1:
            both = partial(both_found, pairs=third)
            found[f"both of a pair, {name}"] = _difference(one, other, both, asked)
    several = _of_size(every, _SIZES["≥ 2"])
    asked = [context for context, own in zip(every, several, strict=True) if own]
    if len({context.query.citing_id for context in asked}) > 1:
        these, those = ([ranked[several] for ranked in runs] for runs in (one, other))
        found["all relevant papers"] = difference(these, those, "all@10", asked)
    return found


def _against_baselines(runs: Mapping[str, Sequence[Ranked]], lab: SetsLab) -> list[tuple[str, str]]:
    """Returns the pairs of MP-BERT4CR with the baseline that has the best recall over all places, and of each
    objective with the best that is trained on the same places; the default objective is the last."""

    def recall(name: str) -> float:
        return fmean(float(measured(first, lab.field.asked)["R@10"].mean()) for first in runs[name])

    trained_ones = [name for name in _BASELINES if len(runs[name]) > 1]
    best, best_trained = (max(names, key=recall) for names in (_BASELINES, trained_ones or _BASELINES))
    return [(BEST, best), *((name, best_trained) for name in _TABLE_4)]


def draws(lab: SetsLab) -> str:
    """Tells of how many candidates and questions dynamic sampling can change what is read."""
    sampled, field = lab.scale.settings.sampled, lab.field
    papers = sum(len(field.paper(row).pool) > sampled.body for row in range(len(field.graph.papers)))
    asked = sum(len(field.manuscript(place.query).pool) > sampled.manuscript for place in field.asked)
    return (
        f"Dynamic sampling can change what is read of {papers:,} of the {len(field.graph.papers):,}"
        f" candidates and of {asked:,} of the {len(field.asked):,} manuscripts: the others have no more"
        " sentences than are drawn."
    )


def _summary(by_pair: Mapping[str, Mapping[str, Difference]], small: bool) -> list[str]:
    sentences = [
        f"{pair.replace(' − ', ' against ')}, {size}: {signed(by_measure[f'R@10 {size}'])} in R@10"
        for pair, by_measure in by_pair.items()
        for size in ("≥ 1", "≥ 2")
        if f"R@10 {size}" in by_measure
    ]
    note = (
        "Scale small: networks of one layer on the vectors of the built-in sentence encoder, a sample of the"
        " candidates and of each full text. The source trains six layers on six for words; only the order of"
        " the systems can be compared."
    )
    return [*([note] if small else []), f"{'; '.join(sentences)}."]
