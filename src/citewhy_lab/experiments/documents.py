"""Common parts of the experiments on paper embeddings: questions from a folder of data, trials, scores.

Questions are about the papers of one year, which nothing is trained on:

cite      up to five papers that a paper cites, among 25 others
near      the same, among 25 others that are near it: cited by, or together with, what it cites; where these
          are too few, any
aspects   the papers that a paper cites for one intent, among those that it cites for other intents only; the
          intents are those that a classifier predicts for its citing sentences

All others are papers that are cited by somebody: otherwise knowing what is often cited would be enough.

Experiment `documents-losses`: which loss trains paper embeddings best?

Table 6.3 of Bansal (2023): numbers of positives and negatives, temperatures; and the triplet loss on the same
instances.

Experiment `documents-aspects`: do embeddings of the asked intent rank better than one for all?

Tables 6.4 to 6.7 of Bansal (2023): SciAspect and its embeddings, the hybrid and its α, negatives of the
second level."""

from __future__ import annotations

import gc
import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from citewhy.base.artifact import MANIFEST
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Context
from citewhy.ranking.classify import Classifier, open_classifier
from citewhy.ranking.intents.classifier import default_intents
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.aspects import average_precision
from citewhy_lab.evaluate.datasets.reading import find, records
from citewhy_lab.evaluate.making import made
from citewhy_lab.experiments.engine import (
    Arrays,
    Cell,
    Lab,
    Result,
    Setup,
    Table,
    compared,
    comparisons,
    digest,
    mean_and_spread,
)
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.requirements import default_start, start_sha256
from citewhy_lab.train.systems.aspects.data import Corpus, intents_of, read_corpus
from citewhy_lab.train.systems.aspects.network import AspectModel
from citewhy_lab.train.systems.aspects.recipe import EPOCHS, fit, miner
from citewhy_lab.train.systems.aspects.settings import ASPECTS, CONCAT, ENCODER, AspectSettings, preset

FILES = (
    "the folder of the data (docs/training.md); optionally a classifier of intents, and a folder for results"
)

SEEDS = (1, 2, 3)

UNTIL = 2011

SMALL: Mapping[str, Any] = {"steps": 80, "tokens": 32, "learning_rate": 5e-5, "warm_up": 10}

FULL: Mapping[str, Any] = {"tokens": 128}

SOURCE: Mapping[str, Any] = {"tokens": 512, "pooling": "cls", "projection": "random", "dropout": 0.1}
"""Sections 4.2 to 4.4; what else the source says are the defaults of the recipe."""

COMMON = {"small": SMALL, "full": FULL, "source": SOURCE}

QUESTIONS = {"small": 120, "full": 1000, "source": 1000}

COLUMNS = ("", "cite", "±", "near", "±", "aspects", "±", "source: cite MAP", "source: mean of SciDocs")

OTHERS, CITED = 25, 5

Scored = Mapping[str, Sequence[float]]
"""Name of a measure → its value for each question."""


@dataclass(frozen=True, slots=True)
class EmbeddingQuestion:
    """A paper, those that should be near it, and others that should not."""

    query: str
    relevant: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """A recipe with changed settings, or no training at all."""

    recipe: str
    changes: tuple[tuple[str, Any], ...] = ()

    def settings(self, common: Mapping[str, Any], seed: int) -> AspectSettings:
        return preset(self.recipe, **{**dict(common), **dict(self.changes), "seed": seed})


# Questions ------------------------------------------------------------------------------------------------


