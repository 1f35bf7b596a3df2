"""Inference with a trained network: cosines of a manuscript and papers, in validation and in use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from citewhy_lab.train.systems.mpbert4cr.network import Encoder, MpBert
from citewhy_lab.train.systems.mpbert4cr.reading import Reader
from citewhy_lab.train.systems.mpbert4cr.settings import Sampled
from citewhy_lab.train.systems.mpbert4cr.texts import Sampling, Text

__all__ = ["Scorer"]

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
                found = encoder(sentences.to(device), there.to(device))
                parts.append(functional.normalize(found, dim=1).cpu())
        return torch.cat(parts)
