"""The recipe of the classifier of intents, made on the parts of the recipe of all classifiers.

SciCite's intents and ACL-ARC's functions are learned together, one head each, so that each set of labels
helps the other (`docs/training.md` has what that and what else was tried brought). A network is trained for
each fold of a cross-validation, and one on all examples, which is written.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import check_new, write_model
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.fine_tuned import READER
from citewhy.ranking.classify.scaling import Scaling
from citewhy_lab.evaluate.datasets.aspects import SEEN, seen_mark
from citewhy_lab.evaluate.datasets.intents import LABELS
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.classifier.data import Data, Doubles, Parts
from citewhy_lab.train.classifier.quality import fit_scaling, quality
from citewhy_lab.train.loop import train_network
from citewhy_lab.train.requirements import start_sha256
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.intent.beside import Beside, cross_fitted, fitted
from citewhy_lab.train.systems.intent.data import IN_CONTEXT, Labelled, labelled, multicite
from citewhy_lab.train.systems.intent.export import write_files
from citewhy_lab.train.systems.intent.learner import IntentLearner, plan
from citewhy_lab.train.systems.intent.network import IntentNetwork, Tokens, scores
from citewhy_lab.train.systems.intent.scaffolds import SCAFFOLDS, Sources, scaffolds
from citewhy_lab.train.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, Settings
from citewhy_lab.train.vocabulary import keep_tokens

__all__ = ["fold_of", "train_intent"]

_ADJUSTED = 0.3
"""Share of the logarithm of a label's share that its scores are lowered by; the best of 0, .15, .3 and .5 on
papers held out from training."""

_LEAST_SHARE = 0.005

_MARKED = ("function",)
"""Heads whose examples mark the citation that is labelled; SciCite's training file does not."""

_LEAST = 20
"""Number of times that a token must occur to be kept."""

_NO_SOURCES = Sources()


def train_intent(
    data: Path,
    start: Path,
    out: Path,
    settings: Settings,
    progress: Progress,
    more: Sequence[Path] = (),
    texts: Sequence[str] = (),
    sources: Sources = _NO_SOURCES,
    papers: Path | None = None,
) -> dict[str, Any]:
    """Trains on the citations in `data` (task ``intent``) and `more` (MultiCite), from the weights of the
    BERT folder `start`, writes the classifier `out`, and returns the facts of its manifest.

    Before, the network learns the scaffolds of `sources`, if there are any. `texts` are further texts whose
    words are kept in the vocabulary; the authors of the file `papers` tell which cited works are their own.
    An interrupted training is resumed. Raises InputError for data or an `out` that cannot be used, QueryError
    if all examples of a head are in one fold, StorageError.
    """
    check_new(out)
    progress("reading the citations", None)
    asked = labelled(data, papers)
    every = [*asked, *(each for path in more for each in multicite(path, settings.multicite_weight))]
    for head in LABELS:
        if len({fold_of(each, settings) for each in asked if each.head == head}) < 2:
            raise QueryError(f"too few citations with labels of {head}", hint="give more papers")
    first = scaffolds(sources, settings)
    files = (data, *more, *([] if papers is None else [papers]))
    task: dict[str, Any] = {
        "settings": settings.document(),
        "data": [file_facts(path) for path in files],
        "scaffolds": [file_facts(path) for path in sources.files],
        "start": start_sha256(start),
    }
    networks = _Networks(start, checkpoints(out), settings, task, progress)
    networks.learn_scaffolds(first)
    folds = np.array([fold_of(each, settings) for each in asked])
    given = np.zeros((len(asked), sum(map(len, LABELS.values()))))
    for fold in np.unique(folds).tolist():
        others = [each for each in every if fold_of(each, settings) != fold]
        network = networks.trained(others, f"fold {fold}")
        progress(f"scoring the citations of fold {fold}", None)
        tested = np.flatnonzero(folds == fold)
        sentences = [asked[place].example.sentence for place in tested.tolist()]
        given[tested] = scores(network, networks.tokens, sentences)
    network = networks.trained(every, "all")
    progress("calibrating", None)
    heads, beside, found = _completed(network, asked, given, folds, settings)
    facts = {
        **task,
        "examples": dict(Counter(each.head for each in [*first, *every])),
        SEEN: sorted({seen_mark(each.example.group) for each in asked if " " not in each.example.group}),
        "quality": found,
        "software": software(),
    }
    progress("writing the classifier", None)
    known = (each.example.sentence.text for each in every)
    counts = Counter(number for text in chain(known, texts) for number in networks.tokens.ids(text))
    marks = (TARGET_TOKEN, OTHER_TOKEN)
    tokenizer = keep_tokens(network.encoder, start / "tokenizer.json", counts, _LEAST, marks)
    context = dict.fromkeys(IN_CONTEXT, settings.context)
    with folder_aside(out) as folder:
        write_files(folder, network, tokenizer, settings.tokens, heads, _MARKED, context, beside)
        write_model(folder, "classifier", READER, "intents of citations", facts)
    return facts


