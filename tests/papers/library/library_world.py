"""Numbered records for tests of the library, and the complete contents of a library."""

from __future__ import annotations

from typing import Any

from citewhy.base.records import Citation, Context, FullText, Paper, Sentence
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library

BATCH = 4
"""Number of papers in a batch."""


def paper(number: int, title: str = "An Inquiry into the Nature of Number") -> Paper:
    return Paper(
        f"P{number:04}",
        f"{title} {number}",
        "Sums are summed. " * (number % 7),
        (f"Ann Author{number}", "Bob Builder"),
        1990 + number % 30,
        "Journal of Numbers",
        f"10.1/{number}" if number % 2 else "",
    )


def batch(number: int) -> list[Record]:
    """Papers, with citing sentences and citations of the batch before, and a full text."""
    first = number * BATCH
    records: list[Record] = []
    for each in range(first, first + BATCH):
        cited = f"P{max(each - BATCH, 0):04}"
        records += [
            paper(each),
            Context(f"c{each}", f"P{each:04}", (cited,), f"As TARGETCIT {each} shows.", None),
            Citation(f"P{each:04}", cited, "test"),
        ]
    records.append(
        FullText(f"P{first:04}", (Sentence(0, "title", "An Inquiry"), Sentence(1, "", f"S{number}.")))
    )
    return records


def everything(library: Library) -> dict[str, Any]:
    """The complete contents of a library, read without knowing any id."""
    with library.reading():
        papers = list(library.numbered_papers())
        ids = [found.id for _, found in papers]
        return {
            "generation": library.generation,
            "papers": papers,
            "by id": library.papers(ids),
            "numbers": library.numbers(ids),
            "removed": library.removed_numbers(),
            "contexts": list(library.numbered_contexts()),
            "waiting": library.removed_contexts(),
            "edges": list(library.edges()),
            "texts": {identifier: library.full_text(identifier) for identifier in ids},
            "counts": library.counts(),
        }
