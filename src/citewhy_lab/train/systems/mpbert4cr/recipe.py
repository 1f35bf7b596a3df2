"""Trains MP-BERT4CR (Zhang and Ma 2021): manuscripts and papers are read sentence by sentence, and candidates
are ranked by the cosine of their documents' vectors.

In pre-training, whole sentences of a document are masked, and predicted from their places (HIBERT: Zhang et
al. 2019, which section 4 of the source follows). Of the masked sentences, eight in ten have every word
replaced by a mask, one in ten is replaced by another sentence, and one in ten is left as it is. Where the
lower level is ready, vectors of sentences are masked in place of their words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Context, FullText, Paper, Query
from citewhy.search.encode import default_encoder
from citewhy.text.sentences import split
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.loop import History as Losses
from citewhy_lab.train.loop import Learner, Plan, inverse_square_root, train_network
from citewhy_lab.train.losses import multi_positive_triplet, triplet_margin
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.reranking.data import (
    Prepared,
    Questions,
    RerankingData,
    ValidationQuestion,
    opened,
    prepared,
)
from citewhy_lab.train.reranking.learner import RerankingLearner, Scores
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.co_citations import CitedTogether
from citewhy_lab.train.systems.mpbert4cr.network import (
    END,
    MASK,
    PADDING,
    Decoder,
    Encoder,
    MpBert,
    Reader,
    ReadyVectors,
    Scorer,
    Vocabulary,
    save,
)
from citewhy_lab.train.systems.mpbert4cr.settings import MpBertInputs, MpBertSettings
from citewhy_lab.train.systems.mpbert4cr.texts import (
    Drawn,
    Example,
    History,
    Manuscripts,
    Papers,
    Sampling,
    Text,
    examples_of,
    read_full_texts,
)


def train_mpbert4cr(
    inputs: MpBertInputs | RerankingData,
    settings: MpBertSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the model folder `out`, a reranker. With an encoder in the data, its sentence vectors replace
    the lower level of the network.

    A training that was begun for the same `out` with the same settings and data is resumed. Raises InputError
    for data that cannot be learned from, StorageError.
    """
    with opened(inputs, settings.depth, out, progress) as data:
        if isinstance(inputs, MpBertInputs):
            encoder = default_encoder() if inputs.sentence_encoder == "built-in" else None
            data = replace(data, full_texts=read_full_texts(inputs.full_texts), encoder=encoder)
        if data.encoder is not None:
            settings = replace(settings, shape=replace(settings.shape, inputs=data.encoder.dimensions))
        return _train(data, settings, out, progress, device)


def _train(
    data: RerankingData, settings: MpBertSettings, out: Path, progress: Progress, device: DeviceName
) -> Trained:
    ready = prepared(data, settings, progress)
    texts = {ready.known.canonical(key): text for key, text in data.full_texts.items()}
    corpus = _corpus(data, ready, texts, settings, out)
    progress("counting words", None)
    newest = max(example.year for example in corpus.examples)
    documents = _documents(ready, texts, newest)
    citing = (example.query.text for example in corpus.examples)
    vocabulary = Vocabulary.of(
        [*(sentence for text in documents for sentence in text), *citing], settings.shape
    )
    reader: Reader = ReadyVectors(data.encoder, settings.shape) if data.encoder else vocabulary
    facts: dict[str, Any] = {
        "settings": asdict(settings),
        "sampled": asdict(settings.sampled),
        "dynamic": settings.dynamic,
        "seed": settings.seed,
        "encoder": data.encoder.fingerprint if data.encoder else None,
        "data": {
            "papers": len(corpus.graph.papers),
            "full texts": len(texts),
            "documents": len(documents),
            "contexts": len({example.query.id for example in corpus.examples}),
            "pairs": len(corpus.examples),
            "newest": newest,
            "validated": len(corpus.questions or ()),
            "words": len(vocabulary),
        },
    }
    where, folder = choose_device(device), checkpoints(out)
    encoder, losses = pretrain(
        documents, reader, vocabulary, settings, where, progress, folder / "pretraining", facts
    )
    learner, history = fine_tune(
        encoder, corpus, reader, len(vocabulary), settings, progress, folder / "fine-tuning", facts
    )
    return learner.finish(
        history,
        data,
        ready.known,
        settings,
        {**facts, "pretraining losses": [round(loss, 5) for loss in losses]},
        learner.batches,
        lambda report: save(out, learner.mpbert.cpu(), vocabulary, report),
    )


