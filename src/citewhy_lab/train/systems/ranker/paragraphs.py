"""Paragraphs with known papers, on which the probabilities of the last step for whole paragraphs are fitted.

They are of finished drafts, each asked with what the draft says and by its first sentence alone, and of files
of the task ``paragraph``. The authors of the drafts are those that the encoder learned from: the trees of the
last step have not seen them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.drafts import read
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.calibration import RankCalibration
from citewhy.ranking.rank.last_step import REGIMES, LastStep, regime_of
from citewhy.ranking.rank.model import RankerModel
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder
from citewhy.search.index import open_index
from citewhy.search.index.arrays import Floats
from citewhy_lab.evaluate.backtest.paragraphs import paragraph_topics
from citewhy_lab.evaluate.datasets.paragraphs import topics as built_topics
from citewhy_lab.evaluate.datasets.topics import Options
from citewhy_lab.train.drafts import YEAR, Draft, open_library
from citewhy_lab.train.systems.ranker.questions import RankerQuestion, question, without_draft

PARAGRAPHS_OF_DRAFT = 12
"""Paragraphs of one draft that are asked."""

FITTED = 100
"""Candidates of a paragraph whose probabilities are fitted: its papers are not all among the first."""


def draft_paragraphs(
    draft: Draft, folder: Path, encoder: Encoder, model: RankerModel, seed: int
) -> Iterator[RankerQuestion]:
    """At most `PARAGRAPHS_OF_DRAFT` paragraphs of a draft, each asked twice: with the draft, and by its first
    sentence and the draft's title and abstract alone. The draft's library is made in `folder`, or found
    there."""
    with open_library(draft, folder) as library:
        recommender = Recommender(
            library, index=open_index(library, encoder), models=ModelSet(encoder=encoder, ranker=model)
        )
        topics = paragraph_topics(library, read(draft.root, follow_outside=draft.follow_outside), YEAR)
        rng = random.Random(f"paragraphs {seed} {draft.name}")
        for topic in rng.sample(topics, min(PARAGRAPHS_OF_DRAFT, len(topics))):
            alone = replace(topic, query=without_draft(topic.query))
            yield question(recommender, topic, draft.author, "paragraphs")
            yield question(recommender, alone, draft.author, "paragraphs, alone")


def built_paragraphs(
    folder: Path, file: Path, encoder: Encoder, model: RankerModel
) -> Iterator[RankerQuestion]:
    """The paragraphs of a file of the task ``paragraph``, asked in the library `folder`."""
    with Library.open(folder) as library:
        recommender = Recommender(
            library, index=open_index(library, encoder), models=ModelSet(encoder=encoder, ranker=model)
        )
        for topic in built_topics(file, library, Options()):
            if topic.relevant:
                yield question(recommender, topic, topic.query.citing_id, "paragraphs")


def fit_paragraphs(paragraphs: Sequence[RankerQuestion], step: LastStep) -> dict[str, dict[str, float]]:
    """The parameters of `LastStep.paragraphs`, by world: fitted on the paragraphs of the world, or on all of
    them where there are none. `step` scores them; its own calibrations are not used."""
    scores = [step.scores(each.table) for each in paragraphs]
    worlds = [regime_of(each.table) for each in paragraphs]
    fitted = {}
    for world in REGIMES:
        positions = [position for position, each in enumerate(worlds) if each == world] or range(
            len(paragraphs)
        )
        calibration = fit_rank_calibration(
            [scores[position] for position in positions],
            [paragraphs[position].right for position in positions],
        )
        fitted[world] = asdict(calibration)
    return fitted


def fit_rank_calibration(scores: Sequence[Floats], right: Sequence[NDArray[np.bool_]]) -> RankCalibration:
    """The calibration under which the first `FITTED` of each list [n] are right as often as they say
    (logistic loss)."""
    from scipy.optimize import minimize

    columns, answers = [], []
    for each, of_each in zip(scores, right, strict=True):
        order = np.argsort(-each, kind="stable")[:FITTED]
        columns.append(
            np.stack([each[order], -np.log1p(np.arange(len(order))), -np.ones(len(order))], axis=1)
        )
        answers.append(of_each[order])
    table, truth = np.concatenate(columns).astype(np.float64), np.concatenate(answers).astype(np.float64)

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = table @ parameters
        chances = 1 / (1 + np.exp(-odds))
        value = float((np.logaddexp(0, odds) - truth * odds).mean())
        return value, table.T @ (chances - truth) / len(truth)

    bounds = [(0, None), (0, None), (None, None)]
    solution = minimize(loss, np.array([0.5, 0.5, 1.0]), jac=True, method="L-BFGS-B", bounds=bounds)
    slope, decline, none = (round(float(each), 5) for each in solution.x)
    return RankCalibration(slope, decline, none)
