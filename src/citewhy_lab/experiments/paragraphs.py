"""Common parts of the experiments on paragraph-level recommendation: questions, trainings, answers, tables.

The questions are those of `citewhy evaluate paragraph`. Candidates are the papers with title and abstract
that are not newer than the question, without the citing paper. Relevant papers without an abstract, which no
system can find, do not count, nor do questions that have no others. What a trained system found is kept in a
folder, if one is given.

Weights of trained systems are kept there, too, so that all experiments use the same trainings.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Paper
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.datasets.paragraphs import TASK
from citewhy_lab.evaluate.datasets.reading import find
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.making import file_facts, made
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.experiments.engine import (
    Arrays,
    Cell,
    Lab,
    Scale,
    Setup,
    Table,
    compared,
    digest,
    kept,
    mean_and_spread,
    shown,
    signed,
)
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.recipe import DeviceName
from citewhy_lab.train.requirements import start_sha256
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.qpcr.encoder import paragraph_text, whole_text
from citewhy_lab.train.systems.qpcr.network import LastLayers, topic_attention
from citewhy_lab.train.systems.qpcr.recipe import (
    Example,
    examples,
    fit,
    last_layers,
    marked_tokenizer,
    opened_model,
    start_folder,
    validated,
)
from citewhy_lab.train.systems.qpcr.settings import SOURCE, TRAINED, QpcrSettings, Variant

FILES = (
    "the folder of papers and citations (docs/training.md), that of `citewhy datasets build paragraphs`, and"
    " optionally one for results"
)

FIRST = 10
"""Recommendations of a question that are looked at."""

MEASURES = ("Rprec", "R@5", "R@10", "RR")

SCALES = {
    "source": Scale(SOURCE),
    "full": Scale(QpcrSettings()),
    "small": Scale(QpcrSettings(epochs=1, pool=100), taught=40, asked=40, pool=500, seeds=(1, 2)),
}


@dataclass(frozen=True, slots=True)
class RankedPapers:
    """Holds what a system found for n questions with j relevant papers in all."""

    ranks: NDArray[np.int64]
    """[j], from 1; 0: not among the candidates."""
    first: NDArray[np.int64]
    """[n, FIRST] rows of candidates, best first; -1 where there are fewer."""


# Data and systems -----------------------------------------------------------------------------------------


class ParagraphLab(Lab[Variant, RankedPapers]):
    """The questions, and what each variant of QPCR finds."""

    def __init__(
        self,
        data: Path,
        paragraphs: Path,
        start: Path,
        scale: Scale[QpcrSettings],
        setup: Setup,
        folder: Path,
        progress: Progress,
    ) -> None:

        super().__init__(scale.seeds, folder, progress)
        self.collection = Collection(data)
        self.files = {part: _file(paragraphs, part) for part in ("train", "val", "test")}
        self.scale, self.setup, self._start = scale, setup, start
        self._taught = examples([self.files["train"]], self.collection, self.collection.held_out)
        if scale.taught is not None and scale.taught < len(self._taught):
            self._taught = random.Random(setup.seed).sample(self._taught, scale.taught)
        self._held = examples([self.files["val"]], self.collection)
        asked = TASK.topics(self.files["test"], _Known(self.collection), Options(seed=setup.seed))
        self.topics: list[Topic] = answerable(asked, self.collection)[: scale.asked]
        if not self._taught or not self._held or not self.topics:
            raise InputError("no paragraph cites a paper of the collection", path=paragraphs)
        self.pool = self._candidates()
        """Ids of all candidates, sorted."""

    @property
    def sizes(self) -> Mapping[str, int]:
        return {"taught": len(self._taught), "held": len(self._held), "asked": len(self.topics)}

    def papers(self) -> list[Paper]:
        """Returns the candidates."""
        return [self.collection.papers[paper_id] for paper_id in self.pool]

    def is_trained(self, system: Variant) -> bool:
        return system in TRAINED

    def named(self, system: Variant, seed: int) -> str:
        settings = self._settings(system, seed)
        return f"{settings.name}-{self._systems.digest(settings)}"

    def ask(self, system: Variant, seed: int) -> Arrays:
        settings = self._settings(system, seed)
        _, network = self._systems.network(settings)
        self.progress(f"{settings.name}: ranking", None)
        papers = network.encode([paper_text(paper) for paper in self.papers()], "paper")
        texts = self._texts(system, network)
        scores = network.scores(network.encode(texts, "query"), papers).numpy()
        return ranked(scores, self.topics, self.pool, self.collection)

    def answers(self, arrays: Arrays) -> RankedPapers:
        return RankedPapers(arrays["ranks"], arrays["first"])

    def attention(self, system: Variant) -> NDArray[np.float64]:
        """Measures [questions, layers, seeds] the share of a query's attention that goes to its topic
        sentence; with one seed, if the system is not trained."""

        def measured(settings: QpcrSettings) -> Arrays:
            model, network = self._systems.network(settings)
            self.progress(f"{settings.name}: attention", None)
            texts = self._texts(system, network)
            return {"shares": topic_attention(model, texts, network.tokens["query"])}

        shares = []
        for seed in self.seeds if self.is_trained(system) else self.seeds[:1]:
            settings = self._settings(system, seed)
            path = self.folder / f"attention-{self.named(system, seed)}.npz"
            shares.append(kept(path, lambda settings=settings: measured(settings))["shares"])  # type: ignore[misc]
        return np.stack(shares, axis=-1)

    def _settings(self, system: Variant, seed: int) -> QpcrSettings:
        return replace(self.scale.settings, variant=system, seed=seed)

    @cached_property
    def _systems(self) -> Systems:

        data = (self.collection, self._taught, self._held)
        settings = self.scale.settings
        places = (self.folder, self.progress, self.setup.device)
        return Systems(*data, self._start, settings, self._facts, *places)

    @cached_property
    def _facts(self) -> object:
        """Returns what all answers depend on."""
        files = (*self.collection.files.values(), *self.files.values())
        sums = [file_facts(path)["sha256"] for path in files]
        return sums, start_sha256(self._start), self.sizes, len(self.pool), self.setup.seed

    def _candidates(self) -> list[str]:
        latest = max((topic.query.year or 9999 for topic in self.topics), default=0)
        candidates = [
            paper_id
            for paper_id, paper in sorted(self.collection.papers.items())
            if _can_be_found(paper) and (paper.year or 0) <= latest
        ]
        if self.scale.pool is None or self.scale.pool >= len(candidates):
            return candidates
        asked = {paper_id for topic in self.topics for paper_id in topic.relevant}
        chosen = np.random.default_rng(self.setup.seed).permutation(len(candidates))[: self.scale.pool]
        return sorted(asked.intersection(candidates).union(candidates[row] for row in chosen))

    def _texts(self, variant: Variant, network: LastLayers) -> list[str]:
        """Returns the questions as a system reads them."""
        form = whole_text if variant == "base" else paragraph_text
        return [form(topic.query, network.cut) or topic.query.text for topic in self.topics]


def open_lab(
    files: Sequence[Path],
    setup: Setup,
    progress: Progress,
    scales: Mapping[str, Scale[QpcrSettings]] | None = None,
) -> ParagraphLab:
    """Reads the data. Raises InputError for other files."""
    if not 2 <= len(files) <= 3:
        raise InputError(f"{len(files)} files", path=files[0], hint=f"expected: {FILES}")
    data, paragraphs, *results = files
    scale = (scales or SCALES)[setup.scale]
    start = start_folder(setup.encoder, scale.settings)
    folder = results[0] if results else Path(tempfile.mkdtemp(prefix="citewhy-"))
    return ParagraphLab(data, paragraphs, start, scale, setup, folder, progress)


def _file(folder: Path, part: str) -> Path:
    path = find(folder, f"paragraphs.{part}.jsonl")
    if path is None:
        raise InputError(
            f"the folder has no paragraphs.{part}.jsonl",
            path=folder,
            hint="make it with `citewhy datasets build paragraphs … --split YEAR`",
        )
    return path


class _Known:
    """A collection as the `Papers` that a task needs."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def canonical(self, paper_id: str, /) -> str | None:
        canonical = self._collection.canonical(paper_id)
        return canonical if canonical in self._collection.papers else None

    def papers(self, ids: Any, /) -> Mapping[str, Paper]:
        papers = self._collection.papers
        return {paper_id: papers[paper_id] for paper_id in ids if paper_id in papers}