def _corpus(
    data: RerankingData,
    ready: Prepared,
    texts: Mapping[str, FullText],
    settings: MpBertSettings,
    out: Path,
) -> Corpus:
    """Collects what is fine-tuned on; `texts` by canonical id. Raises InputError where there is nothing."""
    known, graph = ready.known, ready.graph
    examples, history = _examples(data.train, known, graph, ready.asking, settings)
    if not examples:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts of known years, and the papers that they cite",
        )
    papers = Papers(lambda paper_id: texts.get(known.canonical(paper_id)), settings.sampled)
    return Corpus(
        graph,
        examples,
        history,
        Manuscripts(texts),
        lambda row: papers(graph.papers[row]),
        ready.asking.to_validate(data.val),
    )


def _documents(ready: Prepared, texts: Mapping[str, FullText], newest: int) -> list[list[str]]:
    """Returns the documents of pre-training: of papers up to the year `newest`."""
    papers = ready.graph.papers[: ready.graph.not_newer(newest)]
    until = {ready.known.canonical(paper.id): paper for paper in papers}
    return documents_of(
        (paper for key, paper in until.items() if key not in texts),
        {key: text for key, text in texts.items() if key in until},
    )


def _examples(
    contexts: Sequence[Context],
    known: KnownPapers,
    graph: CitationGraph,
    asking: Questions,
    settings: MpBertSettings,
) -> tuple[list[Example], History]:
    """Makes examples and their history. Cited papers that count are known, not newer than the sentence and,
    if so set, not held out: these are neither targets nor positives nor negatives."""
    examples: list[Example] = []
    together = []
    for context in contexts:
        query, cited = asking.question(context)
        if settings.held_out:
            cited = [row for row in cited if known.canonical(graph.papers[row].id) not in known.held_out]
        if not cited or query.year is None:
            continue
        together.append(CitedTogether(tuple(sorted(set(cited))), query.year))
        examples += examples_of(query, cited)
    cited_once = sorted({row for context in together for row in context.cited})
    return examples, History(together, cited_once, settings.seed, settings.sentence_first)


# Pre-training and fine-tuning ----------------------------------------------------------------------------


_FIRST_RATE = {"pretraining": 1e-7, "fine-tuning": 1e-9}
"""Learning rates of the first step (table 2)."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Holds what a network is fine-tuned on."""

    graph: CitationGraph
    examples: Sequence[Example]
    history: History
    manuscripts: Callable[[Query], Text]
    paper: Callable[[int], Text]
    """The text of a row of the graph."""
    questions: Sequence[ValidationQuestion] | None = None
    """For validation after each epoch; None: there is none, and the last weights are kept."""


def documents_of(papers: Iterable[Paper], full_texts: Mapping[str, FullText]) -> list[list[str]]:
    """Returns sentences of the full texts and, of papers without one, of the abstracts; in order of the
    ids."""
    documents = {
        key: [sentence.text for sentence in text.sentences if sentence.text.strip()]
        for key, text in full_texts.items()
    }
    documents |= {
        paper.id: split(paper.abstract)
        for paper in papers
        if paper.id not in documents and paper.abstract.strip()
    }
    return [documents[key] for key in sorted(documents)]


