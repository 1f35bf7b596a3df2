"""Trains the set model: from finished drafts, and citing sentences of a library, to a model folder.

The model has trees for the probability that a paper belongs to a citation, and thresholds. The trees see each
place in several states of a greedy selection: nothing chosen, the most probable paper chosen, some of the
right ones, all of them; so that they learn from the members and the chosen papers what is still missing, and
when nothing is. The thresholds have nearly the highest F1 of the chosen set (`nearly_best`), for trees that
were grown on other authors.

What is learned from are places with known answers: finished drafts of many fields, each with a library of its
own bibliography, and citing sentences in a library of their field. Every place is asked without any of its
papers; one that cites several is asked again with some of them as members: all but one, or any smaller
number. Places are kept on disk with the relations of their best candidates, since asking takes longer than
learning.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import MANIFEST, checksum
from citewhy.base.assets import ranker_folder
from citewhy.base.config import VERSION
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.models.trees import Forest
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.features import CONTEXT, SET_FEATURES, CitationCandidates
from citewhy.ranking.sets.model import EMPTY, STARTED, SetTrees, write_set_trees
from citewhy.ranking.sets.relations import RELATIONS
from citewhy.ranking.sets.selection import choose
from citewhy.search.encode import Encoder, open_encoder
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.serving import recommender_of, set_candidates
from citewhy_lab.evaluate.sets import with_members
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from citewhy_lab.train.kept import Arrays, code_digest, kept
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.systems.sets.settings import SetsInputs, SetsSettings
from citewhy_lab.train.trees import lightgbm, nodes

OF_DRAFT, SEVERAL_OF_DRAFT = 10, 8
"""Places of a draft that are asked as they occur, and of those that cite several papers."""

OF_FILE = 150
"""Sentences of a file that are asked as they occur; those that cite several papers are all asked."""

_FEWEST = 100


def train_sets(
    inputs: SetsInputs, settings: SetsSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> Trained:
    """Writes the set model `out`. Raises InputError if there are too few examples, StorageError."""
    encoder = open_encoder(inputs.encoder)
    document = sets_document(inputs, settings, checkpoints(out), encoder, progress)
    making = document["making"]
    name = f"citewhy sets ({making['places']} places)"
    write_set_trees(out, name, document["trees"], document["thresholds"], making)
    summary = [
        f"{kind:8}  " + "  ".join(f"{measure} {value}" for measure, value in measures.items())
        for kind, measures in making["cross_fitted"].items()
    ]
    return Trained(making, summary)


def sets_document(
    inputs: SetsInputs, settings: SetsSettings, scratch: Path, encoder: Encoder, progress: Progress
) -> dict[str, Any]:
    """Makes what `fit_sets` returns, with ``making``. Libraries of drafts and what was asked are kept in the
    folder `scratch`, and asked again if what they were made of, such as the built-in ranker, has changed.
    Drafts of held-out authors are left out. Raises InputError if there are too few examples."""
    listed = read_manifest(inputs.manifest, inputs.documents, follow_outside=inputs.follow_outside)
    drafts = [draft for draft in listed if use_of(draft.author) != "measuring"]
    ranker, seed = str(checksum(ranker_folder() / MANIFEST)), settings.seed
    made_of = [code_digest("citewhy", "citewhy_lab"), ranker, encoder.fingerprint, str(seed)]
    of_drafts = [*made_of, "follow outside"] if inputs.follow_outside else made_of
    answered: list[Answered] = []
    for number, draft in enumerate(drafts):
        progress(f"asking: {draft.name}", number / len(drafts))
        ask = partial(_of_draft, draft, scratch, encoder, seed)
        sums = [str(checksum(path)) for path in (draft.root, *draft.bibliographies)]
        answered += kept(scratch / draft.name / "places.npz", [*of_drafts, *sums], ask, packed, unpacked)
    for folder, file in inputs.sentences:
        progress(f"asking: {file.name}", None)
        ask = partial(_of_sentences, folder, file, settings.since, encoder, seed)
        own = [str(folder.resolve()), str(settings.since), str(checksum(file))]
        answered += kept(scratch / f"{file.name}.npz", [*made_of, *own], ask, packed, unpacked)
    if len(answered) < _FEWEST:
        raise InputError(
            f"{len(answered)} places are too few to learn from", path=inputs.manifest, hint="give more drafts"
        )
    document = fit_sets(answered, seed, progress)
    files = (inputs.manifest, *(file for _, file in inputs.sentences))
    document["making"] = {
        "command": "citewhy train sets",
        "version": VERSION,
        "seed": seed,
        "places": len(answered),
        "drafts": len(drafts),
        "encoder": encoder.fingerprint,
        "data_crc32": {path.name: checksum(path) for path in files},
        "cross_fitted": document.pop("cross_fitted"),
    }
    return document


def _of_draft(draft: Draft, scratch: Path, encoder: Encoder, seed: int) -> list[Answered]:
    with open_library(draft, scratch / draft.name / "library") as library:
        recommender = recommender_of(library, encoder)
        return list(draft_places(recommender, topics_of(draft, library), draft, seed))


def draft_places(
    recommender: Recommender, topics: Sequence[Topic], draft: Draft, seed: int
) -> Iterator[Answered]:
    """Yields places of a draft as they occur, and places that cite several papers, with their `variants`."""
    rng = random.Random(f"sets {seed} {draft.name}")
    for topic in rng.sample(list(topics), min(OF_DRAFT, len(topics))):
        yield asked(recommender, topic, draft.author, natural=True)
    several = [topic for topic in topics if len(topic.relevant) > 1]
    for topic in rng.sample(several, min(SEVERAL_OF_DRAFT, len(several))):
        yield asked(recommender, topic, draft.author, natural=False)
        for variant in variants(topic, rng):
            yield asked(recommender, variant, draft.author, natural=False)


def _of_sentences(folder: Path, file: Path, since: int, encoder: Encoder, seed: int) -> list[Answered]:
    with Library.open(folder) as library:
        recommender = recommender_of(library, encoder)
        topics = [
            topic for topic in local_topics(file, library, Options()) if (topic.query.year or 0) >= since
        ]
        return list(sentence_places(recommender, topics, seed))


def sentence_places(recommender: Recommender, topics: Sequence[Topic], seed: int) -> Iterator[Answered]:
    """Citing sentences as they occur, and all that cite several papers, with their `variants`."""
    rng = random.Random(f"sets {seed}")
    for topic in rng.sample(list(topics), min(OF_FILE, len(topics))):
        yield asked(recommender, topic, topic.query.citing_id, natural=True)
    for topic in (candidate for candidate in topics if len(candidate.relevant) > 1):
        yield asked(recommender, topic, topic.query.citing_id, natural=False)
        for variant in variants(topic, rng):
            yield asked(recommender, variant, topic.query.citing_id, natural=False)


# Fitting -------------------------------------------------------------------------------------------------


ROUNDS = 120

FOLDS = 3

FIRST_WEIGHT = 2.0
"""Weight of a state in which nothing is chosen: all others follow from it."""

FREE = frozenset(
    name
    for name in SET_FEATURES
    if name.endswith(("_cosine", "_year")) and not name.endswith(("papers_cosine", "sentences_cosine"))
) | frozenset(CONTEXT)
"""Features that may lower a probability: what is too similar is redundant, and the facts of the place."""

TREES: Mapping[str, Any] = {
    "objective": "binary",
    "num_leaves": 12,
    "learning_rate": 0.08,
    "min_data_in_leaf": 40,
    "lambda_l2": 5.0,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "monotone_constraints": [int(name not in FREE) for name in SET_FEATURES],
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
"""LightGBM's parameters. Evidence for a paper never lowers its probability."""

