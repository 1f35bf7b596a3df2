"""Fitting the few numbers of `rank.tuning` on an author's own finished drafts, and judging whether they help.

Every citation is hidden in turn, as in a backtest. What the last step of the ranker owes to each kind of
evidence is known for every candidate, so other weights of these kinds need no second ranking: a grid of them
is tried. What the weights do for a draft is judged by those fitted on the other drafts (of fewer than three
drafts: for a third of the places, by those fitted on the other two thirds). Weights that do not raise the
mean reciprocal rank there are not used; nor is a calibration that does not raise the likelihood.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Manuscript
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.last_step import EVIDENCE, LastStep
from citewhy.ranking.rank.tuning import Tuning
from citewhy.ranking.recommender import Recommender
from citewhy.search.index.arrays import Floats
from citewhy.session.session import Session
from citewhy_lab.evaluate.backtest.hiding import HiddenDraft, hide_citations
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.serving import last_step_table

FEWEST = 30
"""Places below which nothing is fitted."""

_WEIGHTS = (-0.5, -0.25, 0.0, 0.5, 1.0, 2.0)
_GRID = np.array(
    sorted(itertools.product(_WEIGHTS, repeat=len(EVIDENCE)), key=lambda weights: np.abs(weights).sum())
)
"""[g, kinds] weights that are tried; the first change nothing, the last most."""

_UNTUNED = 0

_SLOPES = 2.0 ** np.arange(-2, 2.01, 0.25)
_NONES = np.arange(-6, 6.01, 0.5)
"""Says of each calibration that is tried what the model's own slope is multiplied with, and what is added to
its weight of "none"."""

_FOLDS = 3
_FIRST = 10
"""Candidates of a place whose probabilities are judged."""


@dataclass(frozen=True, slots=True)
class HiddenCitation:
    """One hidden citation, with n candidates."""

    scores: Floats
    """[n] of the last step."""
    contributions: NDArray[np.float32]
    """[n, kinds] what each kind of evidence contributes to a score."""
    right: NDArray[np.bool_]
    """[n]."""
    missed: int
    """Right papers that are not among the candidates."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Holds what was fitted, and the mean reciprocal rank with and without it, in cross-validation."""

    tuning: Tuning
    places: int
    before: float
    after: float

    @property
    def helps(self) -> bool:
        """Is there anything to use?"""
        return bool(self.tuning.weights) or self.tuning.calibration is not None


def tune(session: Session, manuscripts: Sequence[Manuscript], year: int | None, progress: Progress) -> Fitted:
    """Fits on finished drafts, as of `year` (None: each as of its own).

    Raises QueryError for a draft without a year where none is given, for fewer than `FEWEST` places, and for
    a ranker without a last step.
    """
    recommender = session.recommender("full", tuned=False, progress=progress)
    model = recommender.ranker.last_step_model
    if model is None:
        raise QueryError("the ranker has no last step to tune", hint="tune the built-in ranker")
    drafts = hide_citations(session.library, manuscripts, year)
    places = _places(recommender, model, drafts, progress)
    folds = _folds([len(of_draft) for of_draft in places])
    return fit(model, [citation for of_draft in places for citation in of_draft], folds, len(drafts))


def _places(
    recommender: Recommender, model: LastStep, drafts: Sequence[HiddenDraft], progress: Progress
) -> list[list[HiddenCitation]]:
    """Asks for the hidden citations of each draft."""
    asked, whole = 0, sum(len(draft.topics) for draft in drafts)
    if whole < FEWEST:
        raise QueryError(
            f"{whole} citations of papers in the library are too few to tune on",
            hint=f"give finished drafts with {FEWEST} or more, or add their bibliographies first",
        )
    places: list[list[HiddenCitation]] = []
    for draft in drafts:
        places.append([])
        for topic in draft.topics:
            progress("asking", asked / whole)
            places[-1] += places_of(recommender, model, [topic])
            asked += 1
    return places


def places_of(recommender: Recommender, model: LastStep, topics: Sequence[Topic]) -> list[HiddenCitation]:
    """Returns what `fit` learns from: each topic as the last step `model` of the recommender sees it."""
    places = []
    for topic in topics:
        rows, table = last_step_table(recommender, topic.query)
        right = np.isin(rows, recommender.index.rows(list(topic.relevant)))
        contributions = model.contributions(table)
        columns = np.stack([contributions[kind] for kind in EVIDENCE], axis=1)
        missed = len(topic.relevant) - int(right.sum())
        places.append(HiddenCitation(model.scores(table), columns, right, missed))
    return places


