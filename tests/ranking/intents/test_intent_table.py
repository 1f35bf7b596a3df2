"""The intents of a library's citing sentences follow the library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_library import cites, context, make, paper
from word_intents import WordIntents

from citewhy.base.artifact import MANIFEST, read_manifest, write_manifest
from citewhy.base.errors import ModelError
from citewhy.papers.library.store import Library
from citewhy.ranking.intents.labels import INTENTS, intent_of_label
from citewhy.ranking.intents.table import UNKNOWN, IntentTable, open_intents

PAPERS = [paper(name, year=2000) for name in ("a", "b", "c")]
SAID = [
    context("s1", "b", "a", "A method TARGETCIT."),
    context("s2", "c", "a", "The result TARGETCIT."),
    context("s3", "c", "a", "Another method TARGETCIT."),
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with make(tmp_path / "library", [*PAPERS, *SAID, *cites("b c")]) as made:
        yield made


def intents(library: Library, table: IntentTable) -> dict[str, str]:
    """Intent by the id of the sentence."""
    numbers = {each.id: number for number, each in library.numbered_contexts()}
    labels = table.of(np.array(list(numbers.values()), dtype=np.int64)).tolist()
    return {name: INTENTS[label] for name, label in zip(numbers, labels, strict=True)}


def test_every_sentence_has_an_intent_with_its_probability(library: Library) -> None:
    """Each sentence has the predicted intent, and a number without a sentence has none."""
    table = open_intents(library, WordIntents(0.8), library.generation)
    assert intents(library, table) == {"s1": "method", "s2": "result", "s3": "method"}
    numbers = [number for number, _ in library.numbered_contexts()]
    assert table.probabilities[numbers].tolist() == pytest.approx([0.8] * 3, abs=1e-3)
    assert table.of(np.array([99])).tolist() == [UNKNOWN]


def test_the_predicted_intent_counts(library: Library) -> None:
    """It has the probability of its own, also where another intent is more probable."""
    library.add([context("s4", "c", "b", "Perhaps a method, perhaps not: TARGETCIT.")])
    table = open_intents(library, WordIntents(0.8), library.generation)
    number = {each.id: number for number, each in library.numbered_contexts()}["s4"]
    assert intents(library, table)["s4"] == "result"
    assert float(table.probabilities[number]) == pytest.approx(0.1, abs=1e-3)


def test_a_table_of_another_layout_is_made_again(library: Library) -> None:
    """Its labels may have been chosen by another rule."""
    classifier = WordIntents()
    open_intents(library, classifier, library.generation)
    folder = library.folder / "intents" / classifier.fingerprint
    facts = read_manifest(folder)
    (folder / MANIFEST).unlink()
    write_manifest(folder, {**facts, "layout": 1})
    open_intents(library, classifier, library.generation)
    assert classifier.asked == 6


def test_only_changed_sentences_are_classified_again(library: Library) -> None:
    """A table on disk is read; after an addition only the new sentences are classified, and after a removal
    the sentences that cite no known paper are forgotten."""
    classifier = WordIntents()
    open_intents(library, classifier, library.generation)
    open_intents(library, classifier, library.generation)
    assert classifier.asked == 3
    library.add([context("s4", "c", "b", "Some background TARGETCIT.")])
    table = open_intents(library, classifier, library.generation)
    assert classifier.asked == 4
    assert intents(library, table)["s4"] == "background"
    number = {each.id: number for number, each in library.numbered_contexts()}["s4"]
    library.remove(["b"])
    table = open_intents(library, classifier, library.generation)
    assert table.of(np.array([number])).tolist() == [UNKNOWN]
    assert classifier.asked <= 4 + 3  # a removal may touch the sentences of the paper itself


def test_a_damaged_table_is_made_again(library: Library) -> None:
    """A changed byte is noticed, and the same table is computed anew."""
    classifier = WordIntents()
    before = open_intents(library, classifier, library.generation)
    file = library.folder / "intents" / classifier.fingerprint / "labels.npy"
    file.write_bytes(file.read_bytes()[:-1] + b"\x07")
    after = open_intents(library, classifier, library.generation)
    assert after.labels.tolist() == before.labels.tolist()
    assert classifier.asked == 6


def test_a_stated_intent_is_kept(tmp_path: Path) -> None:
    """What the source of a sentence states, in the words of several data sets, is not predicted."""
    said = replace(SAID[0], intent="CompareOrContrast")
    classifier = WordIntents()
    with make(tmp_path / "stated", [*PAPERS, said]) as library:
        table = open_intents(library, classifier, library.generation)
        assert intents(library, table) == {"s1": "result"}
    assert classifier.asked == 0
    assert intent_of_label("methodology") == "method"
    assert intent_of_label("Future") == "background"
    assert intent_of_label("something else") is None


def test_a_classifier_of_something_else_is_refused(library: Library) -> None:
    """A classifier needs exactly the three intents as labels."""
    other = WordIntents()
    other.labels = ("claim", "other")
    with pytest.raises(ModelError, match="the labels of words are claim, other"):
        open_intents(library, other, library.generation)
