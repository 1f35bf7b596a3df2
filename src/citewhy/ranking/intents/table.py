"""The intents of a library's citing sentences: a table derived from the library, like its vectors.

    intents/
      <fingerprint of the classifier>/    labels.npy, probabilities.npy, manifest.json with the generation

Row r is the sentence with number r. The table is computed when it is first asked for, and follows the library
by generation: only sentences that changed since are classified again. Missing or damaged, it is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside, one_writer, read_manifest, write_manifest
from citewhy.base.errors import CiteWhyError, DamagedError, ModelError
from citewhy.base.records import Context, SentenceInContext
from citewhy.papers.library.store import Library
from citewhy.ranking.classify.classifier import Classifier, answers_of
from citewhy.ranking.intents.labels import INTENTS, intent_of_label

UNKNOWN = -1
"""The label of a number that no citing sentence has."""

_LAYOUT = 2

_AT_ONCE = 512
"""Number of sentences that are classified between two reports of progress."""

Classified = Callable[[int, int], None]
"""Called with the number of sentences that have been classified, and of those that need to be."""


@dataclass(frozen=True, slots=True)
class IntentTable:
    """The intents of the citing sentences in a library at one generation."""

    generation: int
    labels: NDArray[np.int8]
    """[C] positions in `INTENTS`, by number of the sentence; `UNKNOWN` where there is none."""
    probabilities: NDArray[np.float16]
    """[C] of these labels, in [0, 1]; 1 for one that the source of the sentence states."""

    def of(self, numbers: NDArray[np.int64]) -> NDArray[np.int8]:
        """[n] labels of sentences; `UNKNOWN` for one that was added later."""
        known = numbers < len(self.labels)
        labels = np.full(len(numbers), UNKNOWN, dtype=np.int8)
        labels[known] = self.labels[numbers[known]]
        return labels


def open_intents(
    library: Library, classifier: Classifier, generation: int, progress: Classified | None = None
) -> IntentTable:
    """The table at `generation`, or at a later one. Raises ModelError for a classifier without the labels
    `INTENTS`.

    A library in which nothing can be written gets its table in memory.
    """
    if set(classifier.labels) != set(INTENTS):
        raise ModelError(
            f"the labels of {classifier.name} are {', '.join(classifier.labels)}",
            hint=f"the intents in a library are {', '.join(INTENTS)}",
        )
    folder = library.folder / "intents" / classifier.fingerprint
    held = _load(folder, library)
    if held is not None and held.generation >= generation:
        return held
    with library.reading():
        made = _follow(library, classifier, held, progress or (lambda _done, _all: None))
        mark = library.mark_of(made.generation)
    try:
        _save(folder, made, mark, classifier.name)
    except CiteWhyError:
        return made  # a table is a cache, and this one is whole
    return made


def classify_contexts(
    classifier: Classifier, contexts: Sequence[Context]
) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Returns [n] labels, positions in `INTENTS`, and their probabilities. They are those that the classifier
    predicts, which need not be the most probable ones; a label that the source of a sentence states is
    kept."""
    labels = np.zeros(len(contexts), dtype=np.int8)
    probabilities = np.ones(len(contexts), dtype=np.float16)
    stated = [intent_of_label(context.intent) for context in contexts]
    asked = [position for position, intent in enumerate(stated) if intent is None]
    for position, intent in enumerate(stated):
        if intent is not None:
            labels[position] = INTENTS.index(intent)
    if asked:
        sentences = [SentenceInContext(contexts[p].text, section=contexts[p].section) for p in asked]
        predicted, table = answers_of(classifier, sentences)
        columns = [classifier.labels.index(label) for label in predicted]
        labels[asked] = [INTENTS.index(classifier.labels[column]) for column in columns]
        probabilities[asked] = table[np.arange(len(asked)), columns]
    return labels, probabilities


def _load(folder: Path, library: Library) -> IntentTable | None:
    """None if there is no intact one of this library."""
    try:
        facts = read_manifest(folder)
        if facts["layout"] != _LAYOUT or facts["mark"] != library.mark_of(facts["generation"]):
            return None
        labels, probabilities = (
            np.load(folder / f"{name}.npy", allow_pickle=False) for name in ("labels", "probabilities")
        )
        return IntentTable(facts["generation"], labels, probabilities)
    except (DamagedError, OSError, KeyError, ValueError):
        return None


def _follow(
    library: Library, classifier: Classifier, held: IntentTable | None, progress: Classified
) -> IntentTable:
    """The table at the library's generation, from an older one. Within a transaction."""
    generation = library.generation
    since = 0 if held is None or held.generation > generation else held.generation
    changed = list(library.numbered_contexts(since=since))
    old = held.labels if held is not None and since else np.zeros(0, dtype=np.int8)
    rows = max([len(old) - 1, *(number for number, _ in changed)]) + 1
    labels = np.full(rows, UNKNOWN, dtype=np.int8)
    probabilities = np.zeros(rows, dtype=np.float16)
    if held is not None and since:
        labels[: len(old)], probabilities[: len(old)] = old, held.probabilities
        labels[[number for number in library.removed_contexts(since) if number < rows]] = UNKNOWN
    for start in range(0, len(changed), _AT_ONCE):
        progress(start, len(changed))
        some = changed[start : start + _AT_ONCE]
        numbers = [number for number, _ in some]
        labels[numbers], probabilities[numbers] = classify_contexts(
            classifier, [context for _, context in some]
        )
    progress(len(changed), len(changed))
    return IntentTable(generation, labels, probabilities)


def _save(folder: Path, table: IntentTable, mark: int | None, classifier: str) -> None:
    with one_writer(folder.parent, "intents cannot be kept"), folder_aside(folder) as aside:
        np.save(aside / "labels.npy", table.labels, allow_pickle=False)
        np.save(aside / "probabilities.npy", table.probabilities, allow_pickle=False)
        facts = {"layout": _LAYOUT, "classifier": classifier, "generation": table.generation, "mark": mark}
        write_manifest(aside, facts)
