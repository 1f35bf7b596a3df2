"""Small models of another package that fulfil the contracts.

The folder ``toy_models-1.0.dist-info`` beside this file makes it an installed package, whose entry points
register these classes as readers.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import FullText, Paper, Query, QueryKind, Reason, SentenceInContext
from citewhy.models import ModelFolder
from citewhy.ranking.linkage import Link
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.folder import SETS
from citewhy.ranking.rank.model import Scored
from citewhy.ranking.rank.reranker import Need, RerankRequest
from citewhy.search.encode import TextKind, Vectors
from citewhy.search.index import Hits
from citewhy.search.retrieve.first_stage import Treatment
from citewhy.search.retrieve.scoped import ScopedQuery


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


class ToyClassifier:
    """Classifies sentences as long or short, with a higher probability for more words."""

    def __init__(self, folder: ModelFolder) -> None:
        self.name = folder.name
        short, long = folder.json("labels.json")
        self.fingerprint = f"{folder.files['labels.json']['crc32']:08x}"
        self.labels: tuple[str, ...] = (str(short), str(long))

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float32]:
        counts = np.array([len(words(each.text)) for each in sentences], dtype=np.float32)
        long = counts / (counts + 5)
        return np.stack([1 - long, long], axis=1)

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return [self.labels[place] for place in self.probabilities(sentences).argmax(axis=1).tolist()]


class ToyEncoder:
    """A text's vector is the sum of the vectors of its letters, which are in ``letters.npy`` [26, d]."""

    def __init__(self, folder: ModelFolder) -> None:
        self._letters = np.load(io.BytesIO(folder.read("letters.npy")), allow_pickle=False)
        if not np.isfinite(self._letters).all() or self._letters.ndim != 2 or len(self._letters) != 26:
            raise ValueError("not a finite vector for each letter")
        self.name = folder.name
        self.fingerprint = f"{folder.files['letters.npy']['crc32']:08x}"
        self.dimensions: int = self._letters.shape[1]

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for vector, text in zip(found, texts, strict=True):
            if text.strip():
                vector += 1  # a text without letters has a direction, too
            for letter in "".join(words(text)):
                vector += self._letters[ord(letter) - ord("a")]
            vector /= np.linalg.norm(vector) or 1
        return found


class ToyReranker:
    """Scores papers by the words shared with the query, plus weighted citations; minus one for known
    papers."""

    kinds: frozenset[QueryKind] = frozenset({"local", "paragraph"})
    needs: frozenset[Need] = frozenset({"known papers"})
    first_stage_weight = 0.0

    def __init__(self, folder: ModelFolder) -> None:
        self.name = folder.name
        self.depth = folder.fact("depth", int)
        self._weight = float(folder.json("weights.json")["citations"])

    def scores(self, request: RerankRequest) -> NDArray[np.float32]:
        known = {paper.id for paper in request.known_papers}
        found = [
            len(self._shared(request.query, paper)) + self._weight * len(years) - (paper.id in known)
            for paper, years in zip(request.papers, request.citing_years, strict=True)
        ]
        return np.array(found, dtype=np.float32)

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        shared = ", ".join(sorted(self._shared(request.query, request.papers[place]))) or "no word"
        return (Reason("words", f"shares {shared}", 1.0),)

    def _shared(self, query: Query, paper: Paper) -> set[str]:
        return set(words(query.text)) & set(words(f"{paper.title} {paper.abstract}"))


class ToyRanker:
    """Orders by one feature; the best paper has the probability given by the fact `chance`."""

    def __init__(self, folder: ModelFolder) -> None:
        self._column = FEATURES.index(folder.json("feature.json"))
        self._chance = folder.fact("chance", float)
        self.name = folder.name
        self.threshold = 0.0
        self.last_step = None
        self.weights: Mapping[str, Mapping[str, float]] = {
            name: {FEATURES[self._column]: 1.0} for name in SETS
        }

    def order(self, table: NDArray[np.float32], ids: NDArray[np.int32], name: str) -> Scored:
        scores = table[:, self._column]
        order = np.lexsort((ids, -scores))
        chances = np.zeros(len(order))
        chances[:1] = self._chance
        return Scored(order, scores[order], chances)


class ToyLinker:
    """Links the sentences that share the most words with the citing sentence."""

    def __init__(self, folder: ModelFolder) -> None:
        self._ignored = set(folder.json("ignored.json"))

    def __call__(self, citances: Sequence[str], text: FullText, /) -> NDArray[np.float32]:
        asked = [set(words(citance)) - self._ignored for citance in citances]
        found: list[list[Any]] = [
            [len(each & set(words(sentence.text))) for sentence in text.sentences] for each in asked
        ]
        return np.array(found, dtype=np.float32).reshape(len(citances), len(text.sentences))

    def links(self, citance: str, text: FullText, k: int = 1) -> list[Link]:
        scores = self([citance], text)[0]
        best = np.argsort(-scores, kind="stable")[:k].tolist()
        return [Link(place, place, place, float(scores[place]), "") for place in best if scores[place]]


class ToyFirstStage:
    """Returns the papers listed in its file, in that order."""

    treatment: Treatment = "fused"

    def __init__(self, folder: ModelFolder) -> None:
        self.name = folder.name
        self._ids = folder.json("papers.json")
        if not isinstance(self._ids, list) or {type(each) for each in self._ids} != {str}:
            raise ValueError("not a list of paper ids")

    def candidates(self, scoped: ScopedQuery) -> Hits:
        everything = scoped.index.papers()
        rows = dict(zip(scoped.index.ids(everything), everything, strict=True))
        found = np.array([rows[each] for each in self._ids if each in rows], dtype=everything.dtype)
        return Hits(found, np.arange(len(found), 0, -1, dtype=np.float32))
