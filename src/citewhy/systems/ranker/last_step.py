"""Fits the last step of the ranker: one forest for all fields, and its probabilities.

The trees are grown by LambdaRank under monotone constraints: evidence for a paper never lowers its score,
so that where a draft says nothing the order is that of words and vectors. Probabilities are fitted on
drafts whose authors the trees have not seen, with questions among them whose answer is not there.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.artifact import checksum
from citewhy.config import VERSION
from citewhy.encode import Encoder
from citewhy.index.arrays import Floats
from citewhy.progress import Tell
from citewhy.rank.draft_features import DRAFT_FEATURES, MONOTONE
from citewhy.rank.draft_model import DRAFT
from citewhy.rank.model import RankerModel
from citewhy.rank.trees import Forest
from citewhy.systems.ranker.drafts import Draft, Question, draft_questions, held_out_author
from citewhy.systems.ranker.fit import fit_calibration
from citewhy.train.trees import lightgbm, nodes

__all__ = ["ROUNDS", "fit_last_step", "train_last_step"]

ROUNDS = 250

FOLDS = 3
"""Parts of the authors; each is scored by trees that were grown on the others."""

LISTED = 250
"""Candidates of a question that the trees learn from: the right ones, and those that look best."""

WITHOUT_ANSWER = 0.15
"""Weight of a question's copy from which the right papers are taken, in fitting probabilities."""

TREES: dict[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 20,
    "learning_rate": 0.07,
    "num_leaves": 15,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "monotone_constraints": list(MONOTONE),
    "monotone_constraints_method": "basic",
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
"""LightGBM's parameters."""

_PROMISING = ("base_rank", "fusion", "draft_cosine", "draft_before", "draft_after")
"""Features whose sum says which candidates look best."""


def train_last_step(
    drafts: Sequence[Draft],
    libraries: Path,
    manifest: Path,
    encoder: Encoder,
    model: RankerModel,
    seed: int,
    tell: Tell,
) -> dict[str, Any]:
    """The parts ``draft`` and ``calibration`` of a ranker's document, and ``making``. `model` gives the
    order that the last step starts from; libraries are made in the folder `libraries`. Drafts of held-out
    authors are left out."""
    lightgbm()  # or else it is not installed
    learned = [each for each in drafts if not held_out_author(each.author)]
    found: list[Question] = []
    for number, draft in enumerate(learned):
        tell(f"asking: {draft.name}", number / len(learned))
        found += draft_questions(draft, libraries / draft.name, encoder, model, seed)
    document = fit_last_step(found, seed, tell)
    document["making"] |= {
        "drafts": len(learned),
        "encoder": encoder.fingerprint,
        "data_crc32": {manifest.name: checksum(manifest)},
    }
    return document


def fit_last_step(found: Sequence[Question], seed: int, tell: Tell) -> dict[str, Any]:
    """From the questions to trees, calibration, and how well they did on authors that the trees had not
    seen."""
    lists = [_listed(each) for each in found]
    folds = np.array([zlib.crc32(f"part {each.author}".encode()) % FOLDS for each in found])
    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(found)
    for fold in range(FOLDS):
        tell("cross-fitting the last step", fold / FOLDS)
        forest = Forest.of(_grow([lists[each] for each in np.flatnonzero(folds != fold)], seed))
        for place in np.flatnonzero(folds == fold).tolist():
            scores[place] = forest.scores(found[place].table)
    tell("growing the trees of the last step", None)
    return {
        "draft": {"columns": list(DRAFT_FEATURES), "trees": _grow(lists, seed)},
        "calibration": {DRAFT: asdict(_calibration(found, scores))},
        "making": {
            "command": "citewhy train drafts",
            "version": VERSION,
            "seed": seed,
            "rounds": ROUNDS,
            "questions": len(found),
            "cross_fitted": _quality(found, scores),
        },
    }


def _listed(question: Question) -> Question:
    if len(question.right) <= LISTED:
        return question
    columns = [DRAFT_FEATURES.index(name) for name in _PROMISING]
    promise = question.table[:, columns].sum(axis=1) + 99 * question.right
    kept = np.sort(np.argsort(-promise, kind="stable")[:LISTED])
    return replace(question, table=question.table[kept], right=question.right[kept])


def _grow(lists: Sequence[Question], seed: int) -> list[list[list[float]]]:
    useful = [each for each in lists if each.right.any()]
    data = lightgbm().Dataset(
        np.concatenate([each.table for each in useful]),
        np.concatenate([each.right for each in useful]).astype(int),
        group=[len(each.right) for each in useful],
        feature_name=list(DRAFT_FEATURES),
        free_raw_data=False,
    )
    grown = lightgbm().train({**TREES, "seed": seed}, data, num_boost_round=ROUNDS)
    return [nodes(tree["tree_structure"]) for tree in grown.dump_model()["tree_info"]]


def _calibration(found: Sequence[Question], scores: Sequence[Floats]) -> Any:
    """With a copy of each question whose right papers are gone."""
    wrong = [values[~each.right] for each, values in zip(found, scores, strict=True)]
    none: list[NDArray[np.bool_]] = [np.zeros(len(values), dtype=np.bool_) for values in wrong]
    return fit_calibration(
        [*scores, *wrong],
        [*(each.right for each in found), *none],
        [*([1.0] * len(found)), *([WITHOUT_ANSWER] * len(found))],
        shared=True,
    )


def _quality(found: Sequence[Question], scores: Sequence[Floats]) -> dict[str, float]:
    """R@10 and reciprocal rank over judgements of all questions, those with less evidence among them."""
    ranks: list[float] = []
    for each, values in zip(found, scores, strict=True):
        order = np.argsort(-values, kind="stable")
        ranks += (np.flatnonzero(each.right[order]) + 1.0).tolist() + [np.inf] * each.missed
    told = np.array(ranks)
    return {
        "judgements": len(ranks),
        "R@10": round(float(np.mean(told <= 10)), 4),
        "RR": round(float(np.mean(1 / told)), 4),
    }