def questions(
    collection: Collection, year: int, classifier: Classifier | None, most: int, seed: int
) -> dict[str, list[EmbeddingQuestion]]:
    """Makes questions about the papers of `year`, by ``cite``, ``near`` and aspect; at most `most` of the
    first two, and twice as many of an aspect."""
    rng = np.random.default_rng(seed)
    papers, canonical = collection.papers, collection.canonical
    years = {paper_id: paper.year for paper_id, paper in papers.items() if paper.year is not None}
    old = {paper_id for paper_id, published in years.items() if published <= year}
    references: dict[str, set[str]] = defaultdict(set)
    for citation in collection.citations:
        references[canonical(citation.citing_id)].add(canonical(citation.cited_id))
    asked = [
        reference
        for reference in sorted(references)
        if reference in papers
        and papers[reference].year == year
        and (references[reference] & old) - {reference}
    ]
    earlier = {
        paper_id: cited & old for paper_id, cited in references.items() if years.get(paper_id, year) < year
    }
    pool = sorted(set().union(*earlier.values()))
    if not asked or len(pool) <= OTHERS:
        raise InputError(f"there are too few citations by papers of {year}, and before, to ask questions")
    chosen = [asked[position] for position in rng.permutation(len(asked))[:most]]
    small = [pool[position] for position in rng.permutation(len(pool))[: 4 * most]]
    by_kind: dict[str, list[EmbeddingQuestion]] = {"cite": [], "near": []}
    for query in chosen:
        cited = sorted((references[query] & old) - {query})
        cited = [cited[position] for position in rng.permutation(len(cited))[:CITED]]
        never = references[query] | {query}
        far = [paper_id for paper_id in small if paper_id not in never]
        picked = rng.permutation(len(far))[:OTHERS]
        by_kind["cite"].append(
            EmbeddingQuestion(query, tuple(cited), tuple(far[position] for position in picked))
        )
        near = _near(references[query], earlier, never)[:OTHERS]
        fill = [far[position] for position in picked if far[position] not in near][: OTHERS - len(near)]
        by_kind["near"].append(EmbeddingQuestion(query, tuple(cited), (*near, *fill)))
    return by_kind | _of_aspects(collection, year, classifier, most)


def _near(cited: set[str], earlier: Mapping[str, set[str]], never: set[str]) -> list[str]:
    """Returns papers by how often they are cited with what is cited here, or by it."""
    counts: Counter[str] = Counter()
    for citing, references in earlier.items():
        if shared := len(references & cited) + (citing in cited):
            counts.update(dict.fromkeys(references - never, shared))
    return [paper_id for paper_id, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]


def _of_aspects(
    collection: Collection, year: int, classifier: Classifier | None, most: int
) -> dict[str, list[EmbeddingQuestion]]:
    files = [find(path.parent, "contexts.val.jsonl") for path in collection.files.values()]
    later = [record for path in dict.fromkeys(files) if path for record in records(path, Context, Counter())]
    contexts = [
        context
        for context in (*collection.contexts, *collection.validation, *later)
        if collection.year(context) == year
    ]
    intents_by_query: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for context, intent in zip(contexts, intents_of(contexts, classifier), strict=True):
        for cited in map(collection.canonical, context.cited_ids):
            if intent in ASPECTS and cited in collection.papers:
                intents_by_query[collection.canonical(context.citing_id)][cited].add(intent)
    made: dict[str, list[EmbeddingQuestion]] = {aspect: [] for aspect in ASPECTS}
    for query, cited_for in sorted(intents_by_query.items()):
        for aspect in ASPECTS:
            relevant = tuple(sorted(paper_id for paper_id, intents in cited_for.items() if aspect in intents))
            others = tuple(
                sorted(paper_id for paper_id, intents in cited_for.items() if aspect not in intents)
            )
            if relevant and others and query in collection.papers and len(made[aspect]) < 2 * most:
                made[aspect].append(EmbeddingQuestion(query, relevant, others))
    return made


# Systems --------------------------------------------------------------------------------------------------


