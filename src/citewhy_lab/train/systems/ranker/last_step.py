"""Fits the last step of the ranker: a forest for each of its three regimes, and their probabilities.

The trees are grown by LambdaRank under monotone constraints: evidence for a paper never lowers its score,
so that where a draft says nothing the order is that of words and vectors. Probabilities are fitted on
drafts whose authors the trees have not seen, with questions among them whose answer is not there.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.artifact import checksum
from citewhy.base.assets import ranker_folder
from citewhy.base.config import VERSION
from citewhy.base.printable import printable
from citewhy.base.progress import Progress
from citewhy.models.trees import Forest
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.folder import read_document, write_ranker
from citewhy.ranking.rank.last_step import (
    ADDED,
    EVIDENCE,
    OWN_CALIBRATION,
    REGIMES,
    WITHOUT_CONTEXTS,
    LastStep,
    regime_of,
)
from citewhy.ranking.rank.last_step_features import (
    CONTEXT,
    LAST_STEP_FEATURES,
    MONOTONE,
    PART_FEATURES,
    SIMILAR_FEATURES,
)
from citewhy.ranking.rank.linear_trees import LinearTrees
from citewhy.ranking.rank.model import RankerModel
from citewhy.search.encode import Encoder, open_encoder
from citewhy.search.index.arrays import Floats
from citewhy_lab.train.drafts import Draft, Use, read_manifest, use_of
from citewhy_lab.train.kept import code_digest, kept
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.systems.ranker import fit
from citewhy_lab.train.systems.ranker.probabilities import fit as fit_places
from citewhy_lab.train.systems.ranker.probabilities import place_of
from citewhy_lab.train.systems.ranker.questions import (
    OF_DRAFT,
    PARAGRAPHS_OF_DRAFT,
    PLACES_OF_DRAFT,
    RankerQuestion,
    built_paragraphs,
    draft_paragraphs,
    draft_questions,
    fit_paragraphs,
    own_questions,
    packed,
    promise,
    sentence_questions,
    unpacked,
)
from citewhy_lab.train.systems.ranker.settings import LastStepInputs, LastStepSettings
from citewhy_lab.train.trees import RankedList, grow, trees

ROUNDS = 250

CALIBRATED = 2000
"""Questions of a regime that its probabilities are fitted on; two numbers need no more."""

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


def train_last_step(
    inputs: LastStepInputs,
    settings: LastStepSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the ranker `out`: the one that training starts from, with another last step.

    Libraries of drafts are made in the folder `checkpoints`, with what was asked. Drafts of held-out authors
    and held-out names are left out. Raises InputError, StorageError.
    """
    base = read_document(inputs.ranker or ranker_folder())
    steps = [base["linear"], base["trees"]]
    mark = f"{zlib.crc32(orjson.dumps(steps, option=orjson.OPT_SORT_KEYS)):08x}"
    encoder = open_encoder(inputs.encoder)
    model = LinearTrees.of({name: part for name, part in base.items() if name != "last_step"})
    asking = _Asking(inputs, settings, checkpoints(out), encoder, model, mark, progress)
    questions, paragraphs = asking.questions(), asking.paragraphs()
    document = fit_last_step(questions, settings.seed, progress, paragraphs)
    own = asking.own()
    files = [inputs.manifest, *(file for _, file in (*inputs.sentences, *inputs.paragraphs))]
    making = document.pop("making") | {
        "drafts": len(asking.drafts_of("ranker")),
        "encoder": encoder.fingerprint,
        "data_crc32": {path.name: checksum(path) for path in files},
    }
    calibration = base["calibration"] | document.pop("calibration")
    calibration.pop(OWN_CALIBRATION, None)  # it was fitted to the scores of other trees
    if own:
        step = _uncalibrated(document["last_step"]["trees"])
        calibration[OWN_CALIBRATION] = asdict(fit_places([place_of(question, step) for question in own]))
        making["calibrated"] = {"command": "citewhy train drafts", "places": len(own)}
    facts = base["making"] | {"last_step": making}
    write_ranker(out, base["name"], base | document | {"calibration": calibration, "making": facts})
    summary = [
        f"{source:40}  R@10 {measured['R@10']:.3f}  RR {measured['RR']:.3f}"
        for source, measured in making["cross_fitted"].items()
    ]
    return Trained(facts, summary)


