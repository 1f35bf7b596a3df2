"""Fits the last step of the ranker: a forest for each of its three worlds, and their probabilities.

The trees are grown by LambdaRank under monotone constraints: evidence for a paper never lowers its score,
so that where a draft says nothing the order is that of words and vectors. Probabilities are fitted on
drafts whose authors the trees have not seen, with questions among them whose answer is not there.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import checksum
from citewhy.base.config import VERSION
from citewhy.base.progress import Progress
from citewhy.models.trees import Forest
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.last_step import ADDED, EVIDENCE, WITHOUT_CONTEXTS, WORLDS, LastStep, world_of
from citewhy.ranking.rank.last_step_features import (
    CONTEXT,
    LAST_STEP_FEATURES,
    MONOTONE,
    PART_FEATURES,
    SIMILAR_FEATURES,
)
from citewhy.ranking.rank.model import RankerModel
from citewhy.search.encode import Encoder
from citewhy.search.index.arrays import Floats
from citewhy_lab.train.drafts import Draft, read_manifest, use_of
from citewhy_lab.train.kept import code_digest, kept
from citewhy_lab.train.systems.ranker import fit
from citewhy_lab.train.systems.ranker.drafts import PLACES, draft_questions
from citewhy_lab.train.systems.ranker.paragraphs import (
    OF_DRAFT,
    built_paragraphs,
    draft_paragraphs,
    fit_paragraphs,
)
from citewhy_lab.train.systems.ranker.quality import quality
from citewhy_lab.train.systems.ranker.questions import Question, packed, promise, unpacked
from citewhy_lab.train.systems.ranker.sentences import sentence_questions
from citewhy_lab.train.trees import RankedList, grow, lightgbm, trees

__all__ = ["ROUNDS", "Sources", "fit_last_step", "train_last_step"]

ROUNDS = 250

CALIBRATED = 2000
"""Questions of a world that its probabilities are fitted on; two numbers need no more."""

FOLDS = 3
"""Parts of the authors; each is scored by trees that were grown on the others."""

TAUGHT = 120
"""Candidates of a question that the trees learn from."""

WITHOUT_ANSWER = 0.15
"""Weight of a question's copy from which the right papers are taken, in fitting probabilities."""

IN_SMALL_LIBRARY = 0.1
"""Weight of its copy in a library of a few papers: one paper alone is not right because there is no other."""

ADDED_FEATURES = frozenset(
    [
        *(*EVIDENCE["named"], *EVIDENCE["paragraph"], *PART_FEATURES, *SIMILAR_FEATURES),
        *("profile", "profile_gap", *CONTEXT),
    ]
) - {"contexts_share"}
"""Features that the previous steps lack. The forest that adds to these, which were fitted to the same kind of
questions, is grown on them alone, and not on how much it counts itself."""

TREES: dict[str, Any] = {
    **fit.TREES,
    "learning_rate": 0.07,
    "monotone_constraints": list(MONOTONE),
    "monotone_constraints_method": "basic",
    "num_threads": 1,
}
"""LightGBM's parameters: those of the previous trees, with constraints."""

SMALL_TREES: dict[str, Any] = {**TREES, "learning_rate": 0.04, "num_leaves": 7}
"""For sentences alone in libraries without citing sentences: there are fewer questions, and fewer features
tell papers apart. Chosen by cross-validation over the questions of training."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What the last step is trained on."""

    manifest: Path
    documents: Path
    """Folder of the drafts that the manifest lists."""
    libraries: Sequence[tuple[Path, Sequence[Path]]] = ()
    """Libraries of many papers, each with its files of citing sentences."""
    paragraphs: Sequence[tuple[Path, Path]] = ()
    """Libraries, each with a file of paragraphs, on which the probabilities for paragraphs are fitted."""
    after: int = 0
    """Citing sentences of later years alone are learned from: those that the encoder was not trained on."""
    most: int = 2000
    """Questions of one file, and of the abstracts of one library."""
    ranker: str = ""
    """Identifies the ranker that the last step is added to."""
    follow_outside: bool = False
    """Whether files outside of a draft's project that it names are read, too."""


