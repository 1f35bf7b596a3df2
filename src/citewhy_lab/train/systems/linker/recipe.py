"""The recipe of the linker: citing sentences that people linked to the sentences they mean.

All that the model's making tells of its quality is cross-fitted: each cluster (a cited paper with all that
cite it) is judged by a model that was fitted without it.

Fits the linker: linear weights and trees, whose scores are added, on lists of a paper's sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress
from citewhy.base.records import Citance, FullText
from citewhy.models.trees import Forest
from citewhy.papers.formats import read
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.linkage.commonness import Commonness
from citewhy.ranking.linkage.facets import FACETS, passage_in_context
from citewhy.ranking.linkage.facets import FEATURES as FACET_FEATURES
from citewhy.ranking.linkage.features import FEATURES, table
from citewhy.ranking.linkage.folder import write_linker
from citewhy.ranking.linkage.learned import LearnedLinker, spans
from citewhy.ranking.linkage.view import PaperView
from citewhy_lab.evaluate.classification import f1_by_label
from citewhy_lab.evaluate.datasets.linkage import Cluster, clusters_beside, read_clusters
from citewhy_lab.evaluate.linkage import MEASURES, Average, Judged, Matrix, Scorer, average, judge
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.classifier.data import Data, Example, fit_scaling
from citewhy_lab.train.classifier.linear import fit_linear
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.recipe import DeviceName, Trained
from citewhy_lab.train.systems.linker.settings import LinkerInputs, LinkerSettings
from citewhy_lab.train.trees import LAMBDARANK, RankedList, grow, lightgbm, trees

MARGINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
"""Margins that are tried for the span."""

WORTH = 0.99
"""Share of the best margin's overlap with the targets that the narrowest margin must have to be taken."""

FACET_SETTINGS = ClassifierSettings(features=FACET_FEATURES, least=8, balance=0.75, penalties=(0.01,))
"""Features in eight examples or more; rare facets count for more, but not as much as common ones."""


