"""The auxiliary tasks of the classifier of intents."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy_lab.train.systems.intent.data import scaffolds
from citewhy_lab.train.systems.intent.settings import IntentInputs, IntentSettings

CITING = "Parsers have been trained on trees of the news for years (Collins, 1999)."
WITHIN = "Collins (1999) trains a parser on the trees of the news, as others do."
PLAIN = "The module {n} of this system reads the words from left to right."


@pytest.fixture
def inputs(tmp_path: Path) -> IntentInputs:
    rows = []
    for paper in range(6):
        parts = [("title", "A parser"), ("abstract", CITING), ("1 Introduction", WITHIN)]
        parts += [("4 Experiments", CITING), ("4 Experiments", PLAIN.format(n=paper)), ("References", CITING)]
        sentences = [{"sid": n, "section": name, "text": text} for n, (name, text) in enumerate(parts)]
        rows.append({"id": f"P00-10{paper:02}", "sentences": sentences})
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    paragraph = {"id": "7_1", "paper": "7", "sentences": [CITING, PLAIN], "tags": ["Narrative_cite", "Other"]}
    discourse = tmp_path / "corwa.jsonl"
    discourse.write_text(json.dumps(paragraph) + "\n")
    return IntentInputs(tmp_path, texts=(texts, texts), discourse=discourse)


def test_labels_of_the_tasks(inputs: IntentInputs) -> None:
    """Citing sentences of the body have the kind of their section, those that read without their citations
    need them; a paper that comes twice counts once."""
    found = scaffolds(inputs, IntentSettings())
    assert Counter((each.head, each.example.labels) for each in found) == {
        ("section", ("introduction",)): 6,
        ("section", ("results",)): 6,
        ("cites", ("cites",)): 6,
        ("cites", ("plain",)): 6,
        ("discourse", ("Narrative_cite",)): 1,
        ("discourse", ("Other",)): 1,
    }
    hidden = [each.example.sentence.text for each in found if each.example.labels == ("cites",)]
    assert set(hidden) == {"Parsers have been trained on trees of the news for years."}


def test_some_are_read_with_their_neighbours(inputs: IntentInputs) -> None:
    """Only of the same section, and not all: the network is to read sentences alone as well."""
    found = [each.example.sentence for each in scaffolds(inputs, IntentSettings()) if each.head == "section"]
    assert {each.next for each in found if each.section == "1 Introduction"} == {""}
    assert len({bool(each.next) for each in found if each.section == "4 Experiments"}) == 2


def test_the_first_sentence_of_a_paper_is_a_neighbour(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    rows = []
    for paper in range(20):
        parts = enumerate((PLAIN.format(n=paper), CITING))
        sentences = [{"sid": n, "section": "1 Introduction", "text": text} for n, text in parts]
        rows.append({"id": f"P00-10{paper:02}", "sentences": sentences})
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [
        each
        for each in scaffolds(IntentInputs(tmp_path, texts=(texts,)), IntentSettings())
        if each.head == "section"
    ]
    assert {each.example.sentence.previous[:10] for each in found} == {"", "The module"}


def test_no_more_than_asked_for(inputs: IntentInputs) -> None:
    """Half of the sentences for the need of a citation have one."""
    found = scaffolds(IntentInputs(inputs.data, texts=inputs.texts), IntentSettings(scaffold_sentences=4))
    assert Counter(each.head for each in found) == {"section": 4, "cites": 4}
    assert sum(each.example.labels == ("cites",) for each in found) == 2


def test_a_file_without_paragraphs(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(InputError):
        scaffolds(IntentInputs(tmp_path, discourse=tmp_path / "c.jsonl"), IntentSettings())