class DocumentsLab(Lab[Trial | None, Scored]):
    """The questions, and the scores of trials; None is the model that training starts from."""

    def __init__(
        self,
        data: Path,
        classifier: Classifier | None,
        start: Path,
        common: Mapping[str, Any],
        most: int,
        setup: Setup,
        progress: Progress,
        folder: Path,
    ) -> None:
        super().__init__(SEEDS, folder, progress)
        self.collection = Collection(data)
        self.common, self.setup, self._start = common, setup, start
        until = int(common["until"])
        progress("classifying citing sentences", None)
        self.corpus: Corpus = read_corpus(self.collection, until, classifier)
        self.asked = questions(self.collection, until + 1, classifier, most, setup.seed)
        self._ids = sorted(
            {
                paper_id
                for some in self.asked.values()
                for question in some
                for paper_id in (question.query, *question.relevant, *question.others)
            }
        )

    def is_trained(self, system: Trial | None) -> bool:
        return system is not None

    def named(self, system: Trial | None, seed: int) -> str:
        settings = self._settings(system, seed)
        if system is None:
            settings = replace(settings, seed=0, steps=0)
        facts = digest(system and system.recipe, asdict(settings), self._facts)
        return f"{'start' if system is None else system.recipe}-{facts}"

    def ask(self, system: Trial | None, seed: int) -> Arrays:
        """Computes the average precision for each question, by ``KIND/EMBEDDING``."""

        settings = self._settings(system, seed)
        model = AspectModel(self._start, settings)
        if system is not None:
            fit(model, self.corpus, settings, self.progress)
        texts = [paper_text(self.collection.papers[paper_id]) for paper_id in self._ids]
        encoded = model.encode(texts, lambda share: self.progress("encoding papers", share))
        row = {paper_id: number for number, paper_id in enumerate(self._ids)}
        values: dict[str, Any] = {}
        for name in (ENCODER, *settings.aspects, *([CONCAT] if settings.aspects else [])):
            vectors = model.embeddings(encoded, name)
            for kind, some in self.asked.items():
                precisions = []
                for question in some:
                    others = [row[paper_id] for paper_id in (*question.relevant, *question.others)]
                    scores = vectors[others] @ vectors[row[question.query]]
                    count = len(question.relevant)
                    precisions.append(average_precision(scores[:count], scores[count:]))
                values[f"{kind}/{name}"] = np.array(precisions)
        del model
        gc.collect()
        return values

    def instances(self, system: Trial) -> tuple[int, int, int]:
        """Counts anchors, instances of an epoch, and instances of the whole training."""
        settings = self._settings(system, SEEDS[0])
        mined = miner(self.corpus, settings)(np.random.default_rng([settings.seed, 0]))
        steps = settings.steps or math.ceil(EPOCHS * len(mined) / settings.batch)
        return len(set(mined.anchors.tolist())), len(mined), steps * settings.batch

    def answers(self, arrays: Arrays) -> Scored:
        return {name: values.tolist() for name, values in arrays.items()}

    def _settings(self, system: Trial | None, seed: int) -> AspectSettings:
        if system is None:
            return preset("specter-cl", **self.common)
        return system.settings(self.common, seed)

    @cached_property
    def _facts(self) -> str:
        """Hashes what all scores depend on: questions, citations and their intents, the start."""
        graph = self.corpus.graph.references
        return digest(
            sorted(self.asked.items()),
            graph.neighbours.tobytes(),
            graph.intents.tobytes(),
            start_sha256(self._start),
        )


# Pages ----------------------------------------------------------------------------------------------------

KINDS = ("cite", "near", "aspects")


@dataclass(frozen=True, slots=True)
class Row:
    """A trial, which embedding of it is measured, and the source's figures, of 100 (None: it has none)."""

    trial: Trial | None
    cite: float | None = None
    average: float | None = None
    embedding: str = ENCODER
    """``asked``: for ``aspects`` that of the asked aspect, else that of the encoder."""
    seeds: int = len(SEEDS)
    """Number of trainings."""


def open_lab(files: Sequence[Path], setup: Setup, progress: Progress) -> DocumentsLab:
    """Reads data and classifier. Raises InputError for other files."""
    data, *rest = files
    classifiers = [path for path in rest if (path / MANIFEST).is_file()]
    results = [path for path in rest if path not in classifiers]
    if len(classifiers) > 1 or len(results) > 1:
        raise InputError("too many folders", path=rest[-1], hint=f"expected: {FILES}")
    common = {"until": UNTIL, **COMMON[setup.scale]}
    return DocumentsLab(
        data,
        open_classifier(classifiers[0]) if classifiers else default_intents(),
        setup.encoder or default_start(),
        common,
        QUESTIONS[setup.scale],
        setup,
        progress,
        results[0] if results else Path(tempfile.mkdtemp(prefix="citewhy-")),
    )