def pretrain(
    documents: Sequence[Sequence[str]],
    reader: Reader,
    vocabulary: Vocabulary,
    settings: MpBertSettings,
    device: torch.device,
    progress: Progress,
    folder: Path | None = None,
    task: Mapping[str, Any] | None = None,
) -> tuple[Encoder, list[float]]:
    """Returns an encoder that has predicted masked sentences of `documents`, and its loss by epoch. `folder`
    and `task`: as in `train_network`."""
    torch.manual_seed(settings.seed)
    encoder = Encoder(len(vocabulary), settings.shape, settings.dropout).to(device)
    decoder = Decoder(len(vocabulary), settings.shape, settings.dropout).to(device)
    learner = PretrainingLearner(encoder, decoder, documents, reader, vocabulary, settings)
    if not settings.pretraining or not learner.batches:
        return encoder, []
    rate = inverse_square_root(settings.pretraining_rate, settings.warm_up, _FIRST_RATE["pretraining"])
    plan = Plan.of_epochs(settings.pretraining, learner.batches, settings.seed, rate=rate, clip=settings.clip)
    losses = train_network(learner, plan, progress, folder, task)
    return encoder, losses.means(learner.batches)


def fine_tune(
    start: Encoder,
    corpus: Corpus,
    reader: Reader,
    words: int,
    settings: MpBertSettings,
    progress: Progress,
    folder: Path | None = None,
    task: Mapping[str, Any] | None = None,
) -> tuple[MpBertLearner, Losses]:
    """Returns both encoders from `start`, fine-tuned with the objective of the settings. `words`: size of the
    vocabulary; `folder` and `task`: as in `train_network`."""
    network = MpBert(words, settings.shape, settings.dropout).to(start.norm.weight.device)
    network.start_from(start)
    learner = MpBertLearner(network, reader, corpus, settings, progress)
    plan = Plan.of_epochs(
        settings.epochs,
        learner.batches,
        settings.seed,
        validate_every=0 if corpus.questions is None else 1,
        rate=inverse_square_root(settings.learning_rate, settings.warm_up, _FIRST_RATE["fine-tuning"]),
        clip=settings.clip,
    )
    return learner, train_network(learner, plan, progress, folder, task)


