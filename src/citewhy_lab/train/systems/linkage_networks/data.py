"""The clusters of a data set as arrays: vocabulary, bags of words, word vectors, training pairs.

Nomoto (2018), sections 3 (ψ), 4 and 5 (supervision). Both kinds of supervision compare sentences by the
number of words that they share; ties keep the order of the paper.

Vectors of stems for the networks that read word2vec are learned from the clusters, or supplied. The source
learns the former by gensim's skip-gram with 300 dimensions (Mikolov et al., Distributed Representations of
Words and Phrases and their Compositionality, NIPS 2013) and names no other setting, so that gensim's own
stand here. For the latter it takes vectors of the Google News corpus; any file serves that
`train.word_vectors` reads.

Sparse bags of words, of stems without stop words, are the inputs ψ of the networks. scikit-learn counts and
weighs. Its tf-idf is frequency · (ln((1 + n) / (1 + df)) + 1); the source says "tfidf value" and gives no
form of idf. Rows are not normalised: the source's baseline is their inner product.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from citewhy.base.errors import QueryError
from citewhy.base.records import FullText
from citewhy.text.tokens import stems, words
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.train.systems.linkage_networks.settings import Psi, Supervision
from citewhy_lab.train.word_vectors import read_word_vectors

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

    @property
    def idf(self) -> NDArray[np.float32]:
        """[words] what frequencies are multiplied by in ψ tf-idf."""
        return np.asarray(self._weights.idf_, dtype=np.float32)

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


Ints = NDArray[np.int64]

CONFUSERS = 10
"""|R|: the sentences most similar to a target, which are its negatives."""

TRUE_RANKS, FALSE_RANKS = (0, 10), (10, 20)
"""Ranks from 0, the last excluded, of the true and of the false sentences of citance-centred supervision."""

NONE = -1
"""Pads rows of papers with too few sentences."""

_LEAST = 5
"""Times that a stem must be seen to have a vector of its own: gensim's own setting."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Contrasts of many clusters, whose sentences are numbered through the collection."""

    citances: NDArray[np.int64]
    sentences: NDArray[np.int64]
    """[rows, p + n]: true ones first, NONE where there are fewer."""
    true: int
    """The number p of true ones."""
    cluster: NDArray[np.int64]
    """[rows] the number of the cluster."""

    def bags(
        self, rows: NDArray[np.int64], citances: Bags, sentences: Bags
    ) -> tuple[Bags, Bags, NDArray[np.bool_]]:
        """Returns the bags of both sides of all pairs, row by row, and [rows, p + n] which of them are
        there."""
        numbers = self.sentences[rows]
        first = citances[np.repeat(self.citances[rows], numbers.shape[1])]
        return first, sentences[np.maximum(numbers, 0).ravel()], numbers != NONE


@dataclass(eq=False)
class LinkageData:
    """Clusters as arrays, made once for all networks and all folds.

    The vocabulary, its frequencies and the word vectors are of all clusters, the one that is held out too:
    they know its words, and nothing of its links. In the source the vocabulary is (section 5); of its
    word2vec only the training data are mentioned (6.2).
    """

    clusters: Sequence[Cluster]
    vocabulary: Vocabulary = field(init=False)
    vectors: dict[Psi, NDArray[np.float32]] = field(default_factory=dict)
    """[words, size] each, for networks that read them."""

    def __post_init__(self) -> None:
        self.vocabulary = Vocabulary([*self._sentences, *self._citances])

    def learn_vectors(self, size: int, epochs: int, seed: int) -> None:
        """word2vec of the clusters' own sentences, as the source's second kind."""
        texts = [*self._sentences, *self._citances]
        self.vectors["word2vec"] = learned_vectors(texts, self.vocabulary.words, size, epochs, seed)

    def read_vectors(self, path: Path) -> None:
        """Returns vectors that others have trained, as the source's first kind. Raises InputError."""
        texts = [*self._sentences, *self._citances]
        self.vectors["supplied"] = supplied_vectors(path, texts, self.vocabulary.words)

    def tf_idf(self, citances: Sequence[str], text: FullText, unit: bool = False) -> NDArray[np.float32]:
        """[citances, sentences] inner products of ψ tf-idf: the source's baseline. `unit`: of rows of length
        1, cosines."""
        second = self.vocabulary.bags([sentence.text for sentence in text.sentences], "tfidf")
        first = self.vocabulary.bags(citances, "tfidf")
        return overlaps(normalize(first), normalize(second)) if unit else overlaps(first, second)

    @functools.cached_property
    def _sentences(self) -> list[str]:
        return [sentence.text for cluster in self.clusters for sentence in cluster.text.sentences]

    @functools.cached_property
    def _citances(self) -> list[str]:
        return [citance.text for cluster in self.clusters for citance in cluster.citances]

    @functools.cache  # noqa: B019 # as long as the collection; four weightings
    def bags(self, weighting: Weighting) -> tuple[Bags, Bags]:
        """[citances, words] and [sentences, words] of all clusters."""
        return tuple(self.vocabulary.bags(texts, weighting) for texts in (self._citances, self._sentences))

    @functools.cache  # noqa: B019 # two
    def pairs(self, supervision: Supervision) -> Pairs:
        """Returns the training pairs of all clusters; a fold takes the rows of some of them."""
        contrasts: list[tuple[Contrasts, int, int]] = []
        citance = sentence = 0
        for cluster in self.clusters:
            contrasts.append((self._contrasts(cluster, supervision), citance, sentence))
            citance += len(cluster.citances)
            sentence += len(cluster.text.sentences)
        rows = [np.hstack([contrast.true, contrast.false]) for contrast, _, _ in contrasts]
        starts = [start for _, _, start in contrasts]
        return Pairs(
            np.concatenate([contrast.citances + start for contrast, start, _ in contrasts]),
            np.vstack([np.where(r == NONE, NONE, r + start) for r, start in zip(rows, starts, strict=True)]),
            contrasts[0][0].true.shape[1],
            np.repeat(np.arange(len(contrasts)), [len(contrast) for contrast, _, _ in contrasts]),
        )

    def _contrasts(self, cluster: Cluster, supervision: Supervision) -> Contrasts:
        sentences = self.vocabulary.bags([sentence.text for sentence in cluster.text.sentences], "binary")
        if supervision == "CCS":
            citances = self.vocabulary.bags([citance.text for citance in cluster.citances], "binary")
            return citance_centred(overlaps(citances, sentences))
        numbers = {sentence.sid: number for number, sentence in enumerate(cluster.text.sentences)}
        targets = [[numbers[sid] for sid in citance.target_sids] for citance in cluster.citances]
        return target_centred(overlaps(sentences, sentences), targets)


