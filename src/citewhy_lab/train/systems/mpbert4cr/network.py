"""The networks of MP-BERT4CR (sections 4 and 4.1.2): hierarchical transformers, after HIBERT (Zhang et al.
2019); and their inputs, numbers of words or the vectors of a ready encoder.

A sentence is the mean of the states of its words, in place of the state of its last one. A document is a
transformer over its sentences; their states are summed and normalised. The decoder predicts the words of a
masked sentence from the state of its place.

In use, in validation too, cosines of a manuscript and papers are the scores; `MpBertReranker` is the
reranker, in a model folder (`train.reranking.folder`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.errors import ModelError
from citewhy.base.progress import Progress
from citewhy.base.records import QueryKind, Reason
from citewhy.models import ModelFolder
from citewhy.ranking.rank.chosen_weights import chosen_weights
from citewhy.ranking.rank.reranker import ChosenWeight, Need, RerankRequest
from citewhy.search.encode import Encoder as ReadyEncoder
from citewhy.search.encode import default_encoder
from citewhy_lab.train.reranking.folder import (
    NetworkReranker,
    read_network,
    read_vocabulary,
    save_network,
)
from citewhy_lab.train.reranking.words import TARGET, tokens
from citewhy_lab.train.systems.mpbert4cr.settings import MpBertShape, Sampled
from citewhy_lab.train.systems.mpbert4cr.texts import Manuscripts, Sampling, Text, paper_text

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
        mean: Tensor = (states * there[:, :, None]).sum(dim=1) / there.sum(dim=1, keepdim=True).clamp(min=1)
        return mean


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
        scaled: Tensor = functional.linear(vectors * self._scale, self.weight)
        return scaled


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
        states: Tensor = self.upper(inputs, src_key_padding_mask=~there)
        return states

    def forward(self, sentences: Tensor, there: Tensor) -> Tensor:
        """[b, d]: sum pooling over the sentences, and layer normalisation."""
        states = self.states(self.sentence_vectors(sentences), there)
        normalised: Tensor = self.norm((states * there[:, :, None]).sum(dim=1))
        return normalised


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
        logits: Tensor = self.out(self.layers(inputs, states[:, None], tgt_mask=later))
        return logits


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
        for encoder in (self.manuscript, self.citation):
            encoder.load_state_dict(pretrained.state_dict())


def _start(module: nn.Module) -> None:
    """Draws first weights as BERT does (Devlin et al. 2019), so that places do not outweigh what stands at
    them."""
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


# The inputs -------------------------------------------------------------------------------------------------


_ENCODED = 256
"""Sentences that are encoded at a time."""


class Reader(Protocol):
    """Makes the tensors of documents."""

    def documents(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """[b, s, w] words or [b, s, d] vectors, and [b, s] which sentences there are, at least one each."""
        ...


class Vocabulary:
    """Words by number, from `FIRST_WORD`."""

    def __init__(self, names: Sequence[str], shape: MpBertShape) -> None:
        self.names = list(names)
        self.shape = shape
        self._numbers = {name: number for number, name in enumerate(self.names, FIRST_WORD)}

    @classmethod
    def of(cls, sentences: Iterable[str], shape: MpBertShape) -> Vocabulary:
        """Returns the most frequent words, ties in alphabetical order; the placeholder of the citation is
        always one of them."""
        counts = Counter(word for sentence in sentences for word in _words(sentence) if word != TARGET)
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return cls([TARGET, *(word for word, _ in ranked[: shape.words])], shape)

    def __len__(self) -> int:
        """Returns rows of an embedding table."""
        return FIRST_WORD + len(self.names)

    def numbers(self, sentence: str) -> list[int]:
        """Returns the first words of a sentence, and its end."""
        known = [self._numbers.get(word, UNKNOWN) for word in _words(sentence)]
        return [*known[: self.shape.sentence - 1], END]

    def documents(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Does as `Reader.documents`."""
        read = [[self.numbers(sentence) for sentence in text[: self.shape.sentences]] for text in texts]
        longest, widest = max(map(len, read)), max(len(sentence) for text in read for sentence in text)
        table = torch.full((len(read), longest, widest), PADDING)
        for position, text in enumerate(read):
            for number, sentence in enumerate(text):
                table[position, number, : len(sentence)] = torch.tensor(sentence)
        return table, (table != PADDING).any(dim=2)


