"""The recipe of the classifier of intents, made on the parts of the recipe of all classifiers.

SciCite's intents and ACL-ARC's functions are learned together, one head each, so that each set of labels
helps the other (`docs/training.md` has what that and what else was tried brought).
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from citewhy.artifact import folder_aside
from citewhy.classify.features import Features
from citewhy.classify.fine_tuned import READER
from citewhy.classify.linear import LinearClassifier
from citewhy.classify.scaling import Scaling
from citewhy.errors import QueryError
from citewhy.evaluate.classification import f1_by_label, macro_f1
from citewhy.evaluate.datasets.aspects import SEEN, seen_mark
from citewhy.evaluate.datasets.intents import LABELS
from citewhy.evaluate.making import file_facts, software
from citewhy.models import check_new, write_model
from citewhy.progress import Tell
from citewhy.systems.intent.data import IN_CONTEXT, Labelled, labelled, multicite
from citewhy.systems.intent.export import write_files
from citewhy.systems.intent.learner import IntentLearner, plan
from citewhy.systems.intent.network import IntentNetwork, Tokens, scores
from citewhy.systems.intent.scaffolds import SCAFFOLDS, Sources, scaffolds
from citewhy.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, Settings
from citewhy.train.classifier.data import Data
from citewhy.train.classifier.examples import Example
from citewhy.train.classifier.linear import fit_linear
from citewhy.train.classifier.quality import calibration_error, fit_scaling
from citewhy.train.classifier.settings import ClassifierSettings
from citewhy.train.loop import train_network
from citewhy.train.requirements import start_sha256
from citewhy.train.scratch import checkpoints
from citewhy.train.vocabulary import keep_tokens

__all__ = ["is_held_out", "train_intent"]

_ADJUSTED = 0.3
"""Share of the logarithm of a label's share that its scores are lowered by; the best of 0, .15, .3 and .5 on
the papers held out from training."""

_LEAST_SHARE = 0.005

_BY_WORDS = "intent"
"""The head that a linear classifier of words helps. It did not help the functions, of which there are a tenth
as many examples."""

_MARKED = ("function",)
"""Heads whose examples mark the citation that is labelled; SciCite's training file does not."""

_FEATURES = Features(words={"text": 2}, letters={"text": 4}, cues=("text",))
"""Of the linear classifier of the intents: words and pairs of words, runs of four letters, cues."""

_LEAST = 20
"""Number of times that a token must occur to be kept."""


_NO_SOURCES = Sources()


def train_intent(
    data: Path,
    start: Path,
    out: Path,
    settings: Settings,
    tell: Tell,
    more: Sequence[Path] = (),
    texts: Sequence[str] = (),
    sources: Sources = _NO_SOURCES,
) -> dict[str, Any]:
    """Trains on the citations in `data` (task ``intent``) and `more` (MultiCite), from the weights of the
    BERT folder `start`, writes the classifier `out`, and returns the facts of its manifest.

    Before, the network learns the scaffolds of `sources`, if there are any. `texts` are further texts whose
    words are kept in the vocabulary. An interrupted training is resumed. Raises InputError for data or an
    `out` that cannot be used, QueryError if all examples of a head are held out, StorageError.
    """
    check_new(out)
    tell("reading the citations", None)
    added = [each for path in more for each in multicite(path, settings.multicite_weight)]
    examples = [*labelled(data), *added]
    held = [each for each in examples if is_held_out(each.example.group, settings) and each.weight == 1]
    taught = [each for each in examples if not is_held_out(each.example.group, settings)]
    for head in LABELS:
        if not {each.head for each in held} & {head} or not {each.head for each in taught} & {head}:
            raise QueryError(f"too few citations with labels of {head}", hint="give more papers")
    first = scaffolds(sources, settings)
    task: dict[str, Any] = {
        "settings": settings.document(),
        "data": [file_facts(path) for path in (data, *more)],
        "scaffolds": [file_facts(path) for path in sources.files],
        "start": start_sha256(start),
    }
    tokens = Tokens(start / "tokenizer.json", settings.tokens, settings.context)
    network = IntentNetwork(start, sum(map(len, LABELS.values())), settings)
    if first:
        scaffold = IntentNetwork(start, sum(map(len, SCAFFOLDS.values())), settings)
        learner = IntentLearner(scaffold, tokens, first, SCAFFOLDS, settings)
        folder = checkpoints(out) / "scaffolds"
        train_network(learner, plan(learner, settings.scaffold_epochs, settings), tell, folder, task)
        learner.take_average()
        network.encoder.load_state_dict(scaffold.encoder.state_dict())
    learner = IntentLearner(network, tokens, taught, LABELS, settings)
    folder = checkpoints(out) / "citations"
    train_network(learner, plan(learner, settings.epochs, settings), tell, folder, task)
    learner.take_average()
    tell("learning words", None)
    words = _words([each.example for each in taught if each.head == _BY_WORDS], settings)
    tell("calibrating", None)
    heads, quality = _calibrated(network, tokens, held, words)
    facts = {
        **task,
        "examples": dict(Counter(each.head for each in [*first, *taught])),
        SEEN: sorted({seen_mark(each.example.group) for each in examples if " " not in each.example.group}),
        "held_out": {"examples": dict(Counter(each.head for each in held)), **quality},
        "software": software(),
    }
    tell("writing the classifier", None)
    known = (each.example.sentence.text for each in examples)
    counts = Counter(number for text in chain(known, texts) for number in tokens.ids(text))
    marks = (TARGET_TOKEN, OTHER_TOKEN)
    tokenizer = keep_tokens(network.encoder, start / "tokenizer.json", counts, _LEAST, marks)
    context = dict.fromkeys(IN_CONTEXT, settings.context)
    with folder_aside(out) as folder:
        write_files(folder, network, tokenizer, settings.tokens, heads, _MARKED, context, words)
        write_model(folder, "classifier", READER, "intents of citations", facts)
    return facts