def ablations(rows: Mapping[str, Row], scale: str) -> dict[str, Row]:
    """Returns the rows as they are trained to be compared with each other: at the scale small, once."""
    return {name: replace(row, seeds=1) if scale == "small" else row for name, row in rows.items()}


def against(base: str, row: Row, rows: Mapping[str, Row]) -> dict[str, tuple[Row, Row]]:
    """Returns the contrasts of all `rows` with `row`, whose name is `base`."""
    return {f"{name} − {base}": (other, row) for name, other in rows.items() if other != row}


def table(title: str, rows: Mapping[str, Row], lab: DocumentsLab) -> Table:
    """Makes the table of mean average precision over questions, its mean over seeds and standard
    deviation."""
    cells = [[name, *_figures(row, lab), _share(row.cite), _share(row.average)] for name, row in rows.items()]
    counts = {name: len(some) for name, some in lab.asked.items()}
    asked = ", ".join(f"{name} {count}" for name, count in counts.items())
    seeds = max(row.seeds for row in rows.values())
    several = f"mean and standard deviation (±) of up to {seeds} trainings with different seeds"
    trained = "one training a row" if seeds == 1 else several
    notes = [
        f"Mean average precision; {trained}."
        f" Questions: {asked}; aspects is the mean over questions of the three aspects. The source's figures"
        " are of SciDocs, with SciBERT and two epochs of 132,000 anchors: at most the order can be compared."
    ]
    return Table(title, COLUMNS, cells, notes)


def instances(rows: Mapping[str, Row], lab: DocumentsLab) -> Table:
    """Makes the table of what the rows are trained on."""
    cells: list[list[Cell]] = []
    for name, row in rows.items():
        if row.trial is not None:
            settings = row.trial.settings(lab.common, SEEDS[0])
            numbers = (settings.positives, settings.hard, settings.easy, settings.distant)
            cells.append([name, *numbers, settings.batch, *lab.instances(row.trial)])
    columns = ("", "positives", "hard", "easy", "distant", "a step", "anchors", "instances", "seen")
    note = (
        "Of an instance, at most so many positives and negatives; instances of a step; anchors and instances"
        " of an epoch; instances that a whole training sees. The source has 132,000 anchors, two epochs."
    )
    return Table("What is learned from", columns, cells, [note])


def page(
    title: str,
    parts: Sequence[Table],
    contrasts: Mapping[str, tuple[Row, Row]],
    lab: DocumentsLab,
    setup: Setup,
) -> Result:
    """Makes the page of the tables, of the comparisons, and of what they say in words."""
    differences = {
        f"{name}, {kind}": _difference(kind, first, second, lab)
        for name, (first, second) in contrasts.items()
        for kind in KINDS
    }
    tests = comparisons(
        differences,
        "Paired by question; 95 % intervals and p with questions and seeds as drawn at random.",
        head="first minus second",
    )
    better = "; ".join(name for name, difference in differences.items() if difference.low > 0) or "none"
    worse = (
        "; ".join(
            name for name, difference in differences.items() if difference.low <= 0 and difference.high < 0
        )
        or "none"
    )
    summary = [
        f"The first is better in: {better}. The second is better in: {worse}."
        " In all others the interval contains zero.",
    ]
    if setup.scale == "small":
        summary.insert(
            0,
            f"Scale small: {lab.common['steps']} steps of two or three instances, texts of 32 tokens, for two"
            f" cores; of ten hard negatives of SciAspect {SMALL_ASPECTS['hard']} are drawn; ablations are"
            " trained once, so that they only show large differences. What holds here need not hold after a"
            " full training.",
        )
    asked = {kind: len(some) for kind, some in lab.asked.items()}
    options = {"scale": setup.scale, **dict(lab.common), "seeds": list(SEEDS), "questions": asked}
    data = list(lab.collection.files.values())
    return Result(title, summary, [*parts, tests], made=made(data, None, None, options, setup.seed))


