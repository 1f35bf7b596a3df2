"""A trained MP-BERT4CR network in use: its model folder (`train.reranking.folder`), cosines of a manuscript
and papers, in validation too, and the `Reranker`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from citewhy.base.errors import ModelError
from citewhy.base.records import Reason
from citewhy.models import ModelFolder
from citewhy.ranking.rank.reranker import ChosenWeight, Need, RerankRequest
from citewhy.search.encode import default_encoder
from citewhy_lab.train.reranking.folder import (
    NetworkReranker,
    chosen_weights,
    read_network,
    read_vocabulary,
    save_network,
)
from citewhy_lab.train.systems.mpbert4cr.network import Encoder, MpBert, Reader, ReadyVectors, Vocabulary
from citewhy_lab.train.systems.mpbert4cr.settings import MpBertShape, Sampled
from citewhy_lab.train.systems.mpbert4cr.texts import Manuscripts, Sampling, Text, paper_text

DEPTH = 100
"""The number of candidates that are reranked, as many as in training: of each, up to forty sentences are
read."""

_AT_A_TIME = 64
"""Texts that are encoded at a time."""


class Scorer:
    """Sentences are drawn once for each text (section 5.3), the same in any order of texts. The vectors of
    papers are kept. Not to be shared between threads."""

    def __init__(self, network: MpBert, reader: Reader, sampled: Sampled, dynamic: bool, seed: int) -> None:
        self._network = network.eval()
        self._reader = reader
        self._manuscripts = Sampling(sampled.manuscript, dynamic, seed)
        self._papers = Sampling(sampled.body, dynamic, seed)
        self._known: dict[Text, Tensor] = {}

    def scores(self, manuscript: Text, papers: Sequence[Text]) -> NDArray[np.float32]:
        """[n] cosines, in [-1, 1]."""
        cosines: NDArray[np.float32] = (self.papers(papers) @ self.manuscripts([manuscript])[0]).numpy()
        return cosines

    def manuscripts(self, texts: Sequence[Text]) -> Tensor:
        """[n, d], of length 1."""
        return self._encoded(self._network.manuscript, [self._manuscripts.draw(each) for each in texts])

    def papers(self, texts: Sequence[Text]) -> Tensor:
        """[n, d], of length 1."""
        new = [each for each in dict.fromkeys(texts) if each not in self._known]
        vectors = self._encoded(self._network.citation, [self._papers.draw(each) for each in new])
        self._known.update(zip(new, vectors, strict=True))
        return torch.stack([self._known[each] for each in texts]) if texts else vectors

    def _encoded(self, encoder: Encoder, texts: Sequence[Sequence[str]]) -> Tensor:
        device = encoder.norm.weight.device
        parts = [torch.zeros(0, self._network.shape.size)]
        with torch.inference_mode():
            for start in range(0, len(texts), _AT_A_TIME):
                sentences, there = self._reader.documents(texts[start : start + _AT_A_TIME])
                vectors = encoder(sentences.to(device), there.to(device))
                parts.append(functional.normalize(vectors, dim=1).cpu())
        return torch.cat(parts)


class MpBertReranker(NetworkReranker):
    """A trained network, for citing sentences."""

    depth = DEPTH
    needs: frozenset[Need] = frozenset({"full texts"})

    def __init__(
        self, scorer: Scorer, sampled: Sampled, chosen_weights: Sequence[ChosenWeight], path: Path
    ) -> None:
        super().__init__("MP-BERT4CR", chosen_weights, path)
        self._scorer = scorer
        self._sampled = sampled
        self._manuscripts = Manuscripts({})

    def _scores(self, request: RerankRequest) -> NDArray[np.float32]:
        """[n] cosines of manuscript and candidates, in [-1, 1]."""
        return self._scorer.scores(self._manuscripts(request.query), self._texts(request))

    def reasons(self, request: RerankRequest, place: int) -> tuple[Reason, ...]:
        """The cosine, and what was read."""
        one = request.only(place)
        (cosine,) = self.scores(one).tolist()
        (text,) = self._texts(one)
        of_paper = "its abstract and its text" if text.pool else "its abstract"
        reason = f"your text and {of_paper} are alike as a whole: cosine {cosine:.2f}"
        return (Reason("text", reason, 1.0),)

    def _texts(self, request: RerankRequest) -> list[Text]:
        full = request.full_texts or (None,) * len(request.papers)
        return [
            paper_text(paper, each, self._sampled) for paper, each in zip(request.papers, full, strict=True)
        ]


# The model folder ------------------------------------------------------------------------------------------


def save(out: Path, network: MpBert, vocabulary: Vocabulary, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. `facts` have ``sampled``, ``dynamic`` and ``seed``, and, for a
    network on ready sentence vectors, the fingerprint of their ``encoder``. Raises StorageError."""
    names = {"words": vocabulary.names}
    save_network(out, network, names, "mpbert4cr", "MP-BERT4CR", network.shape, facts)


def open_mpbert4cr(folder: ModelFolder) -> MpBertReranker:
    """The reranker in a model folder. Raises DamagedError for files that do not hold a network and its words,
    ModelError for one that reads the vectors of another sentence encoder than the built-in one."""
    network, vocabulary = read_network(folder, _vocabulary, lambda words: MpBert(len(words), words.shape))
    reader: Reader = _ready(folder, network.shape) if network.shape.inputs else vocabulary
    sampled = Sampled(**folder.fact("sampled", dict))
    if not all(type(count) is int and count >= 0 for count in asdict(sampled).values()):
        raise ValueError(f"the numbers of sampled sentences are {asdict(sampled)}")
    scorer = Scorer(network, reader, sampled, folder.fact("dynamic", bool), abs(folder.fact("seed", int)))
    return MpBertReranker(scorer, sampled, chosen_weights(folder), folder.path)


def _vocabulary(folder: ModelFolder) -> Vocabulary:
    """Raises TypeError, KeyError or ValueError for what is no vocabulary, or no shape."""
    shape = MpBertShape(**folder.fact("shape", dict))
    sizes = asdict(shape)
    least = {name: int(name != "inputs") for name in sizes}
    if not all(type(size) is int and size >= least[name] for name, size in sizes.items()):
        raise ValueError(f"the shape is {sizes}")
    (names,) = read_vocabulary(folder, "words")
    return Vocabulary(names.names, shape)


def _ready(folder: ModelFolder, shape: MpBertShape) -> ReadyVectors:
    encoder, trained_on = default_encoder(), folder.fact("encoder", str)
    if encoder.fingerprint != trained_on or encoder.dimensions != shape.inputs:
        raise ModelError(
            f"the reranker reads sentence vectors of the encoder {trained_on}, and the built-in one is"
            f" {encoder.fingerprint}",
            path=folder.path,
            hint="train it again with this version: citewhy train mpbert4cr",
        )
    return ReadyVectors(encoder, shape)