def train_last_step(
    sources: Sources, scratch: Path, encoder: Encoder, model: RankerModel, seed: int, progress: Progress
) -> dict[str, Any]:
    """The parts ``last_step`` and ``calibration`` of a ranker's document, and ``making``. `model` gives the
    order that the last step starts from; libraries of drafts are made in the folder `scratch`. Drafts of
    held-out authors and held-out names are left out."""
    lightgbm()  # or else it is not installed
    listed = read_manifest(sources.manifest, sources.documents, follow_outside=sources.follow_outside)
    drafts = [each for each in listed if use_of(each.author) == "ranker"]
    others = [each for each in listed if use_of(each.author) == "encoder"]
    made_of = [code_digest("citewhy", "citewhy_lab"), encoder.fingerprint, sources.ranker]
    made_of += [str(seed), str(sources.after), str(sources.most)]
    made_of += ["follow outside"] if sources.follow_outside else []
    keeping = _Keeping(scratch, made_of, progress)
    of_places = partial(draft_questions, encoder=encoder, model=model, seed=seed)
    of_paragraphs = partial(draft_paragraphs, encoder=encoder, model=model, seed=seed)
    found = keeping.of_drafts(drafts, "questions", PLACES, of_places)
    for folder, files in sources.libraries:
        ask = partial(sentence_questions, folder, files, sources.after, sources.most, encoder, model, seed)
        found += keeping.of_library(folder.name, folder, files, ask)
    paragraphs = keeping.of_drafts(others, "paragraphs", OF_DRAFT, of_paragraphs)
    for folder, file in sources.paragraphs:
        ask = partial(built_paragraphs, folder, file, encoder, model)
        paragraphs += keeping.of_library("paragraphs", folder, [file], ask)
    document = fit_last_step(found, seed, progress, paragraphs)
    files = [sources.manifest, *(path for _, several in sources.libraries for path in several)]
    files += [file for _, file in sources.paragraphs]
    document["making"] |= {
        "drafts": len(drafts),
        "encoder": encoder.fingerprint,
        "data_crc32": {path.name: checksum(path) for path in files},
    }
    return document


@dataclass(frozen=True, slots=True)
class _Keeping:
    """Asks, and keeps what was answered in the folder `scratch`; `made_of` is what all answers depend on."""

    scratch: Path
    made_of: Sequence[str]
    progress: Progress

    def of_drafts(
        self, drafts: Sequence[Draft], name: str, most: int, ask: Callable[[Draft, Path], Iterable[Question]]
    ) -> list[Question]:
        """Of each draft, whose library is made in the folder that `ask` is given."""
        found: list[Question] = []
        for number, draft in enumerate(drafts):
            self.progress(f"asking for {name}: {draft.name}", number / len(drafts))
            folder = self.scratch / draft.name
            sums = [str(checksum(path)) for path in (draft.root, *draft.bibliographies)]
            of_draft = partial(ask, draft, folder / "library")
            found += kept(
                folder / f"{name}.npz", [*self.made_of, str(most), *sums], of_draft, packed, unpacked
            )
        return found

    def of_library(
        self, name: str, folder: Path, files: Sequence[Path], ask: Callable[[], Iterable[Question]]
    ) -> list[Question]:
        """Of files that are asked in a library."""
        self.progress(f"asking: {', '.join(each.name for each in files) or name}", None)
        with Library.open(folder) as library:
            generation = library.generation
        own = [str(folder.resolve()), *(f"{path.name} {checksum(path)}" for path in files), str(generation)]
        mark = zlib.crc32("\n".join([own[0], *(path.name for path in files)]).encode())
        path = self.scratch / f"{name}-{mark:08x}.npz"
        return kept(path, [*self.made_of, *own], ask, packed, unpacked)


