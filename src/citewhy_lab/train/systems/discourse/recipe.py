"""Training the discourse tagger: figures by cross-validation, then a network trained on all paragraphs.

In the network, a BERT encoder reads each sentence, and a recurrent network the paragraph; `classify.sequence`
reads what is written. The vector of a sentence and its other features go through a layer of rectified units;
a bidirectional LSTM reads these in the order of the paragraph; the scores of a sentence are a linear function
of both.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import tokenizers
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence, pad_sequence, unpack_sequence

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.ranking.classify.discourse import TAGS, in_context
from citewhy.ranking.classify.onnx import INPUT, OUTPUT
from citewhy.ranking.classify.own_encoder import CITATION, marked
from citewhy.ranking.classify.scored import DOCUMENT, parts_document
from citewhy.ranking.classify.sequence import NETWORK, READER, paragraph_of
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy.search.encode.onnx import MODEL, TOKENIZER, describe_encoder
from citewhy_lab.evaluate.datasets.corwa import read_corwa
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.bert import keep_tokens, open_bert, texts_of
from citewhy_lab.train.classifier.data import (
    Data,
    Doubles,
    Example,
    Parts,
    fit_scaling,
    folds,
    importance,
    of_folds,
    quality,
    summary,
)
from citewhy_lab.train.devices import fast_products
from citewhy_lab.train.loop import Learner, Plan, linear, train_network
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import default_start, start_sha256
from citewhy_lab.train.systems.discourse.settings import DiscourseInputs, DiscourseSettings
from citewhy_lab.train.systems.encoder.export import OPSET, Pooled, quantised, quietly, write_graph
from citewhy_lab.train.systems.encoder.network import pooled

_LEAST = 20
"""Number of times that a token must occur to be kept."""

_LONGEST = 512
"""Tokens of a text that are counted."""

Rows = NDArray[np.int64]


def tagged_sentences(path: Path) -> list[Example]:
    """Returns every sentence of the file or folder with its tag; sentences of a paper are one group. Raises
    InputError."""
    return [
        Example(sentence, (tag,), paragraph.paper)
        for paragraph in read_corwa(path)
        for sentence, tag in zip(in_context(paragraph.sentences), paragraph.tags, strict=True)
    ]


def train_discourse(
    inputs: DiscourseInputs,
    settings: DiscourseSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Trains on CORWA, and writes the tagger `out`. Raises InputError for data in none of CORWA's layouts,
    QueryError for paragraphs of a single paper, StorageError."""
    start = inputs.start or default_start()
    progress("reading the paragraphs", None)
    data = Data.of(tagged_sentences(inputs.data), settings.features, TAGS)
    groups = {example.group for example in data.examples}
    if len(groups) < 2:
        raise QueryError(
            "all paragraphs are of one paper, so that none is left to test on", hint="give more papers"
        )
    folder = inputs.data
    files = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else [folder]
    facts: dict[str, Any] = {
        "settings": settings.document(),
        "data": [file_facts(path) for path in files],
        "start": start_sha256(start),
        "examples": len(data.examples),
        "groups": len(groups),
        "labels": dict(Counter(label for example in data.examples for label in example.labels)),
        "software": software(),
    }
    parts = folds(data, settings.folds, settings.seed)
    scores = cross_validate(data, start, settings, parts, progress)
    facts["cross_validated"] = quality(data, scores, parts)
    network, vectorizer = fit(data, start, settings, progress, checkpoints(out))
    progress("writing the tagger", None)
    document = parts_document(data.labels, vectorizer, fit_scaling(scores, data.truth))
    document["features"] = replace(settings.features, encoder=("text",)).document()
    known = [*(example.sentence.text for example in data.examples), *texts_of(inputs.words)]
    _write(out, network, document, start, known, settings, facts)
    return Trained(facts, tuple(summary(facts)))


def _write(
    out: Path,
    network: TaggerNetwork,
    document: dict[str, Any],
    start: Path,
    texts: Sequence[str],
    settings: DiscourseSettings,
    facts: dict[str, Any],
) -> None:
    """Writes the model folder; the vocabulary has the tokens of `texts`."""
    words = Tokens(start / "tokenizer.json", _LONGEST)
    counts = Counter(number for row in words.ids(texts) for number in row)
    tokenizer = keep_tokens(network.encoder, start / "tokenizer.json", counts, _LEAST, (CITATION,))
    with folder_aside(out) as folder:
        write_networks(folder, network, tokenizer)
        (folder / DOCUMENT).write_bytes(orjson.dumps(document))
        tokens = {"query": settings.tokens, "paper": settings.tokens}
        size = network.encoder.config.hidden_size
        describe_encoder(folder, "discourse tagger", size, tokens, facts, READER, "classifier")


