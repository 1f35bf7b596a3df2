"""The recipe of the classifier of intents, made on the parts of the recipe of all classifiers.

SciCite's intents and ACL-ARC's functions are learned together, one head each, so that each set of labels
helps the other (`docs/training.md` has what that and what else was tried brought). A network is trained for
each fold of a cross-validation, and one on all examples, which is written.

Beside the network stands a linear classifier for each head, whose scores are added to the network's. For the
intents, words, runs of letters and cues of the sentence. For the functions, of which a tenth as many examples
are labelled, whether authors cite a work of their own, and words for a purpose in the sentence and those
around it, each for its own function: both are among the features of Jurgens et al. (2018, section 4).

The training of the network: the loss of a batch of all heads, and averaged weights.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import write_model
from citewhy.ranking.classify.features import Features, Field
from citewhy.ranking.classify.fine_tuned import READER
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.scaling import Scaling
from citewhy_lab.evaluate.datasets.aspects import SEEN, seen_mark
from citewhy_lab.evaluate.datasets.intents import LABELS
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.bert import keep_tokens, texts_of
from citewhy_lab.train.classifier.data import Data, Doubles, Example, Parts, fit_scaling, quality
from citewhy_lab.train.classifier.linear import fit_beside, fit_linear
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.loop import Learner, Plan, train_network
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import default_start, start_sha256
from citewhy_lab.train.systems.intent.data import (
    IN_CONTEXT,
    SCAFFOLDS,
    Labelled,
    labelled,
    multicite,
    scaffold_files,
    scaffolds,
)
from citewhy_lab.train.systems.intent.network import IntentNetwork, Tokens, padded, scores, write_files
from citewhy_lab.train.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, IntentInputs, IntentSettings

_ADJUSTED = 0.3
"""Share of the logarithm of a label's share that its scores are lowered by; the best of 0, .15, .3 and .5 on
papers held out from training."""

_LEAST_SHARE = 0.005

_MARKED = ("function",)
"""Heads whose examples mark the citation that is labelled; SciCite's training file does not."""

_LEAST = 20
"""Number of times that a token must occur to be kept."""

Beside = tuple[float, LinearClassifier]
"""The weight of the scores, and the classifier."""

_WORDS = Features(words={"text": 2}, letters={"text": 4}, cues=("text",))

_AROUND: Sequence[Field] = ("text", "previous", "next")

_PURPOSES = Features(words={}, purposes=_AROUND, own_work=True, weighting="binary")

_FUNCTION_OF: Mapping[str, str] = {
    "future": "Future",
    "motivation": "Motivation",
    "extension": "Extends",
    "comparison": "CompareOrContrast",
    "use": "Uses",
}
_SPEAKS_FOR = {f"{field} for:{name}": label for field in _AROUND for name, label in _FUNCTION_OF.items()}