def fit_last_step(
    found: Sequence[Question], seed: int, progress: Progress, paragraphs: Sequence[Question] = ()
) -> dict[str, Any]:
    """From the questions to trees, calibration, and how well they do on authors, papers and names that they
    have not seen: upper bounds, since only the `questions.KEPT` candidates of a question are ranked. The
    probabilities for paragraphs are fitted on `paragraphs`, whose authors are others; without any, on
    `found`."""
    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(found)
    grown = {}
    for world in WORLDS:
        places = [place for place, each in enumerate(found) if world_of(each.table) == world]
        members = [found[place] for place in places]
        for place, values in zip(places, _cross_fitted(members, seed, progress), strict=True):
            scores[place] = values
        progress(f"growing trees: {world}", None)
        grown[world] = _grow(members, seed)
    model = LastStep({world: Forest.of(each) for world, each in grown.items()}, {}, {})
    for place, each in enumerate(found):
        if world_of(each.table) == ADDED:
            scores[place] = model.averaged(scores[place], each.table)
    fitted = fit_paragraphs(paragraphs or found, model)
    return {
        "last_step": {"columns": list(LAST_STEP_FEATURES), "trees": grown, "paragraphs": fitted},
        "calibration": {world: asdict(_calibration(found, scores, world, seed)) for world in WORLDS},
        "making": {
            "command": "citewhy train drafts",
            "version": VERSION,
            "seed": seed,
            "rounds": ROUNDS,
            "questions": len(found),
            "paragraphs": len(paragraphs),
            "cross_fitted": quality(
                (each.world, each, values) for each, values in zip(found, scores, strict=True)
            ),
        },
    }


def _cross_fitted(found: Sequence[Question], seed: int, progress: Progress) -> list[Floats]:
    """Scores by trees that were grown on other authors, citing papers and names."""
    folds = np.array([zlib.crc32(f"part {each.author}".encode()) % FOLDS for each in found], dtype=np.int64)
    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(found)
    for fold in np.unique(folds).tolist():
        progress("cross-fitting the last step", fold / FOLDS)
        forest = Forest.of(_grow([found[each] for each in np.flatnonzero(folds != fold).tolist()], seed))
        for place in np.flatnonzero(folds == fold).tolist():
            scores[place] = forest.scores(found[place].table) + _before(found[place])
    return scores


def _before(question: Question) -> Floats:
    """[n] scores of the steps before, where the trees add to them; else zeros."""
    base: Floats = question.table[:, LAST_STEP_FEATURES.index("base_gap")]
    return base if world_of(question.table) == ADDED else np.zeros_like(base)


def _first(question: Question) -> Question:
    first = np.sort(promise(question.table, question.right)[:TAUGHT])
    return replace(question, table=question.table[first], right=question.right[first])


def _seen(question: Question) -> NDArray[np.float32]:
    """[n, len(LAST_STEP_FEATURES)] with zeros for the features that its forest is not grown on."""
    table = question.table.copy()
    if world_of(table) == ADDED:
        table[:, [name not in ADDED_FEATURES for name in LAST_STEP_FEATURES]] = 0
    return table


def _grow(found: Sequence[Question], seed: int) -> list[list[list[float]]]:
    """The forest of the world that the questions are of."""
    asked = [_first(each) for each in found if each.right.any()]
    lists = [RankedList(_seen(each), each.right, each.weight, _before(each)) for each in asked]
    if not lists:
        return [[[-1, 0.0, 0, 0, 0.0]]]  # a leaf: nothing was asked in this world
    parameters = SMALL_TREES if world_of(asked[0].table) == WITHOUT_CONTEXTS else TREES
    return trees(grow(lists, LAST_STEP_FEATURES, {**parameters, "seed": seed}, ROUNDS))


def _calibration(found: Sequence[Question], scores: Sequence[Floats], world: str, seed: int) -> Calibration:
    """Of the questions of a world (of all, where there is none of it), with copies of each: one whose right
    papers are gone, and one asked of a library of a few papers, with or without them."""
    places = [place for place, each in enumerate(found) if world_of(each.table) == world]
    rng = np.random.default_rng(seed)
    places = rng.permutation(places or len(found))[:CALIBRATED].tolist()
    told: list[Floats] = []
    right: list[NDArray[np.bool_]] = []
    weights: list[float] = []
    for place in places:
        values, answers, weight = scores[place], found[place].right, found[place].weight
        few = _few(answers, rng)
        told += [values, values[~answers], values[few]]
        right += [answers, np.zeros(int((~answers).sum()), dtype=np.bool_), answers[few]]
        weights += [weight, WITHOUT_ANSWER * weight, IN_SMALL_LIBRARY * weight]
    return fit.fit_calibration(told, right, weights, shared=True)


def _few(right: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """1 to 20 places; of every second question, a right one among them."""
    wrong = np.flatnonzero(~right)
    chosen = rng.permutation(wrong)[: rng.integers(1, 21)]
    if right.any() and rng.random() < 0.5:
        chosen[:1] = rng.choice(np.flatnonzero(right))
    return chosen