def fold_of(each: Labelled, settings: Settings) -> int:
    """The fold of an example's group: the same on every machine, unlike Python's hash."""
    return zlib.crc32(each.example.group.encode()) % settings.folds


class _Networks:
    """Trains networks with the same settings."""

    def __init__(
        self, start: Path, folder: Path, settings: Settings, task: Mapping[str, Any], progress: Progress
    ) -> None:
        """`folder` keeps the checkpoints, by name of the network."""
        self.tokens = Tokens(start / "tokenizer.json", settings.tokens, settings.context)
        self._start, self._folder, self._settings = start, folder, settings
        self._task, self._tell = task, progress
        self._encoder: Mapping[str, Any] | None = None

    def learn_scaffolds(self, examples: Sequence[Labelled]) -> None:
        """Those that are trained later begin with what the scaffolds teach; nothing without examples."""
        if examples:
            epochs = self._settings.scaffold_epochs
            self._encoder = self._learned(examples, SCAFFOLDS, epochs, "scaffolds").encoder.state_dict()

    def trained(self, examples: Sequence[Labelled], name: str) -> IntentNetwork:
        """A network for the labels of all heads."""
        return self._learned(examples, LABELS, self._settings.epochs, name)

    def _learned(
        self, examples: Sequence[Labelled], labels: Mapping[str, Sequence[str]], epochs: int, name: str
    ) -> IntentNetwork:
        network = IntentNetwork(self._start, sum(map(len, labels.values())), self._settings)
        if self._encoder is not None:
            network.encoder.load_state_dict(self._encoder)
        learner = IntentLearner(network, self.tokens, examples, labels, self._settings)
        schedule = plan(learner, epochs, self._settings)

        def told(text: str, share: float | None) -> None:
            self._tell(f"{name}: {text}", share)

        train_network(learner, schedule, told, self._folder / name, dict(self._task))
        learner.take_average()
        return network


def _completed(
    network: IntentNetwork, asked: Sequence[Labelled], given: Doubles, folds: Parts, settings: Settings
) -> tuple[dict[str, tuple[Sequence[str], Scaling]], dict[str, Beside], dict[str, Any]]:
    """The labels and the scaling of each head, what stands beside the network, and the quality in
    cross-validation; `given` [n, all labels] are the scores by the networks of the `folds` [n].

    The scores of the functions, of which some are rare, are adjusted to the shares of the labels (Menon et
    al., Long-Tail Learning via Logit Adjustment, 2021), which favours macro-F1; the scaling undoes it.
    """
    heads: dict[str, tuple[Sequence[str], Scaling]] = {}
    linear: dict[str, Beside] = {}
    found: dict[str, Any] = {}
    start = 0
    for head, names in LABELS.items():
        columns = slice(start, start + len(names))
        start += len(names)
        places = np.array([place for place, each in enumerate(asked) if each.head == head])
        examples = [asked[place].example for place in places.tolist()]
        by_network = given[places][:, columns]
        data = Data.of(examples, Features(words={}, weighting="binary"), names)
        told = cross_fitted(head, examples, by_network, folds[places], settings)
        if head == "function":
            shifts = -_ADJUSTED * np.log(data.truth.mean(axis=0) + _LEAST_SHARE)
            network.shift(columns, shifts)
            told = told + shifts
        beside = fitted(head, examples, by_network, settings)
        if beside is not None:
            linear[head] = beside
        heads[head] = names, fit_scaling(told, data.truth)
        found[head] = quality(data, told, folds[places])
    return heads, linear, found