class ReadyVectors:
    """The sentence vectors of a ready encoder, which is not trained. Each sentence is encoded once."""

    def __init__(self, encoder: ReadyEncoder, shape: MpBertShape) -> None:
        self._encoder = encoder
        self._shape = shape
        self._number: dict[str, int] = {}
        self._table = torch.zeros(0, encoder.dimensions)

    def learn(self, sentences: Iterable[str], progress: Progress | None = None) -> None:
        """Encodes those that are new."""
        new = list(dict.fromkeys(sentence for sentence in sentences if sentence not in self._number))
        parts = []
        for start in range(0, len(new), _ENCODED):
            if progress is not None:
                progress(f"encoding {len(new):,} sentences", start / len(new))
            parts.append(self._encoder.encode(new[start : start + _ENCODED], "query"))
        if parts:
            self.keep(new, np.concatenate(parts))

    def keep(self, sentences: Sequence[str], vectors: np.typing.NDArray[np.float32]) -> None:
        """Returns vectors [n, dimensions] of sentences that are new."""
        first = len(self._number)
        self._number |= {sentence: number for number, sentence in enumerate(sentences, first)}
        if len(self._number) > len(self._table):  # twice the room, so that rows are rarely copied
            room = torch.zeros(2 * len(self._number) - first, self._table.shape[1])
            self._table = torch.cat([self._table[:first], room])
        self._table[first : len(self._number)] = torch.from_numpy(np.ascontiguousarray(vectors))

    def documents(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Does as `Reader.documents`."""
        read = [text[: self._shape.sentences] for text in texts]
        self.learn(sentence for text in read for sentence in text)
        rows = torch.full((len(read), max(map(len, read))), -1)
        for position, text in enumerate(read):
            rows[position, : len(text)] = torch.tensor([self._number[sentence] for sentence in text])
        there = rows >= 0
        return self._table[rows.clamp(min=0)] * there[:, :, None], there


def _words(sentence: str) -> list[str]:
    return tokens(sentence, function_words=True)


# In use --------------------------------------------------------------------------------------------------


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
        return self._encoded(self._network.manuscript, [self._manuscripts.draw(text) for text in texts])

    def papers(self, texts: Sequence[Text]) -> Tensor:
        """[n, d], of length 1."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        vectors = self._encoded(self._network.citation, [self._papers.draw(text) for text in new])
        self._known.update(zip(new, vectors, strict=True))
        return torch.stack([self._known[text] for text in texts]) if texts else vectors

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
    """A trained network, for citing sentences, whether they cite nothing yet or some papers already."""

    kinds: frozenset[QueryKind] = frozenset({"local", "set"})
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
        """Returns the cosine, and what was read."""
        one = request.only(place)
        (cosine,) = self.scores(one).tolist()
        (text,) = self._texts(one)
        first = "its abstract" if text.described else "its title"
        of_paper = f"{first} and its text" if text.pool else first
        reason = f"your text and {of_paper} are alike as a whole: cosine {cosine:.2f}"
        return (Reason("text", reason, 1.0),)

    def _texts(self, request: RerankRequest) -> list[Text]:
        full = request.full_texts or (None,) * len(request.papers)
        return [
            paper_text(paper, text, self._sampled) for paper, text in zip(request.papers, full, strict=True)
        ]


# The model folder ------------------------------------------------------------------------------------------


def save(out: Path, network: MpBert, vocabulary: Vocabulary, facts: Mapping[str, Any]) -> None:
    """Writes `out` aside and renames it. `facts` have ``sampled``, ``dynamic`` and ``seed``, and, for a
    network on ready sentence vectors, the fingerprint of their ``encoder``. Raises StorageError."""
    names = {"words": vocabulary.names}
    save_network(out, network, names, "mpbert4cr", "MP-BERT4CR", network.shape, facts)


def open_mpbert4cr(folder: ModelFolder) -> MpBertReranker:
    """Returns the reranker in a model folder. Raises DamagedError for files that do not hold a network and
    its words, ModelError for one that reads the vectors of another sentence encoder than the built-in one."""
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
