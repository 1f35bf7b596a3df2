"""A classifier of two labels by trees: they put together the score of a linear classifier, which knows the
words, and features of which one changes what another means.

classifier.json   as in `scored`, with ``linear``, the document of a linear classifier (`linear`), and
                  ``trees`` (`models.trees.Forest.of`). Their column 0 is how much higher the linear score of
                  the first label is than that of the second, the others are those of ``vocabulary``. The
                  sum of the trees is the score of the first label; that of the second is 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import SentenceInContext
from citewhy.models import ModelFolder
from citewhy.models.trees import Forest, Node
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scored import (
    DOCUMENT,
    ScoredClassifier,
    fingerprint,
    parts_document,
    read_parts,
)
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy.search.encode.encoder import Encoder

READER = "trees"


class TreesClassifier(ScoredClassifier):
    """`trees` as in the document."""

    def __init__(self, linear: LinearClassifier, trees: Sequence[Sequence[Node]], **parts: Any) -> None:
        """Raises ValueError for parts that do not match."""
        super().__init__(**parts)
        if len(self.labels) != 2 or linear.labels != self.labels:
            raise ValueError("expected two labels, those of the linear classifier")
        if self.vectorizer.vocabulary is None or self.vectorizer.width != self.vectorizer.columns:
            raise ValueError("expected features by name, and none of an encoder")
        self.linear = linear
        self._trees = trees
        self._forest = Forest.of(trees)
        self._forest.check(1 + self.vectorizer.columns)

    @classmethod
    def of(
        cls, document: Mapping[str, Any], name: str, fingerprint: str = "", encoder: Encoder | None = None
    ) -> TreesClassifier:
        """Reads it from a `document`. Raises what `scored.read_parts` raises."""
        linear = LinearClassifier.of(document["linear"], name, fingerprint, encoder)
        return cls(linear, document["trees"], name=name, fingerprint=fingerprint, **read_parts(document))

    def document(self) -> dict[str, Any]:
        """Returns it as JSON."""
        parts = parts_document(self.labels, self.vectorizer, self.scaling)
        return {**parts, "linear": self.linear.document(), "trees": self._trees}

    def _scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        scores = np.zeros((len(sentences), 2))
        scores[:, 0] = self._forest.scores(columns(self.linear.scores(sentences), self.vectorizer, sentences))
        return scores


def columns(
    linear: NDArray[np.float64], vectorizer: Vectorizer, sentences: Sequence[SentenceInContext]
) -> NDArray[np.float32]:
    """[n, 1 + named features] what the trees compare, for n `sentences` and their scores by the `linear`
    classifier [n, 2]."""
    rows = vectorizer.sparse(sentences)
    table = np.zeros((len(sentences), 1 + vectorizer.columns), dtype=np.float32)
    table[:, 0] = linear[:, 0] - linear[:, 1]
    table[np.repeat(np.arange(len(sentences)), np.diff(rows.starts)), 1 + rows.columns] = rows.values
    return table


def read_trees(folder: ModelFolder, encoder: Encoder | None = None) -> TreesClassifier:
    """Raises what `scored.read_parts` raises."""
    return TreesClassifier.of(folder.json(DOCUMENT), folder.name, fingerprint(folder), encoder)