def answerable(topics: Sequence[Topic], collection: Collection) -> list[Topic]:
    """Returns the topics with relevant papers that have title and abstract, with these alone."""
    papers = collection.papers
    kept_topics = []
    for topic in topics:
        relevant = tuple(
            paper_id for paper_id in topic.relevant if paper_id in papers and _can_be_found(papers[paper_id])
        )
        if relevant:
            kept_topics.append(replace(topic, relevant=relevant))
    return kept_topics


def _can_be_found(paper: Paper) -> bool:
    """Tells whether it can be a candidate: the systems read title and abstract."""
    return bool(paper.title and paper.abstract)


# Measures -------------------------------------------------------------------------------------------------


def ranked(
    scores: NDArray[np.float32], topics: Sequence[Topic], pool: Sequence[str], collection: Collection
) -> dict[str, NDArray[np.int64]]:
    """Ranks by scores [n, candidates], ties by id, and returns `ranks` and `first` of `RankedPapers`. Newer
    papers and the citing paper are no candidates."""
    years = np.array([collection.papers[paper_id].year or 0 for paper_id in pool])
    number = {paper_id: row for row, paper_id in enumerate(pool)}
    ranks, first = [], []
    for row, topic in zip(scores, topics, strict=True):
        allowed = years <= (topic.query.year or 9999)
        if (citing := number.get(collection.canonical(topic.query.citing_id))) is not None:
            allowed[citing] = False
        order = np.argsort(np.where(allowed, -row, np.inf), kind="stable")[: allowed.sum()]
        rank = dict(zip(order.tolist(), range(1, len(order) + 1), strict=True))
        ranks += [rank.get(number.get(paper_id, -1), 0) for paper_id in topic.relevant]
        first.append([*order[:FIRST].tolist(), *[-1] * (FIRST - len(order))])
    return {"ranks": np.array(ranks), "first": np.array(first)}