class _Asking:
    """Asks, and keeps what was answered in the folder `scratch`."""

    def __init__(
        self,
        inputs: LastStepInputs,
        settings: LastStepSettings,
        scratch: Path,
        encoder: Encoder,
        model: RankerModel,
        mark: str,
        progress: Progress,
    ) -> None:
        """`model` gives the order that the last step starts from; `mark` identifies it."""
        self._inputs, self._settings, self._scratch = inputs, settings, scratch
        self._encoder, self._model, self._progress = encoder, model, progress
        self._made_of = [code_digest("citewhy", "citewhy_lab"), encoder.fingerprint, mark]
        self._made_of += [str(settings.seed), str(settings.after), str(settings.most)]
        self._made_of += ["follow outside"] if inputs.follow_outside else []
        self._drafts = read_manifest(inputs.manifest, inputs.documents, follow_outside=inputs.follow_outside)

    def drafts_of(self, use: Use) -> list[Draft]:
        """Returns the drafts of the authors that have this use."""
        return [draft for draft in self._drafts if use_of(draft.author) == use]

    def questions(self) -> list[RankerQuestion]:
        """Returns questions of drafts, of citing sentences, and of abstracts."""
        encoder, model, settings = self._encoder, self._model, self._settings
        of_draft = partial(draft_questions, encoder=encoder, model=model, seed=settings.seed)
        questions = self._of_drafts(self.drafts_of("ranker"), "questions", OF_DRAFT, of_draft)
        for folder in dict.fromkeys(folder for folder, _ in self._inputs.sentences):
            files = [file for library, file in self._inputs.sentences if library == folder]
            years = (settings.after, settings.most)
            ask = partial(sentence_questions, folder, files, *years, encoder, model, settings.seed)
            questions += self._of_library(folder.name, folder, files, ask)
        return questions

    def own(self) -> list[RankerQuestion]:
        """Citations of other drafts, whose probabilities are fitted."""
        of_draft = partial(own_questions, encoder=self._encoder, model=self._model)
        return self._of_drafts(self.drafts_of("encoder"), "own", PLACES_OF_DRAFT, of_draft)

    def paragraphs(self) -> list[RankerQuestion]:
        """Paragraphs of other drafts, and of files."""
        encoder, model = self._encoder, self._model
        of_draft = partial(draft_paragraphs, encoder=encoder, model=model, seed=self._settings.seed)
        paragraphs = self._of_drafts(self.drafts_of("encoder"), "paragraphs", PARAGRAPHS_OF_DRAFT, of_draft)
        for folder, file in self._inputs.paragraphs:
            ask = partial(built_paragraphs, folder, file, encoder, model)
            paragraphs += self._of_library("paragraphs", folder, [file], ask)
        return paragraphs

    def _of_drafts(
        self,
        drafts: Sequence[Draft],
        name: str,
        most: int,
        ask: Callable[[Draft, Path], Iterable[RankerQuestion]],
    ) -> list[RankerQuestion]:
        """Returns the questions of each draft, whose library is made in the folder that `ask` is given."""
        questions: list[RankerQuestion] = []
        for number, draft in enumerate(drafts):
            self._progress(f"asking for {name}: {draft.name}", number / len(drafts))
            folder = self._scratch / draft.name
            sums = [str(checksum(path)) for path in (draft.root, *draft.bibliographies)]
            of_draft = partial(ask, draft, folder / "library")
            questions += kept(
                folder / f"{name}.npz", [*self._made_of, str(most), *sums], of_draft, packed, unpacked
            )
        return questions

    def _of_library(
        self, name: str, folder: Path, files: Sequence[Path], ask: Callable[[], Iterable[RankerQuestion]]
    ) -> list[RankerQuestion]:
        """Returns the questions of files that are asked in a library."""
        self._progress(f"asking: {', '.join(file.name for file in files) or name}", None)
        with Library.open(folder) as library:
            generation = library.generation
        own = [str(folder.resolve()), *(f"{path.name} {checksum(path)}" for path in files), str(generation)]
        mark = zlib.crc32(printable("\n".join([own[0], *(path.name for path in files)])).encode())
        path = self._scratch / f"{name}-{mark:08x}.npz"
        return kept(path, [*self._made_of, *own], ask, packed, unpacked)


