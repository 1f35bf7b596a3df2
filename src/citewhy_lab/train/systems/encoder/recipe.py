"""The recipe of the encoder that ships: all-MiniLM-L6-v2, fine-tuned on citations.

A sentence transformer knows which texts are paraphrases. A citing sentence is seldom a paraphrase of the
cited paper; what it is instead is learned from the pairs of `data`, with the other papers of the batch and
mined papers (`hard_negatives`) as negatives, and InfoNCE as the loss. `docs/training.md` has the reasons.
"""

from __future__ import annotations

import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.models import check_new
from citewhy.search.encode.texts import paper_text, query_text
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train import processes
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.devices import DeviceName, choose_device
from citewhy_lab.train.loop import Plan, train_network
from citewhy_lab.train.requirements import START_SHA256, start_sha256
from citewhy_lab.train.schedules import linear
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.encoder.batches import Batches
from citewhy_lab.train.systems.encoder.data import pairs
from citewhy_lab.train.systems.encoder.export import export, sentence_encoder
from citewhy_lab.train.systems.encoder.fields import Fields, pairs_of_fields
from citewhy_lab.train.systems.encoder.learner import EncoderLearner
from citewhy_lab.train.systems.encoder.network import TextModel, interpolate
from citewhy_lab.train.systems.encoder.settings import TOKENS, Settings

__all__ = ["train_encoder"]

_COMPARED = 200
"""Texts on which the exported model is compared with the trained network."""

_TOLD = 25
"""The manifest has the mean loss over each so many steps."""


def train_encoder(
    data: Path,
    start: Path,
    out: Path,
    settings: Settings,
    progress: Progress,
    device: DeviceName = "auto",
    fields: Fields = Fields(),  # noqa: B008 # immutable
) -> dict[str, Any]:
    """Trains on the folder `data` and on `fields`, from the weights in `start`, and writes the encoder `out`.

    A training that was begun for the same `out`, with the same data, weights and settings, is resumed; only
    `trained_share` may be another one.
    Returns what was measured. Raises InputError for data, weights or an `out` that cannot be used,
    StorageError.
    """
    check_new(out)
    progress("reading the data", None)
    collection = Collection(data)
    found = pairs(collection, settings.until) | pairs_of_fields(fields, progress)
    if not found:
        raise InputError(
            f"there is nothing to learn from up to {settings.until}",
            path=data,
            hint="give a later year with --until, or data with older citing papers",
        )
    task = {
        "settings": {name: value for name, value in asdict(settings).items() if name != "trained_share"},
        "data": {kind: file_facts(path) for kind, path in collection.files.items()} | fields.facts(),
        "start": start_sha256(start),
        "tokens": dict(TOKENS),
    }
    model = TextModel(start)
    model.network.to(choose_device(device))
    batches = Batches(found, settings, processes.of())
    learner = EncoderLearner(model, collection, found, settings, batches, progress)
    plan = Plan(
        settings.steps,
        settings.seed,
        rate=linear(settings.learning_rate, settings.steps, settings.warm_up),
        clip=settings.clip,
        checkpoint_every=settings.checkpoint_every,
    )
    history = train_network(learner, plan, progress, checkpoints(out), task)
    losses = [round(loss, 4) for loss in history.means(_TOLD)]
    progress("writing the encoder", None)
    known = task["start"] == START_SHA256
    facts = {
        "origin": {
            "model": "all-MiniLM-L6-v2" if known else start.name,
            "licence": "Apache-2.0" if known else None,
            "sha256": task["start"],
        },
        "settings": asdict(settings),
        "data": task["data"],
        "pairs": {source: len(each) for source, each in found.items()},
        "losses": losses,
        "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
    }
    report = {"pairs": facts["pairs"], "loss": losses[-1]}
    if not processes.is_first():
        return report
    model.network.cpu()
    interpolate(model.network, TextModel(start).network, settings.trained_share)
    name = f"citewhy encoder (citing papers up to {settings.until})"
    exported = sentence_encoder(model, start / "tokenizer.json")
    agreed = export(exported, out, name, facts, _texts(collection, settings))
    return {**report, "agreement": agreed}


def _texts(collection: Collection, settings: Settings) -> list[str]:
    """Papers and citing sentences, half and half where there are as many."""
    rng = random.Random(settings.seed)
    papers = list(collection.papers.values())
    chosen = rng.sample(papers, min(_COMPARED // 2, len(papers)))
    found = pairs(collection, settings.until).get("context", [])
    asked = rng.sample(found, min(_COMPARED // 2, len(found)))
    return [paper_text(paper) for paper in chosen] + [query_text(pair.query) for pair in asked]