class TaggerLearner(Learner):
    """A batch is `settings.batch` paragraphs."""

    unit = "paragraphs"

    def __init__(
        self,
        network: TaggerNetwork,
        vectorizer: Vectorizer,
        tokens: Tokens,
        data: Data,
        settings: DiscourseSettings,
    ) -> None:
        encoder = [parameter for parameter in network.encoder.parameters() if parameter.requires_grad]
        groups = [
            {"params": encoder, "lr": settings.encoder_rate},
            {"params": network.paragraph.parameters(), "lr": settings.learning_rate},
        ]
        super().__init__(network, [torch.optim.AdamW(groups, weight_decay=settings.weight_decay)])
        self._given = _Given(vectorizer, tokens, data)
        self._paragraphs = paragraphs(data)
        self._truth = torch.from_numpy(data.truth.astype(np.float32))
        self._weights = torch.from_numpy(importance(data.truth, settings.balance).astype(np.float32))
        self._seed = settings.seed
        self.units_a_step = min(settings.batch, len(self._paragraphs))
        self.batches = -(-len(self._paragraphs) // settings.batch)
        """Batches of an epoch."""
        steps = settings.epochs * self.batches
        rates = (settings.encoder_rate, settings.learning_rate)
        self._rates = [linear(rate, steps, settings.warm_up) for rate in rates]

    def prepare(self, step: int) -> None:
        """Each group of parameters has a learning rate of its own."""
        for group, rate in zip(self.optimizers[0].param_groups, self._rates, strict=True):
            group["lr"] = rate(step)

    def loss(self, batch: int) -> Tensor:
        """Cross-entropy, with the weights of the examples."""
        epoch, number = divmod(batch, self.batches)
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._paragraphs))
        chosen = [
            self._paragraphs[position] for position in np.array_split(order, self.batches)[number].tolist()
        ]
        likely = torch.log_softmax(torch.cat(self.network(*self._given(chosen))), dim=1)
        rows = np.concatenate(chosen)
        loss: Tensor = -(self._weights[rows] * (self._truth[rows] * likely).sum(dim=1)).mean()
        return loss


class _Given:
    """Makes what the network is given for paragraphs of `data`."""

    def __init__(self, vectorizer: Vectorizer, tokens: Tokens, data: Data) -> None:
        self._columns = data.matrix(vectorizer)
        self._ids = tokens.ids([example.sentence.text for example in data.examples])

    def __call__(self, chosen: Sequence[Rows]) -> tuple[list[Tensor], list[list[list[int]]]]:
        columns = [torch.from_numpy(self._columns[number].toarray().astype(np.float32)) for number in chosen]
        return columns, [[self._ids[row] for row in number.tolist()] for number in chosen]


def fit(
    data: Data, start: Path, settings: DiscourseSettings, progress: Progress, folder: Path | None = None
) -> tuple[TaggerNetwork, Vectorizer]:
    """Returns the network after `settings.epochs` epochs, and its features. Checkpoints are in `folder`;
    None: there are none."""
    vectorizer = data.vectorizer(settings.features, settings.least, 0)
    torch.manual_seed(settings.seed)
    network = TaggerNetwork(start, vectorizer.columns, len(data.labels), settings)
    tokens = Tokens(start / "tokenizer.json", settings.tokens)
    learner = TaggerLearner(network, vectorizer, tokens, data, settings)
    plan = Plan.of_epochs(settings.epochs, learner.batches, settings.seed, clip=1.0)
    task: dict[str, Any] = {
        "settings": settings.document(),
        "examples": len(data.examples),
        "start": start_sha256(start),
    }
    train_network(learner, plan, progress, folder, task)
    network.eval()
    return network, vectorizer


def cross_validate(
    data: Data, start: Path, settings: DiscourseSettings, parts: Parts, progress: Progress
) -> Doubles:
    """Scores [n, L] of each example by a network trained without its group."""
    scores = np.zeros((len(data.examples), len(data.labels)))
    for part, report in of_folds(progress, parts):
        tested = np.flatnonzero(parts == part)
        network, vectorizer = fit(data.take(np.flatnonzero(parts != part)), start, settings, report)
        held = data.take(tested)
        given = _Given(vectorizer, Tokens(start / "tokenizer.json", settings.tokens), held)
        with torch.inference_mode():
            parts_of_scores = [network(*given([paragraph]))[0] for paragraph in paragraphs(held)]
        scores[tested] = torch.cat(parts_of_scores).numpy()
    return scores


def paragraphs(data: Data) -> list[Rows]:
    """Returns the rows of the examples of each paragraph, in its order. Raises QueryError unless all
    sentences of a paragraph follow each other."""
    rows: list[Rows] = []
    row = 0
    while row < len(data.examples):
        texts, first = paragraph_of(data.examples[row].sentence)
        run = data.examples[row : row + len(texts)]
        positions = [paragraph_of(context.sentence) for context in run]
        if first or positions != [(texts, number) for number in range(len(texts))]:
            raise QueryError(
                "the tagger needs all sentences of each paragraph, in order",
                hint="give each sentence its paragraph and its place there",
            )
        rows.append(np.arange(row, row + len(texts)))
        row += len(texts)
    return rows


# The network ---------------------------------------------------------------------------------------------


Ids = Sequence[int]

