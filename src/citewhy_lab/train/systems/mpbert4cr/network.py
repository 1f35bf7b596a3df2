"""The networks of MP-BERT4CR (sections 4 and 4.1.2): hierarchical transformers, after HIBERT (Zhang et al.
2019).

A sentence is the mean of the states of its words, in place of the state of its last one. A document is a
transformer over its sentences; their states are summed and normalised. The decoder predicts the words of a
masked sentence from the state of its place.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from citewhy_lab.train.systems.mpbert4cr.settings import MpBertShape

__all__ = [
    "END",
    "FIRST_WORD",
    "MASK",
    "PADDING",
    "UNKNOWN",
    "Decoder",
    "Encoder",
    "MpBert",
    "SentenceEncoder",
]

PADDING, UNKNOWN, END, MASK = range(4)
"""Numbers of no word, of a word out of the vocabulary, of the end of a sentence, and of a masked word."""

FIRST_WORD = 4
"""The number of the first word of the vocabulary."""

_DEVIATION = 0.02


class SentenceEncoder(nn.Module):  # type: ignore[misc,unused-ignore]
    """Words to sentence vectors: [n, w] numbers to [n, d], the mean over the words."""

    def __init__(self, words: int, shape: MpBertShape, dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(words, shape.size, padding_idx=PADDING)
        self.places = nn.Embedding(shape.sentence, shape.size)
        self.layers = _transformer(shape, dropout)

    def forward(self, words: Tensor) -> Tensor:
        there = words != PADDING
        inputs = self.words(words) + self.places.weight[: words.shape[1]]
        # A sentence of padding alone would attend to nothing; its state is not used.
        states = self.layers(inputs, src_key_padding_mask=~(there | ~there.any(dim=1, keepdim=True)))
        found: Tensor = (states * there[:, :, None]).sum(dim=1) / there.sum(dim=1, keepdim=True).clamp(min=1)
        return found


class ReadyLevel(nn.Module):  # type: ignore[misc,unused-ignore]
    """The vectors of a ready sentence encoder, of length 1, in the size of the network: a projection, whose
    numbers are of the order of 1 before training."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size, inputs))
        self._scale = inputs**0.5
        with torch.no_grad():
            nn.init.orthogonal_(self.weight)

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = functional.linear(vectors * self._scale, self.weight)
        return found


class Encoder(nn.Module):  # type: ignore[misc,unused-ignore]
    """Documents to vectors. Sentences are word numbers [b, s, w], or, with a ready lower level
    (`MpBertShape.inputs`), its vectors [b, s, inputs]."""

    def __init__(self, words: int, shape: MpBertShape, dropout: float = 0.0) -> None:
        """`words`: size of the vocabulary, special numbers included; ignored with a ready lower level."""
        super().__init__()
        ready = shape.inputs > 0
        self.lower: nn.Module = (
            ReadyLevel(shape.inputs, shape.size) if ready else SentenceEncoder(words, shape, dropout)
        )
        self.masked = nn.Parameter(torch.zeros(shape.size)) if ready else None
        """In place of a masked sentence's vector, where its words cannot be masked."""
        self.places = nn.Embedding(shape.sentences, shape.size)
        self.upper = _transformer(shape, dropout)
        self.norm = nn.LayerNorm(shape.size)
        self.apply(_start)

    def sentence_vectors(self, sentences: Tensor) -> Tensor:
        """[b, s, d]."""
        if sentences.is_floating_point():
            vectors: Tensor = self.lower(sentences)
            return vectors
        flat: Tensor = self.lower(sentences.flatten(0, 1))
        return flat.unflatten(0, sentences.shape[:2])

    def states(self, vectors: Tensor, there: Tensor) -> Tensor:
        """[b, s, d] the states of sentences whose vectors are [b, s, d]; `there` [b, s] boolean, at least one
        sentence each."""
        inputs = vectors + self.places.weight[: vectors.shape[1]]
        found: Tensor = self.upper(inputs, src_key_padding_mask=~there)
        return found

    def forward(self, sentences: Tensor, there: Tensor) -> Tensor:
        """[b, d]: sum pooling over the sentences, and layer normalisation."""
        states = self.states(self.sentence_vectors(sentences), there)
        found: Tensor = self.norm((states * there[:, :, None]).sum(dim=1))
        return found


class Decoder(nn.Module):  # type: ignore[misc,unused-ignore]
    """The words of masked sentences from their states: pre-training alone."""

    def __init__(self, words: int, shape: MpBertShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.words = nn.Embedding(words, shape.size, padding_idx=PADDING)
        self.places = nn.Embedding(shape.sentence, shape.size)
        layer = nn.TransformerDecoderLayer(
            shape.size, shape.heads, 4 * shape.size, dropout, activation="gelu", batch_first=True
        )
        self.layers = nn.TransformerDecoder(layer, shape.layers)
        self.out = nn.Linear(shape.size, words)
        self.apply(_start)

    def forward(self, states: Tensor, before: Tensor) -> Tensor:
        """[n, w, words] logits of the word at each place: `states` [n, d] of the sentences, `before` [n, w]
        the words that precede each place."""
        later = torch.ones(before.shape[1], before.shape[1], dtype=torch.bool, device=before.device).triu(1)
        inputs = self.words(before) + self.places.weight[: before.shape[1]]
        found: Tensor = self.out(self.layers(inputs, states[:, None], tgt_mask=later))
        return found


class MpBert(nn.Module):  # type: ignore[misc,unused-ignore]
    """A manuscript encoder of its own, and a citation encoder that all cited papers share: the target, the
    other positives and the negatives."""

    def __init__(self, words: int, shape: MpBertShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.manuscript = Encoder(words, shape, dropout)
        self.citation = Encoder(words, shape, dropout)

    def start_from(self, pretrained: Encoder) -> None:
        """Copies the pre-trained weights into both encoders."""
        for each in (self.manuscript, self.citation):
            each.load_state_dict(pretrained.state_dict())


def _start(module: nn.Module) -> None:
    """As BERT starts (Devlin et al. 2019), so that places do not outweigh what stands at them."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=_DEVIATION)
    if isinstance(module, nn.MultiheadAttention):
        nn.init.normal_(module.in_proj_weight, std=_DEVIATION)
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        with torch.no_grad():
            module.weight[module.padding_idx].zero_()


def _transformer(shape: MpBertShape, dropout: float) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(
        shape.size, shape.heads, 4 * shape.size, dropout, activation="gelu", batch_first=True
    )
    return nn.TransformerEncoder(layer, shape.layers, enable_nested_tensor=False)