def train_linkage(
    inputs: LinkerInputs, settings: LinkerSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> Trained:
    """Writes the linker `out`. Raises InputError for data that cannot be read, QueryError for fewer than two
    clusters, StorageError."""
    document = linker_document(inputs, settings, progress)
    making = document["making"]
    write_linker(out, f"linker ({making['clusters']} cited papers)", document)
    measured = making["cross_fitted"]
    summary = [
        f"over {over}: " + "  ".join(f"{name} {value:.3f}" for name, value in measured[over].items())
        for over in ("citances", "clusters")
    ]
    return Trained(making, [*summary, f"facet: macro-F1 {measured['facet_f1']['macro']:.3f}"])


def linker_document(inputs: LinkerInputs, settings: LinkerSettings, progress: Progress) -> dict[str, Any]:
    """Makes what `linkage.folder.write_linker` writes. Raises QueryError for fewer than two clusters."""
    seed = settings.seed
    clusters = [cluster for file in inputs.citances for cluster in read_clusters(file, ImportReport())]
    if len(clusters) < 2:
        raise QueryError("the linker needs at least two cited papers", hint="add another file of citances")
    common = count(inputs.texts, clusters)
    data = _lessons(clusters, common, seed, progress)
    whole = fit([lesson for of_cluster in data for lesson in of_cluster], seed)
    held = [fitted.linker(common) for fitted in cross_fit(data, seed, progress)]
    scores = [
        linker([citance.text for citance in cluster.citances], cluster.text)
        for linker, cluster in zip(held, clusters, strict=True)
    ]
    judged = [judge(_known_scores(rows), cluster) for rows, cluster in zip(scores, clusters, strict=True)]
    margin, overlaps = _margin(held, scores, clusters)
    facets, facet_f1 = _facets(scores, clusters)
    return {
        "columns": list(FEATURES),
        "linear": {name: float(w) for name, w in zip(FEATURES, whole.weights, strict=True) if w},
        "trees": whole.trees,
        "margin": margin,
        "facets": facets,
        "common": {"size": common.size, "counts": dict(common.counts)},
        "making": {
            "data": [file_facts(path) for path in _files(inputs.citances, inputs.texts)],
            "clusters": len(clusters),
            "citances": sum(len(cluster.citances) for cluster in clusters),
            "seed": seed,
            "software": software() | {"lightgbm": lightgbm().__version__},
            "cross_fitted": {
                "citances": _means(judged, "citances"),
                "clusters": _means(judged, "clusters"),
                "span_f1": overlaps,
                "facet_f1": facet_f1,
            },
        },
    }


def cross_fit(data: Sequence[Sequence[Lesson]], seed: int, progress: Progress) -> list[Fitted]:
    """Fits for each cluster the model that the others teach."""
    fitted = []
    for held in range(len(data)):
        others = [lesson for number, of_cluster in enumerate(data) if number != held for lesson in of_cluster]
        fitted.append(fit(others, seed))
        progress(f"cross-fitting: {held + 1} of {len(data)} papers", (held + 1) / len(data))
    return fitted


def count(texts: Sequence[Path], clusters: Sequence[Cluster]) -> Commonness:
    """Raises QueryError for files without a full text."""
    if not texts:
        return Commonness.of(cluster.text for cluster in clusters)
    report = ImportReport()
    held = {cluster.id for cluster in clusters}
    common = Commonness.of(
        record
        for path in texts
        for record in read(path, report)
        if isinstance(record, FullText) and record.paper_id not in held
    )
    if not common.counts:
        raise QueryError("the files have no full texts to count words in", hint="docs/data.md: full texts")
    return common


def _lessons(
    clusters: Sequence[Cluster], common: Commonness, seed: int, progress: Progress
) -> list[list[Lesson]]:
    data = []
    for number, cluster in enumerate(clusters):
        view = PaperView.of(cluster.text, common)
        citances = [(citance.text, _meant(cluster, citance)) for citance in cluster.citances]
        data.append(lessons(cluster.id, view, citances, common, seed))
        progress(f"reading: {number + 1} of {len(clusters)} papers", None)
    return data


def _meant(cluster: Cluster, citance: Citance) -> NDArray[np.bool_]:
    """[n] which sentences of the cited paper are meant."""
    targets = set(citance.target_sids)
    return np.array([sentence.sid in targets for sentence in cluster.text.sentences])


def _means(judged: Sequence[Judged], over: Average) -> dict[str, float]:
    means = average(judged, over).means()
    return {name: round(means[name], 4) for name in MEASURES}


def _known_scores(scores: Matrix) -> Scorer:
    return lambda _citances, _text, /: scores


def _margin(
    held: Sequence[LearnedLinker], scores: Sequence[Matrix], clusters: Sequence[Cluster]
) -> tuple[float, dict[str, float]]:
    """Returns the narrowest of `MARGINS` that is good enough, and for each the F1 of the sentences of the
    first span against the targets, all citing sentences pooled."""
    counted = {margin: [0, 0, 0] for margin in MARGINS}
    for linker, rows, cluster in zip(held, scores, clusters, strict=True):
        for citance, row in zip(cluster.citances, rows, strict=True):
            right = _meant(cluster, citance)
            free = linker.evidence(citance.text, cluster.text)
            for margin, counts in counted.items():
                counts[2] += int(right.sum())
                for first, last, _ in spans(row, free, cluster.text, margin, 1):
                    counts[0] += int(right[first : last + 1].sum())
                    counts[1] += last + 1 - first
    f1_by_margin = {margin: 2 * hits / (named + meant) for margin, (hits, named, meant) in counted.items()}
    enough = WORTH * max(f1_by_margin.values())
    narrowest = min(margin for margin, f1 in f1_by_margin.items() if f1 >= enough)
    return narrowest, {str(margin): round(f1, 4) for margin, f1 in f1_by_margin.items()}


def _facets(scores: Sequence[Matrix], clusters: Sequence[Cluster]) -> tuple[dict[str, Any], dict[str, float]]:
    """Returns the classifier of all clusters; and the cross-fitted F1 on the sentences that the linker finds,
    on which its probabilities are calibrated, too."""
    examples = [_facet_examples(cluster) for cluster in clusters]
    asked_examples: list[Example] = []
    judged: list[NDArray[np.float64]] = []
    for number, (rows, cluster) in enumerate(zip(scores, clusters, strict=True)):
        asked = [
            _example(citance, cluster.text, int(np.argmax(row)))
            for citance, row in zip(cluster.citances, rows, strict=True)
            if _known(citance)
        ]
        others = [example for position, some in enumerate(examples) if position != number for example in some]
        asked_examples += asked
        judged.append(fit_facets(others).scores([question.sentence for question in asked]))
    data = facet_data(asked_examples)
    f1 = f1_by_label(data.answers(np.concatenate(judged)), data.true_labels)
    scaling = fit_scaling(np.concatenate(judged), data.truth)
    whole = fit_facets([example for some in examples for example in some], scaling)
    shown = {name: round(value, 4) for name, value in f1.items()}
    return whole.document(), shown | {"macro": round(sum(f1.values()) / len(f1), 4)}


def facet_data(examples: Sequence[Example]) -> Data:
    """Returns the examples as arrays, with the features and labels of facets."""
    return Data.of(examples, FACET_FEATURES, FACETS)


def fit_facets(examples: Sequence[Example], scaling: Scaling | None = None) -> LinearClassifier:
    """`scaling` makes its probabilities. Raises MissingExtraError without the extra ``lab``."""
    return fit_linear(facet_data(examples), FACET_SETTINGS, FACET_SETTINGS.penalties[0], "facets", scaling)


def _facet_examples(cluster: Cluster) -> list[Example]:
    """Returns one a citing sentence, with the first sentence that it means."""
    position = {sentence.sid: number for number, sentence in enumerate(cluster.text.sentences)}
    return [
        _example(citance, cluster.text, position[citance.target_sids[0]])
        for citance in cluster.citances
        if _known(citance)
    ]


def _example(citance: Citance, text: FullText, position: int) -> Example:
    sentence = text.sentences[position]
    question = passage_in_context(
        citance.text, sentence.text, sentence.section, position / len(text.sentences)
    )
    return Example(question, _known(citance), text.paper_id)


def _known(citance: Citance) -> tuple[str, ...]:
    return tuple(facet for facet in FACETS if facet in citance.facets)


def _files(citances: Sequence[Path], texts: Sequence[Path]) -> list[Path]:
    files = [
        path for citance in citances if citance.is_file() for path in (citance, clusters_beside(citance))
    ]
    return [*files, *texts]


# Fitting -------------------------------------------------------------------------------------------------


PENALTY = 0.1
"""Penalty of the squared weights of the linear model, for features of unit variance: there are few papers to
fit it to."""

SAMPLED = 45
"""Sentences of a paper that are not targets, drawn for each citing sentence."""

ROUNDS = 70

TREES: dict[str, Any] = {
    **LAMBDARANK,
    "learning_rate": 0.07,
    "num_leaves": 6,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "lambda_l2": 10.0,
    "max_bin": 63,
    "num_threads": 1,
}
"""LightGBM's parameters: small trees, because forty papers are few."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A citing sentence with sentences of the cited paper: all that are meant, and some that are not."""

    cluster: str
    table: NDArray[np.float32]
    """[k, len(FEATURES)] the features of the sentences."""
    right: NDArray[np.bool_]
    """[k] which sentences are meant."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model without the words that are common."""

    weights: NDArray[np.float64]
    """[len(FEATURES)] the linear weights."""
    trees: list[list[list[float]]]

    def linker(self, common: Commonness, margin: float = 0.0) -> LearnedLinker:
        """Returns the model as it is served, with the frequencies of words."""
        return LearnedLinker(common, self.weights, Forest.of(self.trees), margin)


def lessons(
    cluster: str,
    view: PaperView,
    citances: Sequence[tuple[str, NDArray[np.bool_]]],
    common: Commonness,
    seed: int,
) -> list[Lesson]:
    """Returns a lesson for each citing sentence with its targets [n].

    Negatives are drawn at random: with the hardest negatives but all positives, a model would learn that
    positives look easy.
    """
    taught = []
    for number, (text, right) in enumerate(citances):
        wrong = np.flatnonzero(~right)
        drawn = np.random.default_rng([seed, number]).permutation(wrong)[:SAMPLED]
        kept = np.sort(np.concatenate([np.flatnonzero(right), drawn]))
        taught.append(Lesson(cluster, table(text, view, common)[kept], right[kept]))
    return taught


def fit(data: Sequence[Lesson], seed: int) -> Fitted:
    """Linear weights, and trees whose scores spread as much within a list: the two are added."""
    sizes = Counter(lesson.cluster for lesson in data)
    # A paper that many cite does not count as many papers.
    importance = np.array([sizes[lesson.cluster] ** -0.5 for lesson in data])
    weights = _linear(data, importance)
    return Fitted(weights, _trees(data, importance, weights, seed))


def _linear(data: Sequence[Lesson], importance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns weights that maximise the likelihood of a right sentence among those of the list (conditional
    logit, McFadden 1974) less `PENALTY`."""
    from scipy.optimize import minimize

    table = np.concatenate([lesson.table for lesson in data]).astype(np.float64)
    right = np.concatenate([lesson.right for lesson in data]).astype(np.float64)
    sizes = np.array([len(lesson.right) for lesson in data])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(data)), sizes)
    share = right / np.add.reduceat(right, starts)[owner]
    spread = table.std(axis=0)
    used = spread > 1e-9
    scaled = (table[:, used] - table[:, used].mean(axis=0)) / spread[used]

    mean = importance.sum()

    def chances(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = scaled @ weights
        shares: NDArray[np.float64] = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        shares /= np.add.reduceat(shares, starts)[owner]
        return shares

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        likely = chances(weights)
        likelihood = np.add.reduceat(np.log(likely + 1e-300) * share, starts)
        slope = scaled.T @ ((share - likely) * importance[owner])
        return (
            -float((likelihood * importance).sum() / mean) + PENALTY * float(weights @ weights),
            -slope / mean + 2 * PENALTY * weights,
        )

    def curvature(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        weighed = scaled * chances(weights)[:, None]
        expected = np.add.reduceat(weighed, starts)
        outer = scaled.T @ (weighed * importance[owner][:, None]) - expected.T @ (
            expected * importance[:, None]
        )
        bent: NDArray[np.float64] = outer / mean + 2 * PENALTY * np.eye(len(weights))
        return bent

    start = np.zeros(int(used.sum()))
    solution = minimize(loss, start, jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-5})
    weights = np.zeros(len(FEATURES))
    weights[used] = solution.x / spread[used]
    return np.array([float(f"{weight:.5g}") for weight in weights])


def _trees(
    data: Sequence[Lesson], importance: NDArray[np.float64], weights: NDArray[np.float64], seed: int
) -> list[list[list[float]]]:
    """Grows trees as `Forest.of` takes them (LambdaMART, Burges 2010)."""
    lists = [
        RankedList(lesson.table, lesson.right, float(weight))
        for lesson, weight in zip(data, importance, strict=True)
    ]
    grown = grow(lists, FEATURES, {**TREES, "seed": seed}, ROUNDS)
    linear = np.mean([(lesson.table @ weights).std() for lesson in data])
    spread = np.mean([grown.predict(lesson.table).std() for lesson in data])
    return trees(grown, float(linear / max(float(spread), 1e-9)))