def _difference(kind: str, first: Row, second: Row, lab: DocumentsLab) -> Difference:
    """Tests the difference, paired by question, with questions and seeds as drawn at random."""
    one, other = (
        [np.array(_values(kind, row, scored)) for scored in _runs(row, lab)] for row in (first, second)
    )
    return compared(one, other)


def _figures(row: Row, lab: DocumentsLab) -> list[Cell]:
    cells: list[Cell] = []
    for kind in KINDS:
        cells += mean_and_spread([float(np.mean(_values(kind, row, scored))) for scored in _runs(row, lab)])
    return cells


def _runs(row: Row, lab: DocumentsLab) -> list[Scored]:
    seeds = SEEDS[: row.seeds] if lab.is_trained(row.trial) else SEEDS[:1]
    return [lab.run(row.trial, seed) for seed in seeds]


def _values(kind: str, row: Row, scored: Scored) -> list[float]:
    def named(aspect: str) -> str:
        if row.embedding != "asked":
            return row.embedding
        return aspect if aspect in ASPECTS else ENCODER

    kinds = ASPECTS if kind == "aspects" else (kind,)
    return [value for task in kinds for value in scored[f"{task}/{named(task)}"]]


def _share(of_hundred: float | None) -> float | None:
    return None if of_hundred is None else of_hundred / 100


# Experiment `documents-losses` ---------------------------------------------------------------------------


BATCH = {"small": 3, "full": 8, "source": 8}
"""Instances of seven papers in a batch; hybrid instances have twelve, and are fewer."""

TRIPLETS = {"small": 2, "full": 6, "source": 6}
"""The same of instances of eleven papers, five triplets each: 32 triplets in the source, here 30."""

START = Row(None)


def contrastive(scale: str) -> Row:
    return _loss_row(scale, 89.76, 81.14)


def triplet(scale: str) -> Row:
    return _loss_row(scale, None, None, loss="triplet")


def hybrid(scale: str) -> Row:
    changes = {"small": (("batch", 2),)}.get(scale, ())
    return Row(Trial("sciaspect-hybrid", changes), 86.85, 80.27, "asked")


def _loss_row(scale: str, cite: float | None, average: float | None, **changes: Any) -> Row:
    return Row(Trial("specter-cl", (*changes.items(), ("batch", BATCH[scale]))), cite, average)


def _numbers(scale: str) -> Mapping[str, Row]:
    return {
        "1 positive, 1 negative": _loss_row(scale, 88.74, 80.35, hard=1, easy=0),
        "1 positive, 3 easy negatives": _loss_row(scale, 88.03, 80.56, hard=0),
        "2 positives, 5 negatives": _loss_row(scale, 88.15, 79.85, positives=2),
        "4 positives, 5 negatives": _loss_row(scale, 88.31, 79.71, positives=4),
        "5 positives, 5 negatives": _loss_row(scale, 87.96, 79.84, positives=5),
    }


def _temperatures(scale: str) -> Mapping[str, Row]:
    return {
        "τ = 0.01": _loss_row(scale, 87.38, 80.31, temperature=0.01),
        "τ = 0.1": _loss_row(scale, 89.7, 80.45, temperature=0.1),
        "τ = 0.5": _loss_row(scale, 80.18, 76.54, temperature=0.5),
    }