def train_intent(
    inputs: IntentInputs, settings: IntentSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> Trained:
    """Trains on labelled citations, after the scaffolds if there are any, and writes the classifier `out`.

    An interrupted training is resumed. Raises InputError for data that cannot be used, QueryError if all
    examples of a head are in one fold, StorageError.
    """
    start = inputs.start or default_start()
    progress("reading the citations", None)
    asked = labelled(inputs.data, inputs.papers)
    more = [sentence for path in inputs.more for sentence in multicite(path, settings.multicite_weight)]
    every = [*asked, *more]
    for head in LABELS:
        if len({fold_of(question, settings) for question in asked if question.head == head}) < 2:
            raise QueryError(f"too few citations with labels of {head}", hint="give more papers")
    first = scaffolds(inputs, settings)
    files = (inputs.data, *inputs.more, *([] if inputs.papers is None else [inputs.papers]))
    task: dict[str, Any] = {
        "settings": settings.document(),
        "data": [file_facts(path) for path in files],
        "scaffolds": [file_facts(path) for path in scaffold_files(inputs)],
        "start": start_sha256(start),
    }
    networks = _Networks(start, checkpoints(out), settings, task, progress)
    networks.learn_scaffolds(first)
    folds = np.array([fold_of(question, settings) for question in asked])
    cross_validated = _cross_validated(networks, asked, every, folds, settings, progress)
    network = networks.trained(every, "all")
    progress("calibrating", None)
    heads, beside, measured = _completed(network, asked, cross_validated, folds, settings)
    facts = {
        **task,
        "examples": dict(Counter(citation.head for citation in [*first, *every])),
        SEEN: sorted(
            {seen_mark(question.example.group) for question in asked if " " not in question.example.group}
        ),
        "quality": measured,
        "software": software(),
    }
    progress("writing the classifier", None)
    texts = chain((citation.example.sentence.text for citation in every), texts_of(inputs.words))
    counts = Counter(number for text in texts for number in networks.tokens.ids(text))
    marks = (TARGET_TOKEN, OTHER_TOKEN)
    tokenizer = keep_tokens(network.encoder, start / "tokenizer.json", counts, _LEAST, marks)
    context = dict.fromkeys(IN_CONTEXT, settings.context)
    with folder_aside(out) as folder:
        write_files(folder, network, tokenizer, settings.tokens, heads, _MARKED, context, beside)
        write_model(folder, "classifier", READER, "intents of citations", facts)
    summary = [
        f"{head:10} macro-F1 {quality['macro-F1']:.3f} in cross-validation"
        for head, quality in measured.items()
    ]
    return Trained(facts, summary)


def _cross_validated(
    networks: _Networks,
    asked: Sequence[Labelled],
    every: Sequence[Labelled],
    folds: Parts,
    settings: IntentSettings,
    progress: Progress,
) -> Doubles:
    """[n, all labels] scores of each citation by a network that did not learn from its fold."""
    table = np.zeros((len(asked), sum(map(len, LABELS.values()))))
    for fold in np.unique(folds).tolist():
        others = [citation for citation in every if fold_of(citation, settings) != fold]
        network = networks.trained(others, f"fold {fold}")
        progress(f"scoring the citations of fold {fold}", None)
        tested = np.flatnonzero(folds == fold)
        sentences = [asked[row].example.sentence for row in tested.tolist()]
        table[tested] = scores(network, networks.tokens, sentences)
    return table


def fold_of(citation: Labelled, settings: IntentSettings) -> int:
    """Returns the fold of an example's group: the same on every machine, unlike Python's hash."""
    return zlib.crc32(citation.example.group.encode()) % settings.folds


class _Networks:
    """Trains networks with the same settings."""

    def __init__(
        self, start: Path, folder: Path, settings: IntentSettings, task: Mapping[str, Any], progress: Progress
    ) -> None:
        """`folder` keeps the checkpoints, by name of the network."""
        self.tokens = Tokens(start / "tokenizer.json", settings.tokens, settings.context)
        self._start, self._folder, self._settings = start, folder, settings
        self._task, self._progress = task, progress
        self._encoder: Mapping[str, Any] | None = None

    def learn_scaffolds(self, examples: Sequence[Labelled]) -> None:
        """Lets the networks that are trained later begin with what the scaffolds teach; does nothing without
        examples."""
        if examples:
            epochs = self._settings.scaffold_epochs
            self._encoder = self._learned(examples, SCAFFOLDS, epochs, "scaffolds").encoder.state_dict()

    def trained(self, examples: Sequence[Labelled], name: str) -> IntentNetwork:
        """Returns a network for the labels of all heads."""
        return self._learned(examples, LABELS, self._settings.epochs, name)

    def _learned(
        self, examples: Sequence[Labelled], labels: Mapping[str, Sequence[str]], epochs: int, name: str
    ) -> IntentNetwork:
        network = IntentNetwork(self._start, sum(map(len, labels.values())), self._settings)
        if self._encoder is not None:
            network.encoder.load_state_dict(self._encoder)
        learner = IntentLearner(network, self.tokens, examples, labels, self._settings)
        schedule = plan(learner, epochs, self._settings)

        def report(text: str, share: float | None) -> None:
            self._progress(f"{name}: {text}", share)

        train_network(learner, schedule, report, self._folder / name, dict(self._task))
        learner.take_average()
        return network


def _completed(
    network: IntentNetwork, asked: Sequence[Labelled], given: Doubles, folds: Parts, settings: IntentSettings
) -> tuple[dict[str, tuple[Sequence[str], Scaling]], dict[str, Beside], dict[str, Any]]:
    """Returns the labels and the scaling of each head, what stands beside the network, and the quality in
    cross-validation; `given` [n, all labels] are the scores by the networks of the `folds` [n].

    The scores of the functions, of which some are rare, are adjusted to the shares of the labels (Menon et
    al., Long-Tail Learning via Logit Adjustment, 2021), which favours macro-F1; the scaling undoes it.
    """
    heads: dict[str, tuple[Sequence[str], Scaling]] = {}
    linear: dict[str, Beside] = {}
    measured: dict[str, Any] = {}
    start = 0
    for head, names in LABELS.items():
        columns = slice(start, start + len(names))
        start += len(names)
        rows = np.array([row for row, citation in enumerate(asked) if citation.head == head])
        examples = [asked[row].example for row in rows.tolist()]
        by_network = given[rows][:, columns]
        data = Data.of(examples, Features(words={}, weighting="binary"), names)
        scored = cross_fitted(head, examples, by_network, folds[rows], settings)
        if head == "function":
            shifts = -_ADJUSTED * np.log(data.truth.mean(axis=0) + _LEAST_SHARE)
            network.shift(columns, shifts)
            scored = scored + shifts
        beside = fitted(head, examples, by_network, settings)
        if beside is not None:
            linear[head] = beside
        heads[head] = names, fit_scaling(scored, data.truth)
        measured[head] = quality(data, scored, folds[rows])
    return heads, linear, measured


# Beside the network ----------------------------------------------------------------------------------------


def fitted(head: str, examples: Sequence[Example], given: Doubles, settings: IntentSettings) -> Beside | None:
    """Returns the classifier beside the network for `head`; `given` [n, labels] are scores of networks that
    were not trained on the examples. None if the settings want none."""
    if head == "intent" and settings.words_weight:
        data = Data.of(examples, _WORDS, LABELS[head])
        options = ClassifierSettings(features=_WORDS)
        return settings.words_weight, fit_linear(data, options, settings.words_penalty)
    if head == "function" and settings.purposes:
        data = Data.of([*examples, *map(_of_unknown_authors, examples)], _PURPOSES, LABELS[head])
        twice = np.concatenate([given, given])
        penalty, least = settings.purposes_penalty, settings.purposes_least
        return 1.0, fit_beside(data, twice, _PURPOSES, penalty, least, _SPEAKS_FOR)
    return None


def cross_fitted(
    head: str, examples: Sequence[Example], given: Doubles, parts: Parts, settings: IntentSettings
) -> Doubles:
    """[n, labels] scores of the network and what stands beside it, each fold of `parts` [n] by what was
    fitted to the others."""
    scored = given.copy()
    for part in np.unique(parts).tolist():
        tested, others = np.flatnonzero(parts == part), np.flatnonzero(parts != part)
        beside = fitted(head, [examples[position] for position in others.tolist()], given[others], settings)
        if beside is not None:
            weight, linear = beside
            scored[tested] += weight * linear.scores(
                [examples[position].sentence for position in tested.tolist()]
            )
    return scored


def _of_unknown_authors(example: Example) -> Example:
    """Returns the example as it would be read if nobody knew who wrote the paper, so that both cases are
    learned."""
    return replace(example, sentence=replace(example.sentence, own_work=None))


# The training of a network -------------------------------------------------------------------------------


_SORTED = 20
"""Number of batches whose sentences are sorted by length, so that a batch needs little padding."""

_LABEL_WEIGHTS: Mapping[str, float] = {"Background": 0.6, "Extends": 2.0, "Motivation": 2.0, "Future": 2.0}
"""Weights of labels: the commonest counts for less, rare ones for more."""


class IntentLearner(Learner):
    """Trains on examples of all heads at once; an example has a loss only of its own head."""

    unit = "sentences"

    def __init__(
        self,
        network: IntentNetwork,
        tokens: Tokens,
        examples: Sequence[Labelled],
        labels: Mapping[str, Sequence[str]],
        settings: IntentSettings,
    ) -> None:
        trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(trained, settings.learning_rate, weight_decay=settings.weight_decay)
        super().__init__(network, [optimizer])
        repeated = settings.repeat_functions
        repeats = [
            repeated if (example.head, example.weight) == ("function", 1) else 1 for example in examples
        ]
        self._order = [position for position, count in enumerate(repeats) for _ in range(count)]
        self._readings = [tokens.reading(example.example.sentence) for example in examples]
        self._truth = torch.from_numpy(np.stack([truth(example, labels) for example in examples]))
        self._sizes = [len(names) for names in labels.values()]
        self._settings = settings
        self._trained, self._average = trained, list[Tensor]()
        self.units_a_step = settings.batch
        self.batches = math.ceil(len(self._order) / settings.batch)
        """Batches of an epoch."""

    def loss(self, batch: int) -> Tensor:
        """Computes the mean cross-entropy; several true labels share an example."""
        epoch, position = divmod(batch, self.batches)
        chosen = self._epoch(epoch)[position]
        scores = self.network(*padded([self._readings[row] for row in chosen]))
        heads = [functional.log_softmax(part, 1) for part in scores.split(self._sizes, 1)]
        return -(self._truth[chosen] * torch.cat(heads, 1)).sum() / len(chosen)

    def prepare(self, step: int) -> None:
        """Follows the weights after the step before."""
        if step:
            self._follow()

    def state(self) -> dict[str, Tensor]:
        return {str(position): tensor for position, tensor in enumerate(self._average)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self._average = [state[str(position)].clone() for position in range(len(state))]

    def take_average(self) -> None:
        """After the last step: gives the network the averaged weights."""
        self._follow()
        with torch.no_grad():
            for weights, mean in zip(self._trained, self._average, strict=True):
                weights.copy_(mean)

    def _follow(self) -> None:
        with torch.no_grad():
            if not self._average:
                self._average = [tensor.detach().clone() for tensor in self._trained]
            for mean, weights in zip(self._average, self._trained, strict=True):
                mean.lerp_(weights, 1 - self._settings.average)

    def _length(self, position: int) -> int:
        return len(self._readings[position].ids)

    def _epoch(self, epoch: int) -> list[list[int]]:
        """Returns places of the examples, by batch."""
        random = np.random.default_rng([self._settings.seed, epoch])
        order, size = random.permutation(self._order).tolist(), self._settings.batch
        batches: list[list[int]] = []
        for first in range(0, len(order), size * _SORTED):
            near = sorted(order[first : first + size * _SORTED], key=self._length)
            parts = [near[start : start + size] for start in range(0, len(near), size)]
            batches += [parts[position] for position in random.permutation(len(parts)).tolist()]
        return batches


def plan(learner: IntentLearner, epochs: int, settings: IntentSettings) -> Plan:
    """The learning rate rises for `settings.warm_up` steps, then falls linearly."""
    steps = epochs * learner.batches
    return Plan(
        steps,
        settings.seed,
        rate=lambda step: (
            settings.learning_rate * min(1.0, (step + 1) / settings.warm_up) * max(0.02, 1 - step / steps)
        ),
        clip=1.0,
        checkpoint_every=50,
    )


def truth(citation: Labelled, labels: Mapping[str, Sequence[str]]) -> np.ndarray[Any, Any]:
    """[all labels] the weights of its labels; 0 for the labels of other heads."""
    weight = (
        citation.weight * _LABEL_WEIGHTS.get(citation.example.labels[0], 1.0) / len(citation.example.labels)
    )
    right = [
        weight * (head == citation.head and name in citation.example.labels)
        for head, names in labels.items()
        for name in names
    ]
    return np.array(right, dtype=np.float32)