# Supervision -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Each row: a citing sentence, true and false sentences for it. Every true sentence should be ranked
    above every false one of its row.

    `citances` [rows]; `true` [rows, p] and `false` [rows, n] are numbers of sentences of the paper, padded
    with NONE.
    """

    citances: Ints
    true: Ints
    false: Ints

    def __len__(self) -> int:
        return len(self.citances)


def target_centred(shared: NDArray[np.float32], targets: Sequence[Sequence[int]]) -> Contrasts:
    """TCS: a row for each citing sentence and each of its targets, with the `CONFUSERS` sentences most
    similar to that target as false ones; other targets are not among them.

    shared [sentences, sentences]: numbers of words that two sentences of the paper have in common. `targets`:
    for each citing sentence, numbers of the sentences that it was linked to by hand.
    """
    rows = [(citance, target) for citance, meant in enumerate(targets) for target in meant]
    false = np.full((len(rows), CONFUSERS), NONE, dtype=np.int64)
    for row, (citance, target) in enumerate(rows):
        others = np.setdiff1d(np.arange(len(shared)), targets[citance])
        nearest = others[np.argsort(-shared[target, others], kind="stable")][:CONFUSERS]
        false[row, : len(nearest)] = nearest
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return Contrasts(pairs[:, 0], pairs[:, 1:], false)


def citance_centred(shared: NDArray[np.float32]) -> Contrasts:
    """CCS: a row for each citing sentence, in which the ten sentences that share most words with it are true,
    and the next ten false. The links by hand are not used.

    shared [citances, sentences]: numbers of words that a citing sentence and a sentence have in common.
    """
    order = np.argsort(-shared, axis=1, kind="stable")
    return Contrasts(np.arange(len(shared)), _cut(order, *TRUE_RANKS), _cut(order, *FALSE_RANKS))


def _cut(order: NDArray[np.intp], first: int, last: int) -> Ints:
    """[rows, last - first] of the ranking, padded where it is shorter."""
    numbers = np.full((len(order), last - first), NONE, dtype=np.int64)
    part = order[:, first:last]
    numbers[:, : part.shape[1]] = part
    return numbers


# Word vectors ----------------------------------------------------------------------------------------------


def learned_vectors(
    texts: Sequence[str], vocabulary: Sequence[str], size: int, epochs: int, seed: int
) -> NDArray[np.float32]:
    """[vocabulary, size] vectors of stems, learned from `texts`; zeros for a stem that is too rare. One
    thread, so that one seed gives one result."""
    from gensim.models import Word2Vec

    sentences = [stems(text) for text in texts]
    table = np.zeros((len(vocabulary), size), dtype=np.float32)
    if max(Counter(stem for sentence in sentences for stem in sentence).values(), default=0) < _LEAST:
        return table
    model = Word2Vec(sentences, vector_size=size, epochs=epochs, sg=1, min_count=_LEAST, seed=seed, workers=1)
    for row, stem in enumerate(vocabulary):
        if stem in model.wv:
            table[row] = model.wv[stem]
    return table


def supplied_vectors(path: Path, texts: Sequence[str], vocabulary: Sequence[str]) -> NDArray[np.float32]:
    """[vocabulary, size] from a file of word vectors. A stem has the mean of the vectors of the words that it
    stands for in `texts`, each as often as it is there; zeros where the file has none of them.

    Raises what `read_word_vectors` raises.
    """
    counts = Counter(word for text in texts for word in words(text))
    forms = sorted(counts)
    vectors = read_word_vectors(path, forms)
    rows = {stem: row for row, stem in enumerate(vocabulary)}
    forms_of_row: dict[int, list[int]] = defaultdict(list)
    for number, form in enumerate(forms):
        for stem in stems(form):
            if vectors[number].any():
                forms_of_row[rows[stem]].append(number)
    table = np.zeros((len(vocabulary), vectors.shape[1]), dtype=np.float32)
    for row, numbers in forms_of_row.items():
        table[row] = np.average(vectors[numbers], axis=0, weights=[counts[forms[n]] for n in numbers])
    return table
