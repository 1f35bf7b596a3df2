"""The linker that `citewhy train linkage` trains.

The score of a sentence is the sum of a linear model and of trees on the same features. Scores are comparable
within one paper and citing sentence; only their differences have a meaning.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import FullText
from citewhy.models.numbers import bounded
from citewhy.models.trees import Forest
from citewhy.ranking.classify.classifier import Classifier
from citewhy.ranking.linkage.commonness import Commonness
from citewhy.ranking.linkage.facets import facet_classifier, passage_in_context
from citewhy.ranking.linkage.features import FEATURES, shared_words, table
from citewhy.ranking.linkage.linker import Link
from citewhy.ranking.linkage.view import PaperView

_WIDEST = 3
"""Sentences of the longest span."""

_VIEWS_KEPT = 64
"""Number of papers whose views stay in memory, about 2 MB each: the most recent ones."""


class LearnedLinker:
    """Scores the sentences of papers for citing sentences. Thread-safe."""

    def __init__(
        self,
        common: Commonness,
        weights: NDArray[np.float64],
        forest: Forest,
        margin: float = 0.0,
        facets: Classifier | None = None,
    ) -> None:
        """`weights` [len(FEATURES)]; `margin`: a neighbour belongs to the span if its score is at most this
        much below the best."""
        self._common = common
        self._weights = weights
        self._forest = forest
        self._margin = margin
        self._facets = facets
        self._views: OrderedDict[tuple[tuple[str, str], ...], PaperView] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> LearnedLinker:
        """Raises KeyError, TypeError or ValueError for a document of another kind."""
        if tuple(document["columns"]) != FEATURES:
            raise ValueError("the linker was made for other features")
        forest = Forest.of(document["trees"])
        forest.check(len(FEATURES))
        return cls(
            common=Commonness.checked(document["common"]["size"], document["common"]["counts"]),
            weights=_weights(document["linear"]),
            forest=forest,
            margin=_number("margin", document["margin"]),
            facets=facet_classifier(document["facets"]),
        )

    def __call__(self, citances: Sequence[str], text: FullText, /) -> NDArray[np.float32]:
        """[citances, sentences of text]: higher is a more likely target.

        The row of a citing sentence does not depend on the others. Its markers may be printed ("(Och, 2003)")
        or masked as ``TARGETCIT``, ``OTHERCIT``.
        """
        scores = np.zeros((len(citances), len(text.sentences)), dtype=np.float32)
        if scores.size:
            view = self._view(text)
            for row, citance in enumerate(citances):
                scores[row] = self._scores(citance, view)
        return scores

    def links(self, citance: str, text: FullText, k: int = 1) -> list[Link]:
        """The best `k` spans, best first, without overlaps.

        There are fewer if fewer sentences have a word in common with the citing sentence. Titles are
        excluded.
        """
        scores = self([citance], text)[0]
        free = self.evidence(citance, text)
        return [
            Link(first, last, best, float(scores[best]), self._facet(citance, text, best))
            for first, last, best in spans(scores, free, text, self._margin, k)
        ]

    def evidence(self, citance: str, text: FullText) -> NDArray[np.bool_]:
        """[sentences] which are not titles and have a word in common with the citing sentence."""
        if not text.sentences:
            return np.zeros(0, dtype=np.bool_)
        bodies = np.array([sentence.section != "title" for sentence in text.sentences])
        shared: NDArray[np.bool_] = (shared_words(citance, self._view(text)) > 0) & bodies
        return shared

    def _scores(self, citance: str, view: PaperView) -> NDArray[np.float32]:
        rows = table(citance, view, self._common)
        # Row by row, so that a sentence's score is the same to the last bit wherever it is computed.
        linear = np.einsum("nf,f->n", rows.astype(np.float64), self._weights)
        total: NDArray[np.float32] = (linear + self._forest.scores(rows)).astype(np.float32)
        return total

    def _facet(self, citance: str, text: FullText, best: int) -> str:
        if self._facets is None:
            return ""
        sentence = text.sentences[best]
        position = best / max(1, len(text.sentences))
        question = passage_in_context(citance, sentence.text, sentence.section, position)
        return self._facets.predict([question])[0]

    def _view(self, text: FullText) -> PaperView:
        # Strings remember their hashes, records do not.
        key = tuple((sentence.section, sentence.text) for sentence in text.sentences)
        with self._lock:
            view = self._views.pop(key, None)
        view = view or PaperView.of(text, self._common)
        with self._lock:
            self._views[key] = view
            if len(self._views) > _VIEWS_KEPT:
                self._views.popitem(last=False)
        return view


def spans(
    scores: NDArray[np.float32], free: NDArray[np.bool_], text: FullText, margin: float, k: int
) -> Iterator[tuple[int, int, int]]:
    """First, last and best index of at most `k` spans among the sentences that are `free`.

    A span is the best of these with its neighbours in the same section whose scores are at most `margin`
    lower.
    """
    sections = [sentence.section for sentence in text.sentences]
    left = free.copy()
    yielded = 0
    for best in np.argsort(-scores, kind="stable").tolist():
        if yielded == k:
            return
        if left[best]:
            fits = left & (scores >= scores[best] - margin)
            first = last = best
            while last - first + 1 < _WIDEST:
                beside = [
                    position
                    for position in (first - 1, last + 1)
                    if 0 <= position < len(scores) and fits[position] and sections[position] == sections[best]
                ]
                if not beside:
                    break
                chosen = max(beside, key=lambda position: scores[position])
                first, last = min(first, chosen), max(last, chosen)
            left[first : last + 1] = False
            yielded += 1
            yield first, last, best


def _weights(linear: Mapping[str, float]) -> NDArray[np.float64]:
    """[len(FEATURES)]. Raises ValueError for an unknown feature, or a weight that is not finite or too
    large."""
    if strange := set(linear) - set(FEATURES):
        raise ValueError(f"unknown features: {', '.join(sorted(strange))}")
    return np.array([_number(name, linear.get(name, 0.0)) for name in FEATURES])


def _number(name: str, value: float) -> float:
    if not bounded(value):
        raise ValueError(f"{name} is {value}")
    return float(value)
