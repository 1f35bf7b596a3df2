"""A baseline by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy_lab.train.systems.citation_vectors.data import Corpus, Question
from citewhy_lab.train.systems.citation_vectors.settings import Method, Settings

__all__ = ["Trained", "trained"]


class Trained(Protocol):
    """A trained model."""

    def scores(self, questions: Sequence[Question]) -> NDArray[np.float32]:
        """[n, papers]; higher is better, -inf for papers that the model does not know."""
        ...


def trained(method: Method, corpus: Corpus, settings: Settings, progress: Progress) -> Trained:
    """Raises MissingExtraError if gensim or torch are not installed."""
    from citewhy_lab.train.requirements import check_modules

    check_modules("gensim", "torch")
    from citewhy_lab.train.systems.citation_vectors.attention import dacr
    from citewhy_lab.train.systems.citation_vectors.hyperdoc import hyperdoc2vec
    from citewhy_lab.train.systems.citation_vectors.neighbours import doc2vec, word2vec

    if method == "word2vec":
        return word2vec(corpus, settings)
    if method == "doc2vec":
        return doc2vec(corpus, settings)
    if method == "hyperdoc2vec":
        return hyperdoc2vec(corpus, settings, progress)
    return dacr(corpus, settings, progress)
