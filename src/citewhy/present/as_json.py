"""Answers as plain values for JSON: the same names as the records, nothing left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from citewhy.records import Advice, Passage, Suggestion

__all__ = ["advice", "passage_values", "suggestions"]


def advice(found: Advice) -> dict[str, Any]:
    """One open place and its suggestions."""
    marker = found.marker
    return {
        "file": marker.place.file,
        "line": marker.place.line,
        "start": marker.place.start,
        "end": marker.place.end,
        "keys": list(marker.keys),
        "command": marker.command,
        "sentence": found.sentence.text,
        "offset": marker.offset,
        "suggestions": suggestions(found.suggestions),
    }


def suggestions(found: Sequence[Suggestion]) -> list[dict[str, Any]]:
    return [_suggestion(rank, each) for rank, each in enumerate(found, 1)]


def _suggestion(rank: int, found: Suggestion) -> dict[str, Any]:
    paper = found.paper
    return {
        "rank": rank,
        "id": paper.id,
        "key": found.key or None,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or None,
        "url": paper.url or None,
        "score": round(found.score, 6),
        "probability": found.probability,
        "reasons": [
            {"kind": reason.kind, "text": reason.text, "weight": reason.weight} for reason in found.reasons
        ],
        "source": found.source,
        "passages": [passage_values(passage) for passage in found.passages],
    }


def passage_values(found: Passage) -> dict[str, Any]:
    """One passage."""
    return {
        "text": found.text,
        "section": found.section,
        "sid": found.sid,
        "last_sid": found.last_sid,
        "facet": found.facet or None,
        "credits": list(found.credits),
        "score": round(found.score, 6),
    }
