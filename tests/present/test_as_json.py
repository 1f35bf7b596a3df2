"""Answers for programs."""

from __future__ import annotations

import json
from dataclasses import fields

from citewhy.present import as_json
from citewhy.records import Advice, DraftSentence, Marker, Paper, Passage, Place, Reason, Suggestion

PAPER = Paper("P02-1040", "BLEU", "Not shown.", ("Kishore Papineni",), 2002, "ACL", "10.3115/1073083.1073135")
SUGGESTION = Suggestion(
    PAPER,
    1.23456789,
    (Reason("words", "matches: BLEU", 0.5),),
    (
        Passage("P02-1040", "We propose a method.", 2.5, 3, "Introduction", 4, "aim", ("a",)),
        Passage("P02-1040", "Why?", 1.0),
    ),
    0.75,
    "papineni2002bleu",
    "full text",
)


def test_a_suggestion() -> None:
    """Every field, by the names of the records; ranks start at 1; what is unknown is null."""
    full, bare = as_json.suggestions([SUGGESTION, Suggestion(Paper("a", "T"), 1.0, (Reason("words", "m"),))])
    assert full == {
        "rank": 1,
        "id": "P02-1040",
        "key": "papineni2002bleu",
        "title": "BLEU",
        "authors": ["Kishore Papineni"],
        "year": 2002,
        "venue": "ACL",
        "doi": "10.3115/1073083.1073135",
        "url": None,
        "score": 1.234568,
        "probability": 0.75,
        "reasons": [{"kind": "words", "text": "matches: BLEU", "weight": 0.5}],
        "source": "full text",
        "passages": [
            {
                "text": "We propose a method.",
                "section": "Introduction",
                "sid": 3,
                "last_sid": 4,
                "facet": "aim",
                "credits": ["a"],
                "score": 2.5,
            },
            {
                "text": "Why?",
                "section": "",
                "sid": None,
                "last_sid": None,
                "facet": None,
                "credits": [],
                "score": 1.0,
            },
        ],
    }
    assert (bare["rank"], bare["key"], bare["year"], bare["doi"]) == (2, None, None, None)
    assert bare.keys() == full.keys()


def test_no_field_of_a_paper_is_forgotten() -> None:
    """All that a paper has is there, but for its abstract."""
    (shown,) = as_json.suggestions([SUGGESTION])
    assert {field.name for field in fields(Paper)} - shown.keys() == {"abstract"}


def test_a_place() -> None:
    """Where the marker stands, its sentence, and the suggestions; it survives JSON as it is."""
    place = Place("draft.tex", 10, 17, 3)
    marker = Marker(place, ("gone",), open=True, offset=6, command="citep")
    found = Advice(marker, DraftSentence("Scores.", place, (marker,)), (SUGGESTION,))
    shown = as_json.advice(found)
    assert shown == {
        "file": "draft.tex",
        "line": 3,
        "start": 10,
        "end": 17,
        "keys": ["gone"],
        "command": "citep",
        "sentence": "Scores.",
        "offset": 6,
        "suggestions": as_json.suggestions([SUGGESTION]),
    }
    assert json.loads(json.dumps(shown)) == shown
