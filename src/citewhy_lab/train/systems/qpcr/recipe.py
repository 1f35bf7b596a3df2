"""The recipe of QPCR and of the systems that the source compares it with: from paragraphs to an encoder."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.models import check_new
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.loop import Plan, train_network
from citewhy_lab.train.requirements import start_sha256
from citewhy_lab.train.schedules import linear
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.encoder.export import export, sentence_encoder
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.qpcr.data import Example, examples
from citewhy_lab.train.systems.qpcr.encoder import READER
from citewhy_lab.train.systems.qpcr.learner import QpcrLearner
from citewhy_lab.train.systems.qpcr.network import LastLayers, readable
from citewhy_lab.train.systems.qpcr.settings import TOKENS, TOPIC_MARK, TRAINED, Settings
from citewhy_lab.train.systems.qpcr.validation import Validation

__all__ = ["Paragraphs", "fit", "marked_tokenizer", "train_qpcr", "validated"]

_COMPARED = 100
"""Papers on which the exported model is compared with the trained network."""

_UNUSED = "[unused1]"


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """Files of paragraphs: `train` of those that are learned from, `val` of those for early stopping."""

    train: tuple[Path, ...]
    val: tuple[Path, ...]


def train_qpcr(
    data: Path, paragraphs: Paragraphs, start: Path, out: Path, settings: Settings, progress: Progress
) -> dict[str, Any]:
    """Trains from the weights in `start`, and writes the encoder `out`; the variants that are not in
    `TRAINED` are written without training.

    `data` is a folder with papers and citations (`train.collection`). A training that was begun for the same
    `out`, with the same data, weights and settings, is resumed. Returns what was measured. Raises InputError
    for data, weights or an `out` that cannot be used, StorageError.
    """
    check_new(out)
    progress("reading the data", None)
    collection = Collection(data)
    taught = examples(paragraphs.train, collection, collection.held_out)
    held = examples(paragraphs.val, collection)
    if settings.variant == "aclrw":
        taught = [each.as_whole() for each in taught if each.query.title]
    if not taught or not held:
        raise InputError(
            "the files have no paragraph that cites a paper of the data", path=data, hint="add papers.jsonl"
        )
    task = {
        "settings": asdict(settings),
        "data": [
            file_facts(path) for path in (*paragraphs.train, *paragraphs.val, *collection.files.values())
        ],
        "start": start_sha256(start),
        "tokens": TOKENS,
    }
    with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch:
        tokenizer = Path(scratch) / "tokenizer.json"
        marked_tokenizer(start / "tokenizer.json", tokenizer)
        model = TextModel(start, tokenizer)
        network = LastLayers(model, settings.layers)
        validation = validated(collection, held, settings)
        history = fit(network, collection, taught, validation, settings, progress, checkpoints(out), task)
        progress("writing the encoder", None)
        form = "whole" if settings.variant == "base" else "topic"
        facts = {
            "paragraphs": form,
            **{name: value for name, value in task.items() if name != "tokens"},
            "start name": start.name,
            "examples": {"train": len(taught), "val": len(held)},
            **history,
            "software": {**software(), "torch": str(torch.__version__), "threads": torch.get_num_threads()},
        }
        rng = random.Random(settings.seed)
        known = sorted(collection.papers)
        texts = [
            paper_text(collection.papers[each]) for each in rng.sample(known, min(_COMPARED, len(known)))
        ]
        model.network.requires_grad_(False)
        name, tokens = f"{settings.variant} encoder", readable(model)
        exported = sentence_encoder(model, tokenizer, tokens, READER)
        agreed = export(exported, out, name, facts, texts)
    return {**history, "examples": facts["examples"], "agreement": agreed}


def marked_tokenizer(given: Path, target: Path) -> None:
    """Writes a tokenizer in which an unused entry of the vocabulary is the special token `TOPIC_MARK`.

    Raises InputError for a tokenizer that has no unused entry.
    """
    content = json.loads(given.read_text(encoding="utf-8"))
    vocabulary = content.get("model", {}).get("vocab")
    if not isinstance(vocabulary, dict) or _UNUSED not in vocabulary:
        raise InputError(
            f"the vocabulary has no entry {_UNUSED} for {TOPIC_MARK}",
            path=given,
            hint="start from a BERT model with the vocabulary of BERT",
        )
    place = vocabulary.pop(_UNUSED)
    vocabulary[TOPIC_MARK] = place
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content["added_tokens"].append({"id": place, "content": TOPIC_MARK, **flags})
    content["added_tokens"].sort(key=lambda each: each["id"])
    target.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def validated(collection: Collection, held: Sequence[Example], settings: Settings) -> Validation:
    """The paragraphs `held`, among the papers that they and their papers cite, and others not newer."""
    everything = _drawn_from(collection, held)
    pool = {paper_id for each in held for paper_id in (*each.positives, *each.references)}
    pool &= collection.papers.keys()
    pool |= set(random.Random(settings.seed).sample(everything, min(settings.pool, len(everything))))
    return Validation(held, collection.papers, sorted(pool))


def _drawn_from(collection: Collection, held: Sequence[Example]) -> list[str]:
    """Papers with an abstract that are not held out, and not newer than the paragraphs."""
    latest = max((each.query.year or 0 for each in held), default=0) or None
    return [
        paper_id
        for paper_id, paper in sorted(collection.papers.items())
        if paper.abstract and paper_id not in collection.held_out
        if latest is None or (paper.year is not None and paper.year <= latest)
    ]


def fit(
    network: LastLayers,
    collection: Collection,
    taught: Sequence[Example],
    validation: Validation,
    settings: Settings,
    progress: Progress,
    folder: Path | None = None,
    task: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Trains `network` on the paragraphs `taught`, with early stopping by `validation`. Returns losses and
    validations; for a variant without training, nothing.

    Checkpoints are in `folder` (None: there are none); `task` says what is trained (`train_network`). Without
    checkpoints of another training, the result depends on the weights of `network` and the arguments alone.
    """
    if settings.variant not in TRAINED:
        return {}
    torch.manual_seed(settings.seed)
    everything = _drawn_from(collection, validation.held)
    learner = QpcrLearner(network, taught, validation, collection.papers, everything, settings)
    steps = settings.epochs * learner.batches
    plan = Plan.of_epochs(
        settings.epochs,
        learner.batches,
        settings.seed,
        validate_every=1,
        patience=settings.patience,
        rate=linear(settings.learning_rate, steps, settings.warm_up),
        clip=settings.clip,
    )
    with torch.no_grad():
        before = learner.validate()
    progress(f"R-precision before training: {before:.4f}", None)
    history = train_network(learner, plan, progress, folder, task)
    return {
        "pool": len(validation.pool),
        "R-precision before": round(before, 4),
        "R-precision by epoch": [round(each.score, 4) for each in history.validations],
        "losses": [round(loss, 4) for loss in history.means(learner.batches)],
    }