_LONGEST = 5
"""Papers of a selection from which thresholds are chosen."""

_SLACK = 0.01
"""Difference of F1 up to which thresholds count as equally good."""

_GRID = np.round(np.arange(0.05, 0.75, 0.025), 3)
"""Thresholds that are tried."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A greedy selection that does not stop by itself."""

    gains: NDArray[np.float64]
    """[s] the probability of each chosen paper."""
    right: NDArray[np.bool_]
    """[s]."""
    answers: int
    """Number of right papers, missed ones included."""
    at_least: int

    def size(self, threshold: float) -> int:
        """Returns the number of papers that are chosen with a threshold."""
        below = np.flatnonzero(self.gains < threshold)
        size = int(below[0]) if len(below) else len(self.gains)
        return min(max(size, self.at_least), len(self.gains))


def states(answered: Answered, rng: random.Random) -> Iterator[list[int]]:
    """Yields positions of chosen candidates, from which a place is learned."""
    yield []
    if not len(answered.right):
        return
    right = np.flatnonzero(answered.right).tolist()
    best = int(answered.place.probabilities.argmax())
    yield [best]
    if right:
        yield right
        first = max(right, key=lambda row: float(answered.place.probabilities[row]))
        if first != best:
            yield [first]
            yield [best, first]
        if len(right) > 1:
            yield sorted(rng.sample(right, rng.randint(1, len(right) - 1)))


