"""Pre-training and fine-tuning of a network: what the recipe and the experiment have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from citewhy.base.progress import Progress
from citewhy.base.records import FullText, Paper, Query
from citewhy.text.sentences import split
from citewhy_lab.train.loop import History as Losses
from citewhy_lab.train.loop import Plan, train_network
from citewhy_lab.train.reranking.data import Question
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.schedules import inverse_square_root
from citewhy_lab.train.systems.mpbert4cr.data import Example, History
from citewhy_lab.train.systems.mpbert4cr.learner import MpBertLearner
from citewhy_lab.train.systems.mpbert4cr.network import Decoder, Encoder, MpBert
from citewhy_lab.train.systems.mpbert4cr.pretraining import PretrainingLearner
from citewhy_lab.train.systems.mpbert4cr.reading import Reader, Vocabulary
from citewhy_lab.train.systems.mpbert4cr.settings import Settings
from citewhy_lab.train.systems.mpbert4cr.texts import Text

__all__ = ["Corpus", "documents_of", "fine_tune", "pretrain"]

_FIRST_RATE = {"pretraining": 1e-7, "fine-tuning": 1e-9}
"""Learning rates of the first step (table 2)."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a network is fine-tuned on."""

    graph: CitationGraph
    examples: Sequence[Example]
    history: History
    manuscripts: Callable[[Query], Text]
    paper: Callable[[int], Text]
    """The text of a row of the graph."""
    questions: Sequence[Question] | None = None
    """For validation after each epoch; None: there is none, and the last weights are kept."""


def documents_of(papers: Iterable[Paper], full_texts: Mapping[str, FullText]) -> list[list[str]]:
    """Sentences of the full texts and, of papers without one, of the abstracts; in order of the ids."""
    found = {
        key: [each.text for each in text.sentences if each.text.strip()] for key, text in full_texts.items()
    }
    found |= {
        each.id: split(each.abstract) for each in papers if each.id not in found and each.abstract.strip()
    }
    return [found[key] for key in sorted(found)]


def pretrain(
    documents: Sequence[Sequence[str]],
    reader: Reader,
    vocabulary: Vocabulary,
    settings: Settings,
    device: torch.device,
    progress: Progress,
    folder: Path | None = None,
    task: Mapping[str, Any] | None = None,
) -> tuple[Encoder, list[float]]:
    """An encoder that has predicted masked sentences of `documents`, and its loss by epoch. `folder` and
    `task`: as in `train_network`."""
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
    settings: Settings,
    progress: Progress,
    folder: Path | None = None,
    task: Mapping[str, Any] | None = None,
) -> tuple[MpBertLearner, Losses]:
    """Both encoders from `start`, fine-tuned with the objective of the settings. `words`: size of the
    vocabulary; `folder` and `task`: as in `train_network`."""
    network = MpBert(words, settings.shape, settings.dropout).to(start.norm.weight.device)
    network.start_from(start)
    learner = MpBertLearner(
        network,
        reader,
        corpus.graph,
        corpus.examples,
        corpus.history,
        corpus.manuscripts,
        corpus.paper,
        settings,
        corpus.questions or (),
        progress,
    )
    plan = Plan.of_epochs(
        settings.epochs,
        learner.batches,
        settings.seed,
        validate_every=0 if corpus.questions is None else 1,
        rate=inverse_square_root(settings.learning_rate, settings.warm_up, _FIRST_RATE["fine-tuning"]),
        clip=settings.clip,
    )
    return learner, train_network(learner, plan, progress, folder, task)