_AT_ONCE = 16
"""Sentences that the encoder reads at once; they are of similar length, so that little is padding."""


class Tokens:
    """Sentences as token ids, with one token for each printed citation."""

    def __init__(self, file: Path, longest: int) -> None:
        reader: Any = tokenizers.Tokenizer
        self._tokenizer = reader.from_file(str(file))
        self._tokenizer.enable_truncation(longest)
        self._tokenizer.no_padding()

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Returns the token ids of each text."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch([marked(text) for text in texts])]


class ParagraphNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """The features [t, width] of the sentences of each paragraph → their scores [t, labels]."""

    def __init__(self, width: int, labels: int, settings: DiscourseSettings) -> None:
        super().__init__()
        self.first = nn.Linear(width, settings.hidden)
        self.dropout = nn.Dropout(settings.dropout)
        self.recurrent = nn.LSTM(settings.hidden, settings.units, bidirectional=True)
        self.last = nn.Linear(settings.hidden + 2 * settings.units, labels)

    def forward(self, paragraphs: Sequence[Tensor]) -> list[Tensor]:
        hidden = [self.dropout(torch.relu(self.first(paragraph))) for paragraph in paragraphs]
        read = unpack_sequence(self.recurrent(pack_sequence(hidden, enforce_sorted=False))[0])
        return [
            self.last(self.dropout(torch.cat([one, other], dim=1)))
            for one, other in zip(read, hidden, strict=True)
        ]


class TaggerNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """`columns` named features of a sentence and its tokens → its scores [labels], a paragraph at a time."""

    def __init__(self, start: Path, columns: int, labels: int, settings: DiscourseSettings) -> None:
        super().__init__()
        dropout = settings.encoder_dropout
        self.encoder: Any = open_bert(start, settings.layers, settings.trained, dropout, dropout)
        self.paragraph = ParagraphNetwork(columns + self.encoder.config.hidden_size, labels, settings)
        self._gain = settings.gain

    def forward(self, columns: Sequence[Tensor], rows: Sequence[Sequence[Ids]]) -> list[Tensor]:
        """Scores each paragraph of t sentences: [t, columns] and t rows of token ids → [t, labels]."""
        vectors = self._vectors([row for paragraph in rows for row in paragraph])
        parts = torch.split(self._gain * vectors, [len(paragraph) for paragraph in rows])
        features = [torch.cat([one, other], dim=1) for one, other in zip(columns, parts, strict=True)]
        scores: list[Tensor] = self.paragraph(features)
        return scores

    def absorb_gain(self) -> None:
        """Puts the gain into the weights that read the vectors, as they are served."""
        with torch.no_grad():
            self.paragraph.first.weight[:, -self.encoder.config.hidden_size :] *= self._gain
        self._gain = 1.0

    def _vectors(self, rows: Sequence[Ids]) -> Tensor:
        """[rows, d] of length 1."""
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        vectors: dict[int, Tensor] = {}
        for start in range(0, len(order), _AT_ONCE):
            chosen = order[start : start + _AT_ONCE]
            ids = pad_sequence([torch.tensor(rows[number]) for number in chosen], batch_first=True)
            lengths = torch.tensor([len(rows[number]) for number in chosen])
            there = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
            with fast_products(ids.device, enabled=self.training):
                states = self.encoder(input_ids=ids, attention_mask=there).last_hidden_state.float()
            vectors |= zip(chosen, pooled(states, there), strict=True)
        return torch.stack([vectors[number] for number in range(len(rows))])


# The model folder ------------------------------------------------------------------------------------------


def write_networks(folder: Path, network: TaggerNetwork, tokenizer: bytes) -> None:
    """Writes the encoder with weights of 8 bits, its tokenizer, and the network over paragraphs. Changes
    `network`, which scores the same."""
    network.eval().absorb_gain()
    (folder / TOKENIZER).write_bytes(tokenizer)
    with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch, quietly():
        write_graph(Pooled(network.encoder), Path(scratch) / "plain.onnx")
        quantised(network.encoder.config, Path(scratch) / "plain.onnx", folder / MODEL)
    write_paragraph_network(folder / NETWORK, network.paragraph)


def write_paragraph_network(path: Path, network: ParagraphNetwork) -> None:
    """Writes the network over paragraphs as ONNX."""
    with quietly():
        torch.onnx.export(
            _Paragraph(network.eval()),
            (torch.zeros(3, network.first.in_features),),
            str(path),
            input_names=[INPUT],
            output_names=[OUTPUT],
            dynamic_axes={INPUT: {0: "t"}, OUTPUT: {0: "t"}},
            opset_version=OPSET,
            dynamo=False,  # the older exporter, which LSTMs need
        )


class _Paragraph(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """The scores [t, labels] of the sentences of one paragraph."""

    def __init__(self, network: ParagraphNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor) -> Tensor:
        hidden = torch.relu(self.network.first(features))
        read = self.network.recurrent(hidden[:, None])[0][:, 0]
        scores: Tensor = self.network.last(torch.cat([read, hidden], dim=1))
        return scores