def _folds(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Returns [places] drafts; or thirds, one after another, where there are too few."""
    if sum(size > 0 for size in sizes) >= _FOLDS:
        return np.repeat(np.arange(len(sizes)), sizes)
    return np.arange(sum(sizes)) * _FOLDS // sum(sizes)


def fit(model: LastStep, places: Sequence[HiddenCitation], folds: NDArray[np.int64], drafts: int) -> Fitted:
    """Returns the weights and the calibration that do best on all places, as far as those chosen without a
    fold help it. `folds` [places]."""
    ranks = np.stack([_reciprocal_ranks(citation) for citation in places])  # [places, g]
    elsewhere = {fold: _best(ranks[folds != fold]) for fold in np.unique(folds).tolist()}
    judged = np.array([ranks[row, elsewhere[fold]] for row, fold in enumerate(folds.tolist())])
    before, after = float(ranks[:, _UNTUNED].mean()), float(judged.mean())
    if after <= before:
        elsewhere = dict.fromkeys(elsewhere, _UNTUNED)
    chosen = _best(ranks) if after > before else _UNTUNED
    weights = dict(zip(EVIDENCE, _GRID[chosen].tolist(), strict=True)) if chosen != _UNTUNED else {}
    calibration = _calibration(model, places, chosen, elsewhere, folds)
    facts = {
        "drafts": drafts,
        "places": len(places),
        "RR before": round(before, 4),
        "RR after": round(after if weights else before, 4),
    }
    tuning = Tuning(model.fingerprint, weights, calibration, facts)
    return Fitted(tuning, len(places), before, after if weights else before)


def _reciprocal_ranks(citation: HiddenCitation) -> NDArray[np.float64]:
    """Returns [g] mean over the right papers of a place, for each of the `_GRID`."""
    scores = citation.scores[:, None] + citation.contributions @ _GRID.T.astype(np.float32)
    count = int(citation.right.sum()) + citation.missed
    sums = np.zeros(len(_GRID))
    for row in np.flatnonzero(citation.right):
        sums += 1 / (1 + (scores > scores[row]).sum(axis=0))
    return sums / max(count, 1)


def _best(ranks: NDArray[np.float64]) -> int:
    """Returns the best weights; of equal ones, the first."""
    return int(ranks.mean(axis=0).argmax())


def _calibration(
    model: LastStep,
    places: Sequence[HiddenCitation],
    chosen: int,
    elsewhere: Mapping[int, int],
    folds: NDArray[np.int64],
) -> Calibration | None:
    """Fits a calibration for the weights `chosen` from the grid; `elsewhere` are those chosen without each
    fold. None where the model's own does as well on places that neither weights nor calibrations were fitted
    on."""
    own = model.in_drafts
    tried = [own]
    tried += [
        replace(own, slope=own.slope * slope, none=own.none + none)
        for slope, none in itertools.product(_SLOPES.tolist(), _NONES.tolist())
    ]
    losses = {  # [places, tried]
        weights: np.stack([_losses(citation, _GRID[weights], tried) for citation in places])
        for weights in {chosen, *elsewhere.values()}
    }
    own_loss, fitted_loss = 0.0, 0.0
    for fold, weights in elsewhere.items():
        others, these = losses[weights][folds != fold], losses[weights][folds == fold]
        own_loss += float(these[:, 0].sum())
        fitted_loss += float(these[:, int(others.mean(axis=0).argmin())].sum())
    return None if fitted_loss >= own_loss else tried[int(losses[chosen].mean(axis=0).argmin())]


def _losses(
    citation: HiddenCitation, weights: NDArray[np.float64], tried: Sequence[Calibration]
) -> NDArray[np.float64]:
    """Returns [tried] logistic loss over the first candidates."""
    scores = (citation.scores + citation.contributions @ weights).astype(np.float32)
    first = np.argsort(-scores, kind="stable")[:_FIRST]
    chances = np.stack([calibration.probabilities(scores)[first] for calibration in tried]).clip(
        1e-6, 1 - 1e-6
    )
    losses: NDArray[np.float64] = -np.log(np.where(citation.right[first], chances, 1 - chances)).sum(axis=1)
    return losses