def scored(runs: Sequence[RankedPapers], topics: Sequence[Topic]) -> list[Scores]:
    """Computes the `MEASURES` of each run, by question."""
    counts = np.array([len(topic.relevant) for topic in topics])
    ids = tuple(topic.query.id for topic in topics)
    ends = np.cumsum(counts)[:-1]
    return [Scores(ids, np.ones(len(ids)), _measures(np.split(run.ranks, ends))) for run in runs]


def _measures(ranks: Sequence[NDArray[np.int64]]) -> dict[str, NDArray[np.float64]]:
    """Computes the measures of questions by the ranks of their relevant papers, 0 for a missed one."""
    values = []
    for some in ranks:
        rank = np.where(some > 0, some, np.inf)
        values.append(((rank <= len(rank)).mean(), (rank <= 5).mean(), (rank <= 10).mean(), 1 / rank.min()))
    return dict(zip(MEASURES, np.array(values, dtype=np.float64).T, strict=True))


def differences(
    first: Sequence[RankedPapers], second: Sequence[RankedPapers], lab: ParagraphLab
) -> dict[str, Difference]:
    """Tests first minus second in each of `MEASURES`, over questions and seeds."""
    one, other = scored(first, lab.topics), scored(second, lab.topics)
    return {name: compared([s.sums[name] for s in one], [s.sums[name] for s in other]) for name in MEASURES}


# Pages ----------------------------------------------------------------------------------------------------


def figures(
    runs: Mapping[str, tuple[Sequence[RankedPapers], Sequence[float] | None]], lab: ParagraphLab, title: str
) -> Table:
    """Makes the table of systems by name, with intervals, and with the source's figures where it has some."""
    sourced = any(source for _, source in runs.values())
    parts = ("", "95 %", "±", "source") if sourced else ("", "95 %", "±")
    columns = [part or name for name in MEASURES for part in parts]
    rows = [[name, *_figures(answers, source, lab)] for name, (answers, source) in runs.items()]
    sizes = lab.sizes
    judged = sum(len(topic.relevant) for topic in lab.topics)
    note = (
        f"{sizes['asked']:,} paragraphs, {judged:,} relevant papers, {len(lab.pool):,} candidates;"
        f" {sizes['taught']:,} paragraphs for training, {sizes['held']:,} for validation. Means over"
        f" {len(lab.seeds)} seeds with 95 % intervals by the bootstrap over paragraphs; ±: standard"
        " deviation over seeds."
    )
    return Table(title, ["", *columns], rows, [note])