def grow_sets(answered: Sequence[Answered], seed: int, rounds: int = ROUNDS) -> list[list[list[float]]]:
    """Returns trees as `Forest.of` takes them. Raises MissingExtraError."""
    rng = random.Random(seed)
    tables, answers, weights = [], [], []
    for answer in answered:
        of_place = list(states(answer, rng))
        for chosen in of_place:
            free = np.ones(len(answer.right), dtype=np.bool_)
            free[chosen] = False
            tables.append(answer.place.table(answer.place.rows[chosen].tolist())[free])
            answers.append(answer.right[free])
            weight = (1.0 if chosen else FIRST_WEIGHT) / len(of_place)
            weights.append(np.full(int(free.sum()), weight))
    module = lightgbm()
    data = module.Dataset(
        np.concatenate(tables),
        np.concatenate(answers).astype(int),
        weight=np.concatenate(weights),
        feature_name=list(SET_FEATURES),
    )
    booster = module.train({**TREES, "seed": seed}, data, num_boost_round=rounds)
    return [nodes(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]


def selection_of(model: SetTrees, answered: Answered, at_least: int = 1) -> Selection:
    """Returns the greedy selection of a place."""
    choice = choose(model, answered.place, at_least=_LONGEST, most=_LONGEST)
    positions = list(choice.positions)
    return Selection(
        np.array(choice.gains),
        answered.right[positions],
        int(answered.right.sum()) + answered.missed,
        at_least,
    )


def set_f1(paths: Sequence[Selection], threshold: float) -> float:
    """Computes the mean over places of F1 of the chosen papers: twice the number of right ones, divided by
    the number of chosen ones and of answers; 0 for no paths."""
    scores = []
    for selection in paths:
        size = selection.size(threshold)
        scores.append(2 * float(selection.right[:size].sum()) / max(size + selection.answers, 1))
    return float(np.mean(scores)) if scores else 0.0


def size_error(paths: Sequence[Selection], threshold: float) -> float:
    """Computes the mean absolute difference of the number of chosen papers and of answers."""
    return (
        float(np.mean([abs(selection.size(threshold) - selection.answers) for selection in paths]))
        if paths
        else 0.0
    )


def fit_sets(answered: Sequence[Answered], seed: int, progress: Progress) -> dict[str, Any]:
    """``trees``, ``thresholds``, and ``cross_fitted``: how well it does for authors that the trees have not
    seen."""
    folds = np.array([zlib.crc32(f"set {answer.author}".encode()) % FOLDS for answer in answered])
    paths: dict[str, list[Selection]] = {EMPTY: [], STARTED: []}
    hits: dict[str, list[bool]] = {"default": [], "sets": []}
    for fold in range(FOLDS):
        progress("cross-fitting the set model", fold / FOLDS)
        learned = [place for place, own in zip(answered, folds, strict=True) if own != fold]
        model = _model(grow_sets(learned, seed))
        for place in (place for place, own in zip(answered, folds, strict=True) if own == fold):
            if place.place.members:
                paths[STARTED].append(selection_of(model, place))
                _count(hits, model, place)
            elif place.natural:
                paths[EMPTY].append(selection_of(model, place))
    thresholds = {EMPTY: nearly_best(paths[EMPTY])[0], STARTED: nearly_best(paths[STARTED])[1]}
    quality = {
        name: {
            "places": len(walked),
            "set-F1": round(set_f1(walked, thresholds[name]), 4),
            "set-F1 of the first": round(set_f1(walked, 1.0), 4),
            "set-size-error": round(size_error(walked, thresholds[name]), 4),
        }
        for name, walked in paths.items()
    }
    ranks = {f"hit@5 {name}": round(float(np.mean(of_name)), 4) for name, of_name in hits.items() if of_name}
    progress("growing trees", None)
    return {
        "trees": grow_sets(answered, seed),
        "thresholds": thresholds,
        "cross_fitted": {**quality, STARTED: {**quality[STARTED], **ranks}},
    }


def _count(hits: dict[str, list[bool]], model: SetTrees, answered: Answered) -> None:
    """Notes for each answer whether it is among the first five, by the ranker and by the set model."""
    chances = model.probabilities(answered.place.table(()))
    rank_of = np.empty(len(chances), dtype=np.int64)
    rank_of[np.argsort(-chances, kind="stable")] = np.arange(len(chances))
    for position in np.flatnonzero(answered.right).tolist():
        hits["default"].append(bool(answered.place.ranks[position] < 5))
        hits["sets"].append(bool(rank_of[position] < 5))
    hits["default"] += [False] * answered.missed
    hits["sets"] += [False] * answered.missed


def nearly_best(paths: Sequence[Selection]) -> tuple[float, float]:
    """Returns the lowest and the highest threshold whose F1 is at most `_SLACK` below the best.

    Over places as they occur F1 hardly changes from one to the other. The lowest is for citations without
    papers: those that need several gain most by it. The highest is for citations with papers, which usually
    lack one.
    """
    scores = np.array([set_f1(paths, float(threshold)) for threshold in _GRID])
    good = _GRID[scores >= scores.max() - _SLACK]
    return float(good[0]), float(good[-1])


def _model(trees: Sequence[Sequence[Sequence[float]]]) -> SetTrees:
    return SetTrees("cross-fitted", Forest.of(trees), {EMPTY: 0.5, STARTED: 0.5})


# Places with known answers ----------------------------------------------------------------------------------


KEPT = 40
"""Candidates of a place that are kept: the right ones, the first of the ranking, and the most related."""

_FIRST = 25


@dataclass(frozen=True, slots=True)
class Answered:
    """A place with its answers."""

    place: CitationCandidates
    right: NDArray[np.bool_]
    """[n]."""
    missed: int
    """Right papers of the library that are not among the n."""
    author: str
    """Whose places are learned from together or tested together."""
    natural: bool
    """Whether it is a place as it occurs, and not one chosen because it cites several papers."""


def variants(topic: Topic, rng: random.Random) -> Iterator[Topic]:
    """Yields a topic with several answers, with some of them as members: all but one, and, of three or more,
    a smaller number."""
    several = list(topic.relevant)
    rng.shuffle(several)
    counts = {len(several) - 1, rng.randint(1, len(several) - 1)} if len(several) > 1 else set()
    for count in sorted(counts):
        yield Topic(with_members(topic.query, several[:count]), tuple(several[count:]))


def asked(recommender: Recommender, topic: Topic, author: str, natural: bool) -> Answered:
    """Returns the topic as the set model sees it, with at most `KEPT` candidates."""
    place = set_candidates(recommender, topic.query)
    answers = recommender.index.rows(list(topic.relevant))
    right = np.isin(place.rows, answers)
    missed = len(set(answers.tolist()) - {-1}) - int(right.sum())
    to_members = [SET_FEATURES.index(f"member_{name}") for name in RELATIONS]
    related = place.table(())[:, to_members].sum(axis=1)
    looks = np.where(np.arange(len(right)) < _FIRST, 100.0, 0) + np.where(right, 1000.0, 0) + related
    kept = np.sort(np.argsort(-looks, kind="stable")[:KEPT])
    return Answered(_kept(place, kept), right[kept], missed, author, natural)


def _kept(place: CitationCandidates, kept: NDArray[np.int64]) -> CitationCandidates:
    """Returns the place with the candidates at `kept` alone, and all their relations."""
    rows = place.rows[kept]
    to = {row: place.relate(row)[kept] for row in (*rows.tolist(), *place.members)}
    return CitationCandidates(
        rows, place.probabilities[kept], place.ranks[kept], place.members, to.__getitem__, place.context
    )


# On disk --------------------------------------------------------------------------------------------------


def packed(places: Sequence[Answered]) -> Arrays:
    """Makes arrays of the places, with the relations of the candidates, for `train.kept`."""
    arrays: dict[str, NDArray[Any]] = {"count": np.array(len(places))}
    for number, answered in enumerate(places):
        place = answered.place
        others = (*place.rows.tolist(), *place.members)
        related = [place.relate(row) for row in others]
        arrays |= {
            f"{number}/rows": place.rows,
            f"{number}/probabilities": place.probabilities,
            f"{number}/ranks": place.ranks,
            f"{number}/members": np.array(place.members, dtype=np.int64),
            f"{number}/relations": np.stack(related).astype(np.float16)
            if related
            else np.zeros((0, 0, len(RELATIONS)), dtype=np.float16),
            f"{number}/context": np.array(list(place.context.values())),
            f"{number}/names": np.array(list(place.context), dtype=np.str_),
            f"{number}/right": answered.right,
            f"{number}/missed": np.array(answered.missed),
            f"{number}/author": np.array(answered.author),
            f"{number}/natural": np.array(answered.natural),
        }
    return arrays


def unpacked(arrays: Arrays) -> list[Answered]:
    """Restores what `packed` was given. Raises KeyError or ValueError for other arrays."""
    return [_place(arrays, str(number)) for number in range(int(arrays["count"]))]


def _place(arrays: Arrays, number: str) -> Answered:
    def part(name: str) -> NDArray[Any]:
        return arrays[f"{number}/{name}"]

    rows, members = part("rows"), tuple(part("members").tolist())
    relations = part("relations").astype(np.float32)
    to = dict(zip((*rows.tolist(), *members), relations, strict=True))
    context = dict(zip(part("names").tolist(), part("context").tolist(), strict=True))
    place = CitationCandidates(rows, part("probabilities"), part("ranks"), members, to.__getitem__, context)
    return Answered(place, part("right"), int(part("missed")), str(part("author")), bool(part("natural")))
