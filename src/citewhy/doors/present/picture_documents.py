"""The JSON documents of pictures: what they show, as numbers and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from citewhy.base.records import Paper
from citewhy.session.pictures import DatedPaper, MappedPaper, Shape


class ShapeDocument(TypedDict):
    """How a library is made up."""

    papers: int
    years: dict[str, int]
    venues: list[list[Any]]
    """Each a name and its number of papers, the most first."""
    with_abstract: int
    with_contexts: int
    with_vectors: int


class PicturedFields(TypedDict):
    """A paper on a picture."""

    id: str
    key: str
    title: str
    authors: list[str]
    year: int | None


class DatedFields(PicturedFields):
    """A paper on the picture of years; `place` is that of a suggestion, and null for the bibliography's
    own."""

    cited: int
    place: str | None
    probability: float | None


class YearsDocument(TypedDict):
    """The papers of a draft over the years."""

    papers: list[DatedFields]


class LineFields(TypedDict):
    """A line of a file, from 1."""

    file: str
    line: int


class MappedFields(PicturedFields):
    """A paper on the map, at [0, 1] by [0, 1]; `cited` is 0 for one that is suggested only."""

    x: float
    y: float
    sections: list[str]
    cited: int
    places: list[str]
    lines: list[LineFields]


class MapDocument(TypedDict):
    """The papers of a draft in a plane, near each other if they are cited together or alike."""

    papers: list[MappedFields]


def shape_document(shape: Shape) -> ShapeDocument:
    """How a library is made up."""
    return {
        "papers": shape.papers,
        "years": {str(year): number for year, number in shape.years.items()},
        "venues": [[name, number] for name, number in shape.venues],
        "with_abstract": shape.with_abstract,
        "with_contexts": shape.with_contexts,
        "with_vectors": shape.with_vectors,
    }


def years_document(papers: Sequence[DatedPaper]) -> YearsDocument:
    """The papers of a draft over the years."""
    return {
        "papers": [
            {
                **_pictured(one.paper, one.key),
                "cited": one.cited,
                "place": one.place or None,
                "probability": one.probability,
            }
            for one in papers
        ]
    }


def map_document(papers: Sequence[MappedPaper]) -> MapDocument:
    """The papers of a draft in a plane."""
    return {
        "papers": [
            {
                **_pictured(one.paper, one.key),
                "x": one.x,
                "y": one.y,
                "sections": list(one.sections),
                "cited": one.cited,
                "places": list(one.places),
                "lines": [{"file": file, "line": line} for file, line in one.lines],
            }
            for one in papers
        ]
    }


def _pictured(paper: Paper, key: str) -> PicturedFields:
    return {
        "id": paper.id,
        "key": key,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
    }
