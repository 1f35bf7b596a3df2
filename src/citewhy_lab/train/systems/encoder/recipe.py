"""The recipe of the encoder that ships: all-MiniLM-L6-v2, fine-tuned on citations.

A sentence transformer knows which texts are paraphrases. A citing sentence is seldom a paraphrase of the
cited paper; what it is instead is learned from the pairs of `data`, with the other papers of the batch and
mined papers (`data.mine`) as negatives, and InfoNCE as the loss. `docs/training.md` has the reasons.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.search.encode.texts import paper_text, query_text
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train import processes
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.loop import Learner, Plan, linear, train_network
from citewhy_lab.train.losses import info_nce
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import START_SHA256, default_start, start_sha256
from citewhy_lab.train.systems.encoder.data import (
    Batches,
    Mined,
    Pair,
    candidates,
    facts_of_fields,
    mine,
    pairs,
    pairs_of_fields,
)
from citewhy_lab.train.systems.encoder.export import export, sentence_encoder
from citewhy_lab.train.systems.encoder.network import TextModel, interpolate
from citewhy_lab.train.systems.encoder.settings import TOKENS, EncoderInputs, EncoderSettings, Source

_COMPARED = 200
"""Texts on which the exported model is compared with the trained network."""

_BLOCK = 25
"""The manifest has the mean loss of each block of so many steps."""


def train_encoder(
    inputs: EncoderInputs,
    settings: EncoderSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Trains on the inputs, from their start weights, and writes the encoder `out`.

    A training that was begun for the same `out`, with the same data, weights and settings, is resumed; only
    `trained_share` may be another one. Raises InputError for data or weights that cannot be used,
    StorageError.
    """
    start = inputs.start or default_start()
    progress("reading the data", None)
    collection = Collection(inputs.data)
    learned = pairs(collection, settings.until) | pairs_of_fields(inputs, progress)
    if not learned:
        raise InputError(
            f"there is nothing to learn from up to {settings.until}",
            path=inputs.data,
            hint="give a later year with --until, or data with older citing papers",
        )
    files = {kind: file_facts(path) for kind, path in collection.files.items()}
    task: dict[str, Any] = {
        "settings": {name: value for name, value in asdict(settings).items() if name != "trained_share"},
        "data": files | facts_of_fields(inputs),
        "start": start_sha256(start),
        "tokens": dict(TOKENS),
    }
    model = TextModel(start)
    model.network.to(choose_device(device))
    batches = Batches(learned, settings, processes.count())
    learner = EncoderLearner(model, collection, learned, settings, batches, progress)
    history = train_network(learner, _plan(settings), progress, checkpoints(out), task)
    losses = [round(loss, 4) for loss in history.means(_BLOCK)]
    progress("writing the encoder", None)
    facts: dict[str, Any] = {
        "origin": _origin(start, task["start"]),
        "settings": asdict(settings),
        "data": task["data"],
        "pairs": {source: len(of_source) for source, of_source in learned.items()},
        "losses": losses,
        "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
    }
    if not processes.is_first():
        return Trained(facts)
    model.network.cpu()
    interpolate(model.network, TextModel(start).network, settings.trained_share)
    name = f"citewhy encoder (citing papers up to {settings.until})"
    exported = sentence_encoder(model, start / "tokenizer.json")
    agreement = export(exported, out, name, facts, _texts(collection, settings))
    counts = ", ".join(f"{number:,} {source}" for source, number in facts["pairs"].items())
    summary = (
        f"pairs      {counts}",
        f"loss       {losses[-1]:.3f} in the last steps",
        f"agreement  {agreement:.4f} mean cosine of the written encoder with the trained one",
    )
    return Trained(facts | {"agreement": agreement}, summary)


def _plan(settings: EncoderSettings) -> Plan:
    return Plan(
        settings.steps,
        settings.seed,
        rate=linear(settings.learning_rate, settings.steps, settings.warm_up),
        clip=settings.clip,
        checkpoint_every=settings.checkpoint_every,
    )


def _origin(start: Path, sha256: str) -> dict[str, str | None]:
    """Tells which weights training started from."""
    known = sha256 == START_SHA256
    return {
        "model": "all-MiniLM-L6-v2" if known else start.name,
        "licence": "Apache-2.0" if known else None,
        "sha256": sha256,
    }


def _texts(collection: Collection, settings: EncoderSettings) -> list[str]:
    """Returns papers and citing sentences, half and half where there are as many."""
    rng = random.Random(settings.seed)
    papers = list(collection.papers.values())
    chosen = rng.sample(papers, min(_COMPARED // 2, len(papers)))
    contexts = pairs(collection, settings.until).get("context", [])
    asked = rng.sample(contexts, min(_COMPARED // 2, len(contexts)))
    return [paper_text(paper) for paper in chosen] + [query_text(pair.query) for pair in asked]


class EncoderLearner(Learner):
    """`model` is on its device. The learner's state are the hard negatives of the current round."""

    def __init__(
        self,
        model: TextModel,
        collection: Collection,
        pairs: Mapping[Source, Sequence[Pair]],
        settings: EncoderSettings,
        batches: Batches,
        progress: Progress,
    ) -> None:
        super().__init__(model.network, [_optimizer(model.network, settings)])
        self._model = model
        self._settings = settings
        self._progress = progress
        self._contexts = pairs.get("context", ())
        self._batches = batches
        self._pool = candidates(collection, settings.until, settings.seed)
        self._papers = [collection.papers[paper_id] for paper_id in self._pool]
        self._negatives: Mined | None = None

    def loss(self, batch: int) -> Tensor:
        """InfoNCE between the queries and the papers of the batch."""
        texts = self._batches[batch]
        queries = self._model.vectors(texts.queries, TOKENS[texts.reads_like])
        papers = self._model.vectors(texts.papers, TOKENS["paper"])
        forbidden = torch.from_numpy(texts.forbidden).to(queries.device)
        return info_nce(queries, papers, forbidden, self._settings.temperature)

    def prepare(self, step: int) -> None:
        """At the beginning of a round, mines hard negatives of the citing sentences by the current model."""
        if step % self._settings.round_length() or not self._contexts or not self._pool:
            return
        papers = self._model.encode(
            [paper_text(paper) for paper in self._papers],
            TOKENS["paper"],
            lambda share: self._progress("encoding papers for hard negatives", share),
        )
        queries = self._model.encode(
            [query_text(pair.query) for pair in self._contexts],
            TOKENS["query"],
            lambda share: self._progress("encoding sentences for hard negatives", share),
        )
        years = [paper.year or 0 for paper in self._papers]  # candidates have a year
        self._use(mine(self._contexts, queries, self._pool, years, papers))

    def state(self) -> dict[str, Tensor]:
        return {} if self._negatives is None else {"negatives": torch.from_numpy(self._negatives)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        if "negatives" in state:
            self._use(state["negatives"].numpy())

    def _use(self, negatives: Mined) -> None:
        self._negatives = negatives
        self._batches.set_negatives(self._pool, self._papers, negatives)


def _optimizer(network: torch.nn.Module, settings: EncoderSettings) -> torch.optim.AdamW:
    """AdamW; matrices decay, biases and the scales of norms do not."""
    parameters = list(network.parameters())
    matrices = [parameter for parameter in parameters if parameter.ndim > 1]
    others = [parameter for parameter in parameters if parameter.ndim <= 1]
    groups = [
        {"params": matrices, "weight_decay": settings.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=settings.learning_rate)