def loss_contrasts(scale: str) -> dict[str, tuple[Row, Row]]:
    """Returns the pairs that are compared, by name. At the scale small the rows of table 6.3 are trained
    once, and have no spread over seeds: they are not among them."""
    general, margin, both = contrastive(scale), triplet(scale), hybrid(scale)
    contrasts = {
        "contrastive − triplet": (general, margin),
        "hybrid − contrastive": (both, general),
        "hybrid − triplet": (both, margin),
        "contrastive − before training": (general, START),
        "triplet − before training": (margin, START),
        "hybrid − before training": (both, START),
    }
    if scale != "small":
        contrasts |= against("1 positive, 5 negatives", general, {**_numbers(scale), **_temperatures(scale)})
    return contrasts


def run_losses(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains every row of the tables, and compares those that answer the question."""
    lab, scale = open_lab(files, setup, progress), setup.scale
    general, margin, both = contrastive(scale), triplet(scale), hybrid(scale)
    rows = {
        "before training": START,
        "triplet, 1 positive, 5 negatives": margin,
        "1 positive, 5 negatives (τ = 0.05)": general,
        "hybrid (aspects: the asked embedding)": both,
    }
    base = {"1 positive, 5 negatives, τ = 0.05": general}
    numbers, temperatures = (
        ablations({**base, **some}, scale) for some in (_numbers(scale), _temperatures(scale))
    )
    parts = [
        instances({**rows, **_numbers(scale)}, lab),
        table("Losses", rows, lab),
        table("Table 6.3: positives and negatives (τ = 0.05)", numbers, lab),
        table("Table 6.3: temperatures (1 positive, 5 negatives)", temperatures, lab),
    ]
    return page("Losses for paper embeddings", parts, loss_contrasts(scale), lab, setup)


# Experiment `documents-aspects` --------------------------------------------------------------------------


SMALL_ASPECTS: Mapping[str, Any] = {"batch": 2, "hard": 6}


def _aspect_row(scale: str, cite: float, average: float, name: str = "sciaspect", **changes: Any) -> Row:
    small = SMALL_ASPECTS if scale == "small" else {}
    return Row(Trial(name, tuple({**small, **changes}.items())), cite, average)


def _embeddings(row: Row, figures: Mapping[str, tuple[float, float]]) -> dict[str, Row]:
    return {
        f"embedding {name}": replace(row, embedding=name, cite=cite, average=average)
        for name, (cite, average) in figures.items()
    }


def _aspects(scale: str) -> Mapping[str, Row]:
    base = _aspect_row(scale, 87.68, 79.94)
    figures = {"method": (87.14, 79.62), "background": (87.45, 79.86), "result": (87.31, 79.91)}
    rows = {"SciAspect, 1 positive, n negatives": base}
    rows |= _embeddings(base, {**figures, CONCAT: (87.43, 79.82)})
    rows["the asked embedding"] = replace(base, embedding="asked", cite=None, average=None)
    return rows


def _others(scale: str) -> dict[str, Row]:
    return {
        "1 positive, n negatives": _aspect_row(scale, 87.68, 79.94),
        "with the aspect of unknown intents": _aspect_row(scale, 85.96, 79.42, other=True),
        "m positives, n negatives, with this aspect": _aspect_row(scale, 84.5, 78.9, positives=5, other=True),
        "SciAspectWeighted": _aspect_row(scale, 85.08, 78.87, "sciaspect-weighted"),
    }


def _hybrids(scale: str) -> Mapping[str, Row]:
    base = replace(hybrid(scale), embedding=ENCODER)
    figures = {"method": (86.55, 79.81), "background": (86.52, 79.96), "result": (86.57, 80.01)}
    return {"SciAspectHybrid, α = 0.7": base} | _embeddings(base, {**figures, CONCAT: (86.66, 80.11)})


def _alphas(scale: str) -> Mapping[str, Row]:
    source = {
        0.5: (86.74, 80.09),
        0.6: (87.13, 80.17),
        0.7: (86.85, 80.27),
        0.8: (86.74, 80.21),
        0.9: (86.52, 80.25),
    }
    small = SMALL_ASPECTS if scale == "small" else {}
    return {
        f"α = {alpha}": Row(
            Trial("sciaspect-hybrid", tuple({**small, "hard": 5, "alpha": alpha}.items())), cite, average
        )
        for alpha, (cite, average) in source.items()
    }


def _second(scale: str) -> Mapping[str, Row]:
    return {
        "1 positive, 3 easy negatives": _aspect_row(scale, 86.77, 80.08, hard=0),
        "5 hard negatives": _aspect_row(scale, 80.58, 78.72, "sciaspect-l2", hard=5, easy=0),
        "3 hard, 3 easy negatives": _aspect_row(scale, 85.62, 80.07, "sciaspect-l2", hard=3),
    }


def _main(scale: str) -> Mapping[str, Row]:
    """Returns the systems; at the scale small, those that no comparison is made of are trained once."""

    def triplets(name: str, cite: float, average: float) -> Row:
        return Row(Trial(name, (("batch", TRIPLETS[scale]),)), cite, average)

    others = {
        "SPECTER": triplets("specter", 86.2, 79.4),
        "SciNCL": triplets("scincl", 91.4, 81.1),
        "SPECTER (undirected)": triplets("specter-undirected", 90.45, 80.7),
        "SciAspectL2, 3 hard, 3 easy": _aspect_row(scale, 85.62, 80.07, "sciaspect-l2", hard=3),
    }
    return {
        "before training": START,
        **ablations(others, scale),
        "SPECTERCL, 1 positive, 5 negatives": contrastive(scale),
        "SciAspect": _aspect_row(scale, 87.68, 79.94),
        "SciAspectHybrid": replace(hybrid(scale), embedding=ENCODER),
    }


def aspect_contrasts(scale: str) -> dict[str, tuple[Row, Row]]:
    """As `loss_contrasts`, of the other page."""
    base, mixed = _aspect_row(scale, 87.68, 79.94), replace(hybrid(scale), embedding=ENCODER)
    contrasts = {
        "SciAspect: asked embedding − encoder's": (replace(base, embedding="asked"), base),
        "hybrid: asked embedding − encoder's": (replace(mixed, embedding="asked"), mixed),
        "SciAspect: concatenated − encoder's": (replace(base, embedding=CONCAT), base),
        "hybrid: concatenated − encoder's": (replace(mixed, embedding=CONCAT), mixed),
        "hybrid − SciAspect": (mixed, base),
        "SciAspect − SPECTERCL": (base, contrastive(scale)),
        "SciAspect − before training": (base, START),
    }
    if scale == "small":
        return contrasts
    main, others, alphas = _main(scale), _others(scale), _alphas(scale)
    undirected, general = main["SPECTER (undirected)"], contrastive(scale)
    one, several = "with the aspect of unknown intents", "m positives, n negatives, with this aspect"
    contrasts |= {
        "SPECTERCL − SPECTER (undirected)": (general, undirected),
        "SPECTER (undirected) − SPECTER": (undirected, main["SPECTER"]),
        "SPECTERCL − SciNCL": (general, main["SciNCL"]),
        "m positives − 1 positive, with the aspect of unknown intents": (others.pop(several), others[one]),
    }
    contrasts |= against("SciAspect", base, {**others, **_second(scale)})
    return contrasts | against("α = 0.7", alphas["α = 0.7"], alphas)


def run_aspects(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains every row of the tables, and compares those that answer the question."""
    lab, scale = open_lab(files, setup, progress), setup.scale
    aspects, hybrids, main = _aspects(scale), _hybrids(scale), _main(scale)
    parts = [
        instances(main, lab),
        table("Table 6.2: main results", main, lab),
        table("Table 6.4: embeddings of SciAspect", {"before training": START, **aspects}, lab),
        table("Table 6.4: aspects, positives, attention", ablations(_others(scale), scale), lab),
        table("Table 6.5: embeddings of the hybrid", hybrids, lab),
        table("Table 6.6: α of the hybrid", ablations(_alphas(scale), scale), lab),
        table("Table 6.7: negatives of the second level", ablations(_second(scale), scale), lab),
    ]
    return page("Paper embeddings by intent", parts, aspect_contrasts(scale), lab, setup)
