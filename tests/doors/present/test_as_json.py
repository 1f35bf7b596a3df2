"""Answers for programs."""

from __future__ import annotations

import json
from dataclasses import fields, replace

from citewhy.answers.answer import DraftAnswer
from citewhy.base.records import (
    DraftSentence,
    Manuscript,
    Marker,
    Paper,
    Paragraph,
    Passage,
    Place,
    Reason,
    Resolution,
    Suggestion,
    Unit,
    UnitAnswer,
)
from citewhy.base.reports import PaperPassages
from citewhy.doors.present import as_json

PAPER = Paper("P02-1040", "BLEU", "Not shown.", ("Kishore Papineni",), 2002, "ACL", "10.3115/1073083.1073135")
SUGGESTION = Suggestion(
    PAPER,
    1.23456789,
    (Reason("words", "matches: BLEU", 0.5),),
    (
        Passage("P02-1040", "We propose it.", 2.5, 3, "Introduction", 4, "aim", ("a",), "Nobody had one."),
        Passage("P02-1040", "Why?", 1.0),
    ),
    0.75,
    "papineni2002bleu",
    source="full text",
)


def test_a_suggestion() -> None:
    """Every field, by the names of the records; ranks start at 1; what is unknown is null."""
    full, bare = as_json.suggestions([SUGGESTION, Suggestion(Paper("a", "T"), 1.0, (Reason("words", "m"),))])
    assert full == {
        "rank": 1,
        "id": "P02-1040",
        "key": "papineni2002bleu",
        "for_key": None,
        "in_bibliography": False,
        "library": "",
        "proposed": False,
        "title": "BLEU",
        "authors": ["Kishore Papineni"],
        "year": 2002,
        "venue": "ACL",
        "doi": "10.3115/1073083.1073135",
        "url": None,
        "own": False,
        "score": 1.234568,
        "probability": 0.75,
        "reasons": [{"kind": "words", "text": "matches: BLEU", "weight": 0.5}],
        "source": "full text",
        "passages": [
            {
                "text": "We propose it.",
                "section": "Introduction",
                "sid": 3,
                "last_sid": 4,
                "facet": "aim",
                "credits": ["a"],
                "before": "Nobody had one.",
                "after": "",
                "score": 2.5,
            },
            {
                "text": "Why?",
                "section": "",
                "sid": None,
                "last_sid": None,
                "facet": None,
                "credits": [],
                "before": "",
                "after": "",
                "score": 1.0,
            },
        ],
    }
    assert (bare["rank"], bare["key"], bare["year"], bare["doi"]) == (2, None, None, None)
    assert bare.keys() == full.keys()


def test_no_field_of_a_paper_is_forgotten() -> None:
    """All that a paper has is there, but for its abstract, and what exports of bibliographies are for."""
    (shown,) = as_json.suggestions([SUGGESTION])
    assert {field.name for field in fields(Paper)} - shown.keys() == {"abstract", "publication"}


PLACE = Place("draft.tex", 10, 17, 3)
MARKER = Marker(PLACE, ("gone", "kept"), open=True, offset=6, command="citep", slot=replace(PLACE, start=16))
SENTENCE = DraftSentence("Scores.", replace(PLACE, start=0, end=18), (MARKER,))
PARAGRAPH = Paragraph((SENTENCE,), "2 Past")


def test_a_place() -> None:
    """Where the marker stands, what is written there, its sentence, and the suggestions; it survives JSON as
    it is."""
    resolution = Resolution("gone", "key", ("x", "y"))
    shown = as_json.unit_answer(
        UnitAnswer(
            Unit("place", PLACE, MARKER, SENTENCE, PARAGRAPH, ("gone",)),
            (SUGGESTION,),
            (resolution,),
            0.12345,
        )
    )
    assert shown == {
        "unit": "place",
        "file": "draft.tex",
        "line": 3,
        "start": 10,
        "end": 17,
        "keys": ["gone", "kept"],
        "undefined": ["gone"],
        "resolutions": [{"text": "gone", "kind": "key", "ids": ["x", "y"], "certain": False}],
        "open": True,
        "command": "citep",
        "in_text": False,
        "note": None,
        "slot": {"file": "draft.tex", "line": 3, "start": 16, "end": 17},
        "section": "2 Past",
        "sentence": "Scores.",
        "offset": 6,
        "several": 0.1235,
        "suggestions": as_json.suggestions([SUGGESTION]),
    }
    assert json.loads(json.dumps(shown)) == shown


def test_other_units_have_the_same_fields() -> None:
    """What a paragraph or a draft does not have is null."""
    place = as_json.unit_answer(UnitAnswer(Unit("place", PLACE, MARKER, SENTENCE, PARAGRAPH)))
    paragraph = as_json.unit_answer(UnitAnswer(Unit("paragraph", PLACE, None, SENTENCE, PARAGRAPH)))
    draft = as_json.unit_answer(UnitAnswer(Unit("draft", PLACE)))
    assert place.keys() == paragraph.keys() == draft.keys()
    assert {name for name, value in paragraph.items() if value is None} == {
        "keys",
        "open",
        "command",
        "in_text",
        "note",
        "slot",
        "offset",
        "several",
    }
    assert (paragraph["sentence"], paragraph["section"]) == ("Scores.", "2 Past")
    assert (draft["unit"], draft["sentence"], draft["section"]) == ("draft", None, None)


def answered(manuscript: Manuscript, answers: list[UnitAnswer]) -> DraftAnswer:
    units = [answer.unit for answer in answers]
    return DraftAnswer(manuscript, units, iter(answers), library="mine", pipeline="full")


def test_a_draft() -> None:
    """Each answer stands with those of its sort, in reading order; the whole draft is null if not asked."""
    manuscript = Manuscript("draft.tex", "latex", problems=("draft.tex:1: gone",))
    answers = [
        UnitAnswer(Unit("place", PLACE, MARKER, SENTENCE)),
        UnitAnswer(Unit("paragraph", PLACE, None, SENTENCE)),
        UnitAnswer(Unit("set", PLACE, MARKER, SENTENCE)),
    ]
    shown = as_json.draft_document(answered(manuscript, answers))
    assert {name: value for name, value in shown.items() if name not in ("places", "paragraphs")} == {
        "library": "mine",
        "pipeline": "full",
        "draft": "draft.tex",
        "whole": None,
        "problems": ["draft.tex:1: gone"],
    }
    assert [answer["unit"] for answer in shown["places"]] == ["place", "set"]
    assert [answer["unit"] for answer in shown["paragraphs"]] == ["paragraph"]
    whole = as_json.draft_document(answered(manuscript, [UnitAnswer(Unit("draft", PLACE))]))["whole"]
    assert whole is not None
    assert whole["unit"] == "draft"


def test_passages() -> None:
    """The paper, what was searched, and each passage with the ids of those that it credits."""
    passages = PaperPassages(Paper("a", "T"), "Why?", "abstract", (Passage("a", "So.", 1.0, credits=("b",)),))
    assert as_json.passages_document(passages, "mine") == {
        "library": "mine",
        "id": "a",
        "title": "T",
        "text": "Why?",
        "source": "abstract",
        "passages": [
            {
                "text": "So.",
                "section": "",
                "sid": None,
                "last_sid": None,
                "facet": None,
                "credits": ["b"],
                "before": "",
                "after": "",
                "score": 1.0,
            }
        ],
    }


def test_documents_are_readable() -> None:
    """JSON with two spaces of indentation, characters as they are."""
    assert as_json.dumps({"a": ["é", None]}) == '{\n  "a": [\n    "é",\n    null\n  ]\n}'