def _figures(
    answers: Sequence[RankedPapers], source: Sequence[float] | None, lab: ParagraphLab
) -> list[Cell]:
    scores = scored(answers, lab.topics)
    cells: list[Cell] = []
    for number, name in enumerate(MEASURES):
        values = np.mean([run.sums[name] for run in scores], axis=0)
        low, high = interval(resampled_means(values, np.ones(len(values)), lab.setup.seed))
        mean, spread = mean_and_spread([run.means()[name] for run in scores])
        cells += [mean, f"{shown(low)} to {shown(high)}", spread, *([source[number]] if source else [])]
    return cells


def by_seed(answers: Sequence[RankedPapers], lab: ParagraphLab) -> list[dict[str, float]]:
    """Returns the measures of each seed."""
    return [scores.means() for scores in scored(answers, lab.topics)]


def gains(by_measure: Mapping[str, Difference]) -> str:
    """Writes the differences in a sentence."""
    return ", ".join(f"{name} {signed(difference)}" for name, difference in by_measure.items())


def provenance(lab: ParagraphLab) -> dict[str, object]:
    """Returns what a page was made of."""
    options = {"scale": lab.setup.scale, "seeds": list(lab.seeds), **lab.sizes}
    files = [*lab.collection.files.values(), *lab.files.values()]
    return made(files, None, None, options, lab.setup.seed)


# Trained systems -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Systems:
    """Trained on `taught`, validated on `held`, from the weights in `start`."""

    collection: Collection
    taught: Sequence[Example]
    held: Sequence[Example]
    start: Path
    settings: QpcrSettings
    """What all systems share of theirs is read: how the start model is opened, and what of it is trained."""
    facts: object
    """Tells what all of this is made of."""
    folder: Path
    """Where weights are kept."""
    progress: Progress
    device: DeviceName = "cpu"

    def digest(self, settings: QpcrSettings) -> str:
        """Hashes all that a system depends on."""
        return digest(asdict(settings), self.facts, code_digest("citewhy_lab/train"))

    def network(self, settings: QpcrSettings) -> tuple[TextModel, LastLayers]:
        """Returns a network with the weights of a system; there is one network for all. What its frozen
        layers give for a text is computed once for all systems."""
        model, network, start = self._network
        network.put(start)
        if settings.variant in TRAINED:
            path = self.folder / f"weights-{settings.name}-{self.digest(settings)}.npz"
            network.put(kept(path, lambda: self._trained(settings)))
        return model, network

    def _trained(self, settings: QpcrSettings) -> Arrays:
        _, network, _ = self._network
        taught = self.taught
        if settings.variant == "aclrw":
            taught = [
                example.as_whole(published=settings.as_published) for example in taught if example.query.title
            ]
        if not taught:
            raise InputError(
                "no paragraph has the title of its paper, which the variant aclrw is trained on",
                hint="add the field title to the paragraphs, or the citing papers to papers.jsonl",
            )
        name = settings.name
        fit(
            network,
            self.collection,
            taught,
            validated(self.collection, self.held, settings),
            settings,
            lambda what, share: self.progress(f"{name}: {what}", share),
        )
        return network.weights()

    @cached_property
    def _network(self) -> tuple[TextModel, LastLayers, Arrays]:
        """The network, its layers that are trained, and their weights before training."""
        with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch:
            tokenizer = Path(scratch) / "tokenizer.json"
            marked_tokenizer(self.start / "tokenizer.json", tokenizer)
            model = opened_model(self.start, tokenizer, self.settings, self.device)
        network = last_layers(model, self.settings)
        return model, network, network.weights()
