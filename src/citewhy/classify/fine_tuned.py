"""Classifiers of sentences that cite, by a fine-tuned encoder of their own with one head a set of labels.

    model.onnx        ``input_ids`` [n, t] and ``targets`` [n, t] in, ``scores`` [n, all labels] out
    tokenizer.json    of the network; no other encoder is needed
    classifier.json   ``tokens``, the maximum number of tokens; ``target`` and ``other``, the tokens that
                      stand for citations; ``heads``: name → ``labels`` and ``scaling`` (`scaling`), in the
                      order of the columns of ``scores``; ``words``: null, or the ``weight`` with which the
                      scores of a linear classifier (``model``: `linear`) are added to those of the network

A head with ``"target": false`` reads all citations alike, as its training data did not say which one is
meant.

``targets`` are the weights of the tokens whose mean state is classified beside that of all tokens: the
citation that the label is about, else all citations, else all tokens. The first head is the classifier that
`open_classifier` opens; `FineTunedClassifier.head` gives the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.classify.classifier import Probabilities
from citewhy.classify.linear import LinearClassifier
from citewhy.classify.scaling import Scaling
from citewhy.classify.scored import DOCUMENT, fingerprint, finite
from citewhy.errors import QueryError
from citewhy.models import ModelFolder
from citewhy.models.networks import Network, on_cores, tokens
from citewhy.records import SentenceInContext
from citewhy.text.markers import OTHER, TARGET, mask

__all__ = [
    "INPUTS",
    "MODEL",
    "OUTPUT",
    "READER",
    "TOKENIZER",
    "FineTunedClassifier",
    "read_fine_tuned",
    "targets",
]

READER, MODEL, TOKENIZER = "fine-tuned", "model.onnx", "tokenizer.json"

INPUTS, OUTPUT = ("input_ids", "targets"), "scores"


class FineTunedClassifier:
    """Thread-safe. Sentences are read one at a time, on each core one: an 8-bit network scales by the largest
    activation of a batch, and an answer must not depend on the other sentences."""

    def __init__(self, folder: ModelFolder, head: str = "") -> None:
        """`head`: name of a head; empty: the first. Raises KeyError, TypeError or ValueError for an invalid
        document, QueryError for an unknown head."""
        import tokenizers

        self._folder = folder
        document: Mapping[str, Any] = folder.json(DOCUMENT)
        heads: Mapping[str, Any] = document["heads"]
        if head and head not in heads:
            raise QueryError(f"the classifier has no head {head!r}", hint=f"its heads: {', '.join(heads)}")
        self.heads = tuple(heads)
        name = head or self.heads[0]
        sizes = [len(each["labels"]) for each in heads.values()]
        start = sum(sizes[: list(heads).index(name)])
        self.name = folder.name
        self.fingerprint = fingerprint(folder)
        self.labels: tuple[str, ...] = tuple(heads[name]["labels"])
        self._columns = slice(start, start + len(self.labels))
        scaling = heads[name]["scaling"]
        self._scaling = Scaling(float(scaling["slope"]), finite(scaling["shift"]).tolist())
        if len(self._scaling.shift) != len(self.labels) or len(set(self.labels)) < max(len(self.labels), 2):
            raise ValueError("expected two labels or more, each once, and a shift for each")
        self._words = _words(heads[name].get("words"), self.labels)
        self._tokenizer = tokenizers.Tokenizer.from_buffer(folder.read(TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(int(document["tokens"]))
        target, other = str(document["target"]), str(document["other"])
        self._marks = target if heads[name].get("target", True) else other, other
        ids = [self._tokenizer.token_to_id(mark) for mark in (target, other)]
        if None in ids:
            raise ValueError("the tokenizer has no tokens for citations")
        self._ids: list[int] = [each for each in ids if each is not None]
        self._network = Network(folder.read(MODEL), folder.path)
        ((output, shape),) = self._network.outputs.items()
        if tuple(self._network.inputs) != INPUTS or (output, shape[1:]) != (OUTPUT, (sum(sizes),)):
            raise ValueError(
                f"expected inputs {', '.join(INPUTS)} and an output {OUTPUT} of {sum(sizes)} numbers"
            )

    def head(self, name: str) -> FineTunedClassifier:
        """The classifier with the labels of another head. Raises QueryError if there is none."""
        return FineTunedClassifier(self._folder, name)

    def scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        """[sentences, labels]; the label with the highest score is predicted. Raises ModelError if the
        tokenizer or the network fails, or returns values that are not finite."""
        found = np.zeros((len(sentences), len(self.labels)))
        texts = [self._text(each) for each in sentences]
        encoded = tokens(self._tokenizer, texts, self._folder.path)

        def put(place: int) -> None:
            ids = np.array([encoded[place]], dtype=np.int64)
            given: tuple[NDArray[Any], ...] = (ids, targets(ids, *self._ids))
            found[place] = self._network(dict(zip(INPUTS, given, strict=True)))[0][self._columns]

        on_cores(put, range(len(texts)))
        if self._words is not None:
            weight, words = self._words
            found += weight * words.scores(sentences)
        return found

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        return self._scaling(self.scores(sentences))

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return [self.labels[place] for place in self.scores(sentences).argmax(axis=1).tolist()]

    def _text(self, sentence: SentenceInContext) -> str:
        target, other = self._marks
        return mask(sentence.text).replace(TARGET, target).replace(OTHER, other)


def _words(document: Any, labels: Sequence[str]) -> tuple[float, LinearClassifier] | None:
    """The linear classifier beside the network, and the weight of its scores."""
    if document is None:
        return None
    found = LinearClassifier.of(document["model"], "words")
    if found.labels != tuple(labels):
        raise ValueError("the labels of the linear classifier are not those of the network")
    return float(finite(document["weight"])), found


def targets(ids: NDArray[np.int64], target: int, other: int) -> NDArray[np.float32]:
    """[n, t] weights, each row with a sum of 1: of the tokens `target`, else of `other`, else of all."""
    rows = np.ones(ids.shape, dtype=np.float32)
    for mark in (other, target):
        marked = ids == mark
        some = marked.any(axis=1)
        rows[some] = marked[some]
    weights: NDArray[np.float32] = rows / rows.sum(axis=1, keepdims=True)
    return weights


def read_fine_tuned(folder: ModelFolder, encoder: object = None) -> FineTunedClassifier:
    """`encoder` is ignored: the classifier has its own. Raises what `FineTunedClassifier` raises, and what
    onnxruntime and tokenizers raise for files that they cannot load."""
    return FineTunedClassifier(folder)
