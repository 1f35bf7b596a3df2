"""Classifiers of sentences that cite, by a fine-tuned encoder of their own with one head a set of labels.

    model.onnx        ``input_ids``, ``sentence`` and ``targets`` [n, t] in, ``scores`` [n, all labels] out;
                      ``sentence`` may be missing
    tokenizer.json    of the network; no other encoder is needed
    classifier.json   ``tokens``, the maximum number of tokens of a sentence; ``target`` and ``other``, the
                      tokens that stand for citations; ``heads``: name → ``labels`` and ``scaling``
                      (`scaling`), in the order of the columns of ``scores``; ``context``, the maximum number
                      of tokens of the sentence before and of that after (0 if missing); ``words``: null, or
                      the ``weight`` with which the scores of a linear classifier (``model``: `linear`) are
                      added to those of the network

A head with ``"target": false`` reads all citations alike, as its training data did not say which one is
meant.

``sentence`` are the weights of the tokens of the sentence, whose mean state is classified, ``targets`` those
of the tokens whose mean state is classified beside it (`reading`): the citation that the label is about, else
all citations, else all tokens. The first head is the classifier that `open_classifier` opens;
`FineTunedClassifier.head` gives the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy.base.records import SentenceInContext
from citewhy.models import ModelFolder
from citewhy.models.networks import Network, on_cores, tokens
from citewhy.ranking.classify.classifier import Probabilities
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy.ranking.classify.reading import Layout
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.scored import DOCUMENT, fingerprint, finite
from citewhy.text.markers import OTHER, TARGET, mask

READER, MODEL, TOKENIZER = "fine-tuned", "model.onnx", "tokenizer.json"

INPUTS, OUTPUT = ("input_ids", "sentence", "targets"), "scores"

_WITHOUT_CONTEXT = ("input_ids", "targets")
"""Inputs of a network that never reads the sentences around the one it classifies."""

_LONGEST = 512
"""Tokens of a text that are looked at."""


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
        sizes = [len(head["labels"]) for head in heads.values()]
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
        self._tokenizer.enable_truncation(_LONGEST)
        target, other = str(document["target"]), str(document["other"])
        self._marks = target if heads[name].get("target", True) else other, other
        ids = [self._tokenizer.token_to_id(mark) for mark in (target, other)]
        if ids[0] is None or ids[1] is None:
            raise ValueError("the tokenizer has no tokens for citations")
        context = int(heads[name].get("context", 0))
        self._layout = Layout(int(document["tokens"]), ids[0], ids[1], context)
        self._network = Network(folder.read(MODEL), folder.path)
        self._last: tuple[tuple[SentenceInContext, ...], NDArray[np.float64]] | None = None
        ((output, shape),) = self._network.outputs.items()
        named = tuple(self._network.inputs) in (INPUTS, _WITHOUT_CONTEXT)
        if not named or (output, shape[1:]) != (OUTPUT, (sum(sizes),)):
            raise ValueError(
                f"expected inputs {', '.join(INPUTS)} and an output {OUTPUT} of {sum(sizes)} numbers"
            )
        if self._layout.context and len(self._network.inputs) < len(INPUTS):
            raise ValueError("a head reads the sentences around, but the network cannot tell them apart")

    def head(self, name: str) -> FineTunedClassifier:
        """The classifier with the labels of another head. Raises QueryError if there is none."""
        return FineTunedClassifier(self._folder, name)

    def scores(self, sentences: Sequence[SentenceInContext]) -> NDArray[np.float64]:
        """[sentences, labels]; the label with the highest score is predicted. Raises ModelError if the
        tokenizer or the network fails, or returns values that are not finite."""
        chances = self._by_network(tuple(sentences))
        if self._words is None:
            return chances.copy()
        weight, words = self._words
        return chances + weight * words.scores(sentences)

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        return self._scaling(self.scores(sentences))

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return [self.labels[position] for position in self.scores(sentences).argmax(axis=1).tolist()]

    def _by_network(self, sentences: tuple[SentenceInContext, ...]) -> NDArray[np.float64]:
        """[sentences, labels] without what stands beside the network. Those of the sentences that were asked
        last are kept, since labels and probabilities are asked for one after the other."""
        last = self._last
        if last is not None and last[0] == sentences:
            return last[1]
        table = np.zeros((len(sentences), len(self.labels)))
        encoded = self._tokens([sentence.text for sentence in sentences])
        around = [
            self._tokens([getattr(sentence, name) for sentence in sentences])
            for name in ("previous", "next")
            if self._layout.context
        ]

        def put(position: int) -> None:
            read = self._layout(encoded[position], *(texts[position] for texts in around))
            arrays: tuple[NDArray[Any], ...] = (read.ids, read.sentence, read.targets)
            known = dict(zip(INPUTS, arrays, strict=True))
            given = {name: known[name][None] for name in self._network.inputs}
            table[position] = self._network(given)[0][self._columns]

        on_cores(put, range(len(sentences)))
        self._last = sentences, table
        return table

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        target, other = self._marks
        masked = [mask(text).replace(TARGET, target).replace(OTHER, other) for text in texts]
        return tokens(self._tokenizer, masked, self._folder.path)


def _words(document: Any, labels: Sequence[str]) -> tuple[float, LinearClassifier] | None:
    """The linear classifier beside the network, and the weight of its scores."""
    if document is None:
        return None
    linear = LinearClassifier.of(document["model"], "words")
    if linear.labels != tuple(labels):
        raise ValueError("the labels of the linear classifier are not those of the network")
    return float(finite(document["weight"])), linear


def read_fine_tuned(folder: ModelFolder, encoder: object = None) -> FineTunedClassifier:
    """`encoder` is ignored: the classifier has its own. Raises what `FineTunedClassifier` raises, and what
    onnxruntime and tokenizers raise for files that they cannot load."""
    return FineTunedClassifier(folder)