# Pre-training ----------------------------------------------------------------------------------------------


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
        settings: MpBertSettings,
    ) -> None:
        network = nn.ModuleDict({"encoder": encoder, "decoder": decoder})
        optimizer = torch.optim.AdamW(
            network.parameters(), settings.pretraining_rate, weight_decay=settings.weight_decay
        )
        super().__init__(network, [optimizer])
        self._encoder, self._decoder = encoder, decoder
        self._documents = [document for document in documents if len(document) > 1]
        self._reader, self._vocabulary = reader, vocabulary
        self._settings = settings
        self._device = encoder.norm.weight.device
        self.units_a_step = max(1, min(settings.pretraining_batch, len(self._documents)))
        self.batches = -(-len(self._documents) // self.units_a_step)
        """Batches of an epoch; 0 without documents of two sentences or more."""

    def loss(self, batch: int) -> Tensor:
        """Computes the mean cross-entropy of the words of the masked sentences."""
        epoch, position = divmod(batch, self.batches)
        rng = np.random.default_rng((self._settings.seed, epoch))
        order = rng.permutation(len(self._documents))
        size = self.units_a_step
        chosen = [
            self._part(position_of, epoch)
            for position_of in order[position * size : (position + 1) * size].tolist()
        ]
        inputs, there = (document.to(self._device) for document in self._reader.documents(chosen))
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
    """Draws which sentences [b, s] are masked, each with probability `share`, and at least one of each
    document; and a number in [0, 1) that decides how. Draws from torch's generator."""
    chances = torch.rand(there.shape, device=there.device).masked_fill(~there, 2.0)
    masked = chances < share
    masked[torch.arange(len(there), device=there.device), chances.argmin(dim=1)] = True
    return masked, torch.rand(there.shape, device=there.device)


# Fine-tuning -----------------------------------------------------------------------------------------------


class MpBertLearner(RerankingLearner):
    """`network` is on its device. Sentences, positives and negatives are drawn anew in each epoch."""

    unit = "citations"
    first_stage_weights = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)

    def __init__(
        self, network: MpBert, reader: Reader, corpus: Corpus, settings: MpBertSettings, progress: Progress
    ) -> None:
        super().__init__(network, corpus.graph, corpus.questions or (), progress)
        self.optimizers = [
            torch.optim.AdamW(
                network.parameters(), settings.learning_rate, (0.9, 0.98), weight_decay=settings.weight_decay
            )
        ]
        self.mpbert, self._reader = network, reader
        self._device = network.manuscript.norm.weight.device
        self._examples, self._history = corpus.examples, corpus.history
        self._manuscript_of, self._paper_of = corpus.manuscripts, corpus.paper
        self._settings = settings
        self._manuscripts = Sampling(settings.sampled.manuscript, settings.dynamic, settings.seed)
        self._papers = Sampling(settings.sampled.body, settings.dynamic, settings.seed)
        self.units_a_step = min(settings.batch, len(corpus.examples))
        self.batches = -(-len(corpus.examples) // self.units_a_step)
        """Batches of an epoch."""

    def loss(self, batch: int) -> Tensor:
        """Returns the objective. Each cited paper is encoded once for all examples of the batch."""
        epoch, position = divmod(batch, self.batches)
        order = np.random.default_rng((self._settings.seed, epoch)).permutation(len(self._examples))
        size = self.units_a_step
        numbers = order[position * size : (position + 1) * size].tolist()
        chosen = [self._examples[number] for number in numbers]
        most = 0 if self._settings.objective == "triplet" else self._settings.positives
        drawn = [
            self._history.draw(example, most, self._settings.negatives, epoch, number)
            for example, number in zip(chosen, numbers, strict=True)
        ]
        used = sorted(
            {example.target for example in chosen}.union(*(of.positives + of.negatives for of in drawn))
        )
        texts = [self._papers.draw(self._paper_of(row), epoch) for row in used]
        papers: Tensor = self.mpbert.citation(*self._read(texts))
        manuscripts = [
            self._manuscripts.draw(self._manuscript_of(example.query), epoch) for example in chosen
        ]
        sources: Tensor = self.mpbert.manuscript(*self._read(manuscripts))
        at = {row: number for number, row in enumerate(used)}
        targets = papers[[at[example.target] for example in chosen]]
        negatives = papers[torch.tensor([[at[row] for row in of.negatives] for of in drawn])]
        if self._settings.objective == "triplet":
            near, to = (vectors[:, None].expand_as(negatives).flatten(0, 1) for vectors in (sources, targets))
            return triplet_margin(near, to, negatives.flatten(0, 1), self._settings.margin)
        positions, present = _padded(drawn, at, max(most, 1))
        objective = self._settings.objective
        return multi_positive_triplet(
            objective, sources, targets, papers[positions], present.to(self._device), negatives
        )

    def scorer(self) -> Scorer:
        """Returns the network as it is now."""
        settings = self._settings
        return Scorer(self.mpbert, self._reader, settings.sampled, settings.dynamic, settings.seed)

    def _read(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        sentences, there = self._reader.documents(texts)
        return sentences.to(self._device), there.to(self._device)

    def _scoring(self) -> Scores:
        scorer = self.scorer()

        def scores(question: ValidationQuestion) -> NDArray[np.float32]:
            papers = [self._paper_of(row) for row in question.candidates]
            return scorer.scores(self._manuscript_of(question.query), papers)

        return scores


def _padded(drawn: Sequence[Drawn], at: dict[int, int], most: int) -> tuple[Tensor, Tensor]:
    """[n, most] places of the positives among the encoded papers, and which of them there are."""
    positions = torch.zeros(len(drawn), most, dtype=torch.long)
    present = torch.zeros(len(drawn), most, dtype=torch.bool)
    for row, of in enumerate(drawn):
        for column, positive in enumerate(of.positives):
            positions[row, column], present[row, column] = at[positive], True
    return positions, present
