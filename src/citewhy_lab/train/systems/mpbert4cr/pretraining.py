"""Pre-training: whole sentences of a document are masked, and predicted from their places (HIBERT: Zhang et
al. 2019, which section 4 of the source follows).

Of the masked sentences, eight in ten have every word replaced by a mask, one in ten is replaced by another
sentence, and one in ten is left as it is. Where the lower level is ready, vectors of sentences are masked in
place of their words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from citewhy_lab.train.loop import Learner
from citewhy_lab.train.systems.mpbert4cr.network import END, MASK, PADDING, Decoder, Encoder
from citewhy_lab.train.systems.mpbert4cr.reading import Reader, Vocabulary
from citewhy_lab.train.systems.mpbert4cr.settings import Settings

__all__ = ["PretrainingLearner", "masks"]

_MASKED, _REPLACED = 0.8, 0.9


class PretrainingLearner(Learner):
    """Trains an encoder and a decoder on documents, each a sequence of sentences, of which as many as the
    network reads follow each other from a place that is drawn in each epoch."""

    unit = "documents"

    def __init__(
        self,
        encoder: Encoder,
        decoder: Decoder,
        documents: Sequence[Sequence[str]],
        reader: Reader,
        vocabulary: Vocabulary,
        settings: Settings,
    ) -> None:
        network = nn.ModuleDict({"encoder": encoder, "decoder": decoder})
        optimizer = torch.optim.AdamW(
            network.parameters(), settings.pretraining_rate, weight_decay=settings.weight_decay
        )
        super().__init__(network, [optimizer])
        self._encoder, self._decoder = encoder, decoder
        self._documents = [each for each in documents if len(each) > 1]
        self._reader, self._vocabulary = reader, vocabulary
        self._settings = settings
        self._device = encoder.norm.weight.device
        self.units_a_step = max(1, min(settings.pretraining_batch, len(self._documents)))
        self.batches = -(-len(self._documents) // self.units_a_step)
        """Of an epoch; 0 without documents of two sentences or more."""

    def loss(self, batch: int) -> Tensor:
        """Mean cross-entropy of the words of the masked sentences."""
        epoch, place = divmod(batch, self.batches)
        rng = np.random.default_rng((self._settings.seed, epoch))
        order = rng.permutation(len(self._documents))
        size = self.units_a_step
        chosen = [self._part(each, epoch) for each in order[place * size : (place + 1) * size].tolist()]
        inputs, there = (each.to(self._device) for each in self._reader.documents(chosen))
        words = self._vocabulary.documents(chosen)[0].to(self._device)
        masked, how = masks(there, self._settings.masked)
        states = self._encoder.states(self._hidden(inputs, there, masked, how), there)
        wanted = words[masked]  # [n, w]
        begin = torch.full_like(wanted[:, :1], END)
        logits = self._decoder(states[masked], torch.cat([begin, wanted[:, :-1]], dim=1))
        loss: Tensor = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PADDING)
        return loss

    def _part(self, number: int, epoch: int) -> Sequence[str]:
        document, most = self._documents[number], self._settings.shape.sentences
        rng = np.random.default_rng((self._settings.seed, epoch, number))
        start = int(rng.integers(max(len(document) - most, 0) + 1))
        return document[start : start + most]

    def _hidden(self, inputs: Tensor, there: Tensor, masked: Tensor, how: Tensor) -> Tensor:
        """[b, s, d] the sentences' vectors, where some are masked or replaced."""
        hidden, replaced = masked & (how < _MASKED), masked & (how >= _MASKED) & (how < _REPLACED)
        inputs = inputs.clone()
        others = inputs[there]
        inputs[replaced] = others[torch.randint(len(others), (int(replaced.sum()),))]
        if self._encoder.masked is not None:
            vectors = self._encoder.sentence_vectors(inputs)
            return torch.where(hidden[:, :, None], self._encoder.masked, vectors)
        inputs[hidden] = torch.where(inputs[hidden] == PADDING, PADDING, MASK)
        return self._encoder.sentence_vectors(inputs)


def masks(there: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """For sentences [b, s]: which are masked, each with probability `share`, and at least one of each
    document; and a number in [0, 1) that decides how. Draws from torch's generator."""
    chances = torch.rand(there.shape, device=there.device).masked_fill(~there, 2.0)
    masked = chances < share
    masked[torch.arange(len(there), device=there.device), chances.argmin(dim=1)] = True
    return masked, torch.rand(there.shape, device=there.device)