def fit_last_step(
    questions: Sequence[RankerQuestion],
    seed: int,
    progress: Progress,
    paragraphs: Sequence[RankerQuestion] = (),
) -> dict[str, Any]:
    """Makes of the questions trees, calibration, and how well they do on authors, papers and names that they
    have not seen: upper bounds, since only the `questions.KEPT` candidates of a question are ranked. The
    probabilities for paragraphs are fitted on `paragraphs`, whose authors are others; without any, on
    `questions`."""
    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(questions)
    grown = {}
    for regime in REGIMES:
        positions = [
            position for position, question in enumerate(questions) if regime_of(question.table) == regime
        ]
        members = [questions[position] for position in positions]
        for position, values in zip(positions, _cross_fitted(members, seed, progress), strict=True):
            scores[position] = values
        progress(f"growing trees: {regime}", None)
        grown[regime] = _grow(members, seed)
    model = _uncalibrated(grown)
    for position, question in enumerate(questions):
        if regime_of(question.table) == ADDED:
            scores[position] = model.averaged(scores[position], question.table)
    fitted = fit_paragraphs(paragraphs or questions, model)
    return {
        "last_step": {"columns": list(LAST_STEP_FEATURES), "trees": grown, "paragraphs": fitted},
        "calibration": {regime: asdict(_calibration(questions, scores, regime, seed)) for regime in REGIMES},
        "making": {
            "command": "citewhy train drafts",
            "version": VERSION,
            "seed": seed,
            "rounds": ROUNDS,
            "questions": len(questions),
            "paragraphs": len(paragraphs),
            "cross_fitted": fit.quality(
                (question.source, question, values)
                for question, values in zip(questions, scores, strict=True)
            ),
        },
    }


def _uncalibrated(trees: Mapping[str, Any]) -> LastStep:
    """A last step that scores, without probabilities."""
    return LastStep({regime: Forest.of(of_regime) for regime, of_regime in trees.items()}, {}, {})


def _cross_fitted(questions: Sequence[RankerQuestion], seed: int, progress: Progress) -> list[Floats]:
    """Scores by trees that were grown on other authors, citing papers and names."""
    folds = np.array(
        [zlib.crc32(f"part {question.author}".encode()) % FOLDS for question in questions], dtype=np.int64
    )
    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(questions)
    for fold in np.unique(folds).tolist():
        progress("cross-fitting the last step", fold / FOLDS)
        forest = Forest.of(
            _grow([questions[position] for position in np.flatnonzero(folds != fold).tolist()], seed)
        )
        for position in np.flatnonzero(folds == fold).tolist():
            scores[position] = forest.scores(questions[position].table) + _before(questions[position])
    return scores


def _before(question: RankerQuestion) -> Floats:
    """[n] scores of the steps before, where the trees add to them; else zeros."""
    base: Floats = question.table[:, LAST_STEP_FEATURES.index("base_gap")]
    return base if regime_of(question.table) == ADDED else np.zeros_like(base)


def _first(question: RankerQuestion) -> RankerQuestion:
    first = np.sort(promise(question.table, question.right)[:TAUGHT])
    return replace(question, table=question.table[first], right=question.right[first])


def _seen(question: RankerQuestion) -> NDArray[np.float32]:
    """[n, len(LAST_STEP_FEATURES)] with zeros for the features that its forest is not grown on."""
    table = question.table.copy()
    if regime_of(table) == ADDED:
        table[:, [name not in ADDED_FEATURES for name in LAST_STEP_FEATURES]] = 0
    return table


def _grow(questions: Sequence[RankerQuestion], seed: int) -> list[list[list[float]]]:
    """Returns the forest of the regime that the questions are of."""
    asked = [_first(question) for question in questions if question.right.any()]
    lists = [
        RankedList(_seen(question), question.right, question.weight, _before(question)) for question in asked
    ]
    if not lists:
        return [[[-1, 0.0, 0, 0, 0.0]]]  # a leaf: nothing was asked in this regime
    parameters = SMALL_TREES if regime_of(asked[0].table) == WITHOUT_CONTEXTS else TREES
    return trees(grow(lists, LAST_STEP_FEATURES, {**parameters, "seed": seed}, ROUNDS))


def _calibration(
    questions: Sequence[RankerQuestion], scores: Sequence[Floats], regime: str, seed: int
) -> Calibration:
    """Fits the probabilities of a regime to its questions (to all, where there is none of it), with copies of
    each: one whose right papers are gone, and one asked of a library of a few papers, with or without
    them."""
    positions = [
        position for position, question in enumerate(questions) if regime_of(question.table) == regime
    ]
    rng = np.random.default_rng(seed)
    positions = rng.permutation(positions or len(questions))[:CALIBRATED].tolist()
    told: list[Floats] = []
    right: list[NDArray[np.bool_]] = []
    weights: list[float] = []
    for position in positions:
        values, answers, weight = scores[position], questions[position].right, questions[position].weight
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
