"""The last step of ranking: reorders the first candidates by features that transfer between fields.

It was grown on questions from finished drafts of many fields, and on sentences and abstracts of libraries of
many papers (`citewhy train drafts`). Evidence was left out at random, so
that it serves a draft with hundreds of citations as well as a sentence alone. A sentence without a draft in a
library with citing sentences is what the steps before were made for: there it adds to their scores;
everywhere else it replaces them. Each of these three regimes has a forest of its own; where the citing
sentences are old, the scores of the last two are averaged (`last_step_features.contexts_share`). Whole papers
keep the order of the steps before.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import QueryKind
from citewhy.models.trees import Forest
from citewhy.ranking.rank.calibration import Calibration, RankCalibration
from citewhy.ranking.rank.last_step_features import CONTEXT, LAST_STEP_FEATURES, NAME_FEATURES
from citewhy.ranking.rank.tuning import Tuning
from citewhy.search.index.arrays import Floats
from citewhy.search.retrieve.draft import DraftSignals

REGIMES = ("last/draft", "last/contexts", "last/plain")
"""Names of its forests, and of its calibrations among those of the ranker: with a draft; a sentence alone, in
a library with citing sentences, and in one without."""

THRESHOLDS: Mapping[str, float] = dict(zip(REGIMES, (0.01, 0.005, 0.01), strict=True))
"""Regime → probability below which no paper is suggested. Lower than that of the previous steps: a library of
one's own has the answer more often than not, and short questions in small libraries have small
probabilities, the smallest where it has citing sentences."""

EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "own-citation": (
        *(f"draft_{field.name}" for field in fields(DraftSignals)),
        *("draft_words_share", "draft_words_rank", "draft_cosine_gap"),
    ),
    "named": (
        *("first_author_named", "author_named", "author_before", "year_named"),
        *NAME_FEATURES,
    ),
    "paragraph": ("paragraph_text", "paragraph_cosine", "preceding_text", "section_text"),
}
"""Kind of reason → the features that stand for it; all others stand for the steps before."""


_ALL_EVIDENCE = frozenset(name for names in EVIDENCE.values() for name in names)

_REST = tuple(name for name in LAST_STEP_FEATURES if name not in _ALL_EVIDENCE and name not in CONTEXT)

_ABSENT = {"draft_cosine_gap": -1.0, "followed": 0.0}
"""Values of features without evidence, where they are not 0 or the smallest of a question."""

OWN_CALIBRATION, OLD_CALIBRATION = "last/draft/own", "last/contexts/old"
"""Names of the calibrations for drafts with libraries of their own, several of whose papers may be right, and
where citing sentences are as old as they can count; a ranker may have none."""

ADDED = REGIMES[1]
"""Regime in which the forest adds to the scores of the steps before."""

WITHOUT_CONTEXTS = REGIMES[2]
"""Regime of a sentence alone in a library without citing sentences."""

_BASE, _SHARE, _WORDS = (
    LAST_STEP_FEATURES.index(name) for name in ("base_gap", "contexts_share", "query_words")
)

_TIMES, _INTRODUCED = (LAST_STEP_FEATURES.index(name) for name in ("draft_times", "name_introduced"))

_FEW_WORDS = 6.0
"""Words, those beside a citation counted twice, up to which a question names what it means."""

CITED_ELSEWHERE = 0.8
"""The largest probability where the best paper is one that the draft cites elsewhere. The trees, which the
draft's other citations convince most, are too sure of such papers: where it would be higher, about as many
are right as this says; of others, more (docs/log/ranking.md)."""

OLD_EVIDENCE = 0.2
"""The same where the citing sentences are as old as they can count, and the question does not name the best
paper: of those that would be above it, about as many are right as this says."""

MIDDLE, SLOPE = 0.4, 40.0
"""The cosine at which the familiarity is a half, and how steeply it rises there. They were chosen near those
of the greatest likelihood on questions of authors' documents to the libraries of these documents and to those
of others, which hardly tells slopes from 20 up apart (`benchmarks/familiarity.py`); for the built-in encoder,
as the last step is."""

_COSINES = [LAST_STEP_FEATURES.index(name) for name in ("cosine", "profile")]
_NAMES = [LAST_STEP_FEATURES.index(name) for name in NAME_FEATURES]
_DATED = [LAST_STEP_FEATURES.index(name) for name in ("first_author_named", "year_named")]


@dataclass(frozen=True, slots=True)
class LastStep:
    """Trees over `LAST_STEP_FEATURES`."""

    forests: Mapping[str, Forest]
    """Each stands under its regime (`REGIMES`)."""
    calibrations: Mapping[str, Calibration]
    """Each stands under its regime (`REGIMES`), others under `OWN_CALIBRATION` and
    `OLD_CALIBRATION`."""
    paragraphs: Mapping[str, RankCalibration]
    """These are for paragraphs, under their regimes."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """How many times what a kind of evidence contributes (`contributions`) is added once more, for places in
    drafts (`rank.tuning`)."""

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        trees: Mapping[str, Any],
        paragraphs: Mapping[str, Mapping[str, float]],
        calibrations: Mapping[str, Calibration],
    ) -> LastStep:
        """Makes a last step of what a model folder has for each of `REGIMES`: `trees` as `Forest.of` takes
        them, `paragraphs` the parameters of the calibrations for paragraphs. Raises ValueError for trees that
        were grown on other features, KeyError where a forest or a calibration is missing, TypeError for other
        parameters."""
        if tuple(columns) != LAST_STEP_FEATURES:
            raise ValueError("the trees of the last step were grown on other features")
        return cls(
            {regime: Forest.of(trees[regime]) for regime in REGIMES},
            {regime: calibrations[regime] for regime in REGIMES}
            | {name: one for name, one in calibrations.items() if name in (OWN_CALIBRATION, OLD_CALIBRATION)},
            {regime: RankCalibration(**paragraphs[regime]) for regime in REGIMES},
        )

    @property
    def fingerprint(self) -> int:
        """Identifies the forest for drafts."""
        return zlib.crc32(self.forests[REGIMES[0]].values.tobytes())

    def tuned(self, tuning: Tuning) -> LastStep:
        """Returns it with the weights and the calibration of `tuning`; itself if that was fitted for another
        one."""
        if tuning.ranker != self.fingerprint or not tuning.weights.keys() <= EVIDENCE.keys():
            return self
        calibrations = dict(self.calibrations)
        if tuning.calibration is not None:
            calibrations[OWN_CALIBRATION] = tuning.calibration
        return replace(self, calibrations=calibrations, weights=tuning.weights)

    def scores(self, table: NDArray[np.float32]) -> Floats:
        """[n] for a table [n, len(LAST_STEP_FEATURES)]."""
        regime = regime_of(table)
        scores = self._untuned(table, regime)
        if any(self.weights.values()) and regime == REGIMES[0]:
            contributions = self.contributions(table)
            scores = scores + sum(
                np.float32(weight) * contributions[kind] for kind, weight in self.weights.items()
            )
        return scores

    def _untuned(self, table: NDArray[np.float32], regime: str) -> Floats:
        scores = self.forests[regime].scores(table)
        return self.averaged(scores + table[:, _BASE], table) if regime == ADDED else scores

    def averaged(self, scores: Floats, table: NDArray[np.float32]) -> Floats:
        """[n] the `scores` of a question of the regime `ADDED`; where its citing sentences are old, averaged
        with those by the forest for libraries without any."""
        share = table[:, _SHARE]
        if share.min(initial=1) == 1:
            return scores
        averaged: Floats = share * scores + (1 - share) * self.forests[WITHOUT_CONTEXTS].scores(table)
        return averaged

    def contributions(self, table: NDArray[np.float32]) -> dict[str, Floats]:
        """[n] for each kind of `EVIDENCE`: by how much the score would be lower if it were not known; 0 or
        more."""
        return self._losses(table, EVIDENCE)

    def _losses(self, table: NDArray[np.float32], kinds: Mapping[str, Sequence[str]]) -> dict[str, Floats]:
        regime = regime_of(table)
        # All at once: a forest scores a few rows in the time of one.
        tables = [table, *(without(table, names) for names in kinds.values())]
        whole, *less = np.split(self._untuned(np.concatenate(tables), regime), len(tables))
        return {kind: np.maximum(whole - reduced, 0) for kind, reduced in zip(kinds, less, strict=True)}

    def probabilities(
        self, table: NDArray[np.float32], scores: Floats, kind: QueryKind = "local"
    ) -> NDArray[np.float64]:
        """[n] for the `scores` [n] of a question's candidates, as the question's regime has it, and its kind:
        the papers of a paragraph do not compete with each other. All are low where no candidate is near the
        question (`familiarity`), and none is high where the best is one that the draft cites elsewhere or
        citing sentences are old (`most_probable`); there, those of `OLD_CALIBRATION` count (`oldness`)."""
        regime = regime_of(table)
        if kind == "paragraph":
            return self.competing(table, scores, kind)
        chosen = self.in_drafts if regime == REGIMES[0] else self.calibrations[regime]
        chances = chosen.probabilities(scores)
        if (old := oldness(table)) and OLD_CALIBRATION in self.calibrations:
            chances = (1 - old) * chances + old * self.calibrations[OLD_CALIBRATION].probabilities(scores)
        return np.minimum(chances, most_probable(table, scores)) * familiarity(table)

    def competing(
        self, table: NDArray[np.float32], scores: Floats, kind: QueryKind = "local"
    ) -> NDArray[np.float64]:
        """[n] the probabilities if one paper alone were right, which models that see them were made with."""
        calibrations = self.paragraphs if kind == "paragraph" else self.calibrations
        return calibrations[regime_of(table)].probabilities(scores) * familiarity(table)

    @property
    def in_drafts(self) -> Calibration:
        """The calibration for drafts."""
        return self.calibrations.get(OWN_CALIBRATION, self.calibrations[REGIMES[0]])

    def shares(self, table: NDArray[np.float32]) -> dict[str, Floats]:
        """[n] each, in [0, 1]: what the score owes to each kind of `EVIDENCE`, as its loss where that is not
        known, beside what it owes to everything else (``rest``). They sum to 1, or are all 0."""
        losses = self._losses(table, {**EVIDENCE, "rest": _REST})
        total = np.maximum(sum(losses.values()), 1e-9)
        return {kind: (loss / total).astype(np.float32) for kind, loss in losses.items()}


def regime_of(table: NDArray[np.float32]) -> str:
    """Which of `REGIMES` the question is of, by its table [n, len(LAST_STEP_FEATURES)]."""
    draft, contexts = (
        bool(table[:, LAST_STEP_FEATURES.index(name)].any()) for name in ("has_draft", "contexts_share")
    )
    return REGIMES[0] if draft else ADDED if contexts else WITHOUT_CONTEXTS


def most_probable(table: NDArray[np.float32], scores: Floats) -> float:
    """Returns, in [0, 1], the largest probability that a paper can have in a question of candidates with the
    features `table` [n, len(LAST_STEP_FEATURES)] and `scores` [n]: `CITED_ELSEWHERE` where the draft cites
    the best elsewhere; for a sentence alone that does not have the name that the best introduces, between 1
    and `OLD_EVIDENCE`, the lower the older the citing sentences are (`oldness`); else 1."""
    if not len(scores):
        return 1.0
    best = table[scores.argmax()]
    if best[_TIMES] > 0:
        return CITED_ELSEWHERE
    return 1.0 if best[_INTRODUCED] > 0 else 1 - (1 - OLD_EVIDENCE) * oldness(table)


def without(table: NDArray[np.float32], names: Sequence[str]) -> NDArray[np.float32]:
    """The table as if the features `names` were not known: evidence at the values of its absence, others at
    their smallest value or 0."""
    changed = table.copy()
    for name in names:
        column = LAST_STEP_FEATURES.index(name)
        smallest = 0.0 if name in _ALL_EVIDENCE else float(table[:, column].min(initial=0.0))
        changed[:, column] = _ABSENT.get(name, min(smallest, 0.0))
    return changed


def oldness(table: NDArray[np.float32]) -> float:
    """Returns, in [0, 1], how old the citing sentences are that a question of a sentence alone relies on: 0
    where they are recent, 1 where their share is a half. It is 0 for a few words, which name what they
    mean."""
    if regime_of(table) != ADDED or not len(table) or table[0, _WORDS] <= np.log1p(_FEW_WORDS):
        return 0.0
    return 2 * (1 - float(table[0, _SHARE]))


# Familiarity ------------------------------------------------------------------------------------------------


def familiarity(table: NDArray[np.float32]) -> float:
    """Returns, in [0, 1], how near the library comes to the subject of a question, whose candidates have the
    features `table` [n, len(LAST_STEP_FEATURES)].

    The last step compares the candidates of a question with each other, so that one of them is the best even
    where all are about something else. Here it counts how near the nearest of them is at all. It is 1 where
    the question names a paper's authors with its year, or what it introduced; otherwise

        familiarity = 1 / (1 + exp(−40 · (c − 0.4)))

    where c is the largest cosine of the question and a candidate, or a candidate and the sentences that cite
    it.
    """
    if not len(table):
        return 0.0
    named = table[:, _NAMES].any() or table[:, _DATED].all(axis=1).any()
    return 1.0 if named else familiarity_of(nearest_cosine(table))


def nearest_cosine(table: NDArray[np.float32]) -> float:
    """Returns the largest cosine in a table of at least one candidate."""
    return float(table[:, _COSINES].max())


def familiarity_of(cosine: float, middle: float = MIDDLE, slope: float = SLOPE) -> float:
    """Returns the familiarity in [0, 1] by the largest cosine alone."""
    return float(1 / (1 + np.exp(-slope * (cosine - middle))))
