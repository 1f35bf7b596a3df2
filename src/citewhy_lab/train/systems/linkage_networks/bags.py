"""Sentences as sparse bags of words: the inputs ψ of the linkage networks. Stems, without stop words.

scikit-learn counts and weighs. Its tf-idf is frequency · (ln((1 + n) / (1 + df)) + 1); the source says "tfidf
value" and gives no form of idf. Rows are not normalised: the source's baseline is their inner product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from citewhy.base.errors import QueryError
from citewhy.text.tokens import stems

Bags = Any
"""scipy.sparse.csr_matrix of float32, [sentences, words]"""

Weighting = Literal["binary", "tfidf"]


class Vocabulary:
    """Stems of a collection, and how rare each is among its sentences."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Every stem of `texts`. Raises QueryError where there is none."""
        self._counter = CountVectorizer(analyzer=stems, dtype=np.float32)
        try:
            counts = self._counter.fit_transform(texts)
        except ValueError as error:
            raise QueryError(
                f"{len(texts)} sentences have no word", hint="give sentences with words in Latin letters"
            ) from error
        self._weights = TfidfTransformer(norm=None).fit(counts)
        self.words: tuple[str, ...] = tuple(self._counter.get_feature_names_out().tolist())
        """In alphabetic order; the columns of all bags."""

    def __len__(self) -> int:
        return len(self.words)

    def bags(self, texts: Sequence[str], weighting: Weighting) -> Bags:
        """[texts, words]. ``binary``: 1 for each word that is there; ``tfidf``: see above. Words that are not
        in the vocabulary count nowhere."""
        counts = self._counter.transform(texts)
        if weighting == "binary":
            counts.data[:] = 1
            return counts
        return self._weights.transform(counts)


def overlaps(first: Bags, second: Bags) -> NDArray[np.float32]:
    """[len(first), len(second)] inner products: for binary bags, the number of words in common."""
    product: NDArray[np.float32] = (first @ second.T).toarray()
    return product


def pair_features(first: Bags, second: Bags, f: Literal["mul", "sqrd"]) -> Bags:
    """[pairs, words] f of row i of both: their elementwise product, or the square of their difference."""
    return first.multiply(second).tocsr() if f == "mul" else (first - second).power(2).tocsr()