def is_held_out(group: str, settings: Settings) -> bool:
    """The same on every machine, unlike Python's hash."""
    return zlib.crc32(group.encode()) % settings.held_out == 0


def _words(examples: Sequence[Example], settings: Settings) -> dict[str, tuple[float, LinearClassifier]]:
    """The linear classifier beside the network, by head, with its weight."""
    if not settings.words:
        return {}
    data = Data.of(examples, _FEATURES, LABELS[_BY_WORDS])
    options = ClassifierSettings(features=_FEATURES)
    return {_BY_WORDS: (settings.words, fit_linear(data, options, settings.words_penalty))}


def _calibrated(
    network: IntentNetwork,
    tokens: Tokens,
    held: Sequence[Labelled],
    words: Mapping[str, tuple[float, LinearClassifier]],
) -> tuple[Mapping[str, tuple[Sequence[str], Scaling]], dict[str, Any]]:
    """The labels and the scaling of each head, and the quality on the held-out examples.

    The scores of the functions, of which some are rare, are adjusted to the shares of the labels (Menon et
    al., Long-Tail Learning via Logit Adjustment, 2021), which favours macro-F1; the scaling undoes it.
    """
    found: dict[str, tuple[Sequence[str], Scaling]] = {}
    quality: dict[str, Any] = {}
    start = 0
    for head, names in LABELS.items():
        columns = slice(start, start + len(names))
        start += len(names)
        asked = [each.example for each in held if each.head == head]
        given = scores(network, tokens, [each.sentence for each in asked])[:, columns]
        if head in words:
            weight, linear = words[head]
            given = given + weight * linear.scores([each.sentence for each in asked])
        right = [each.labels for each in asked]
        truth = np.array([[name in each for name in names] for each in right], dtype=np.float64)
        if head == "function":
            shifts = -_ADJUSTED * np.log(truth.mean(axis=0) + _LEAST_SHARE)
            network.shift(columns, shifts)
            given = given + shifts
        answers = [names[place] for place in given.argmax(axis=1).tolist()]
        scaling = fit_scaling(given, truth)
        chances = scaling(given).astype(np.float64)
        hits = truth[np.arange(len(truth)), chances.argmax(axis=1)] > 0
        found[head] = (names, scaling)
        quality[head] = {
            "macro-F1": round(macro_f1(answers, right), 4),
            "F1": {name: round(value, 4) for name, value in f1_by_label(answers, right).items()},
            "calibration error": round(calibration_error(chances.max(axis=1), hits), 4),
        }
    return found, quality
