"""Queries for paragraph-level recommendation as they are built (`building`), and their files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import orjson

from citewhy.base.artifact import folder_aside, replace_file
from citewhy.papers.formats.report import ImportReport

__all__ = ["BuiltParagraph", "Counts", "Sections", "split_by_year", "write_built"]

Sections = Literal["related", "all"]
"""``related``: paragraphs of the sections on related work; ``all``: of every section but the abstract and
what follows the text, if it cites a paper of the library."""


@dataclass(frozen=True, slots=True)
class BuiltParagraph:
    """A query with its answers. All ids are of the library, each once; no paper is in two of the lists."""

    query_id: str
    paper: str
    year: int
    title: str
    abstract: str
    topic_sentence: str
    cited_ids: tuple[str, ...]
    """Papers that the rest of the paragraph cites, at least one."""
    n_citations: int
    """Number of citations in the rest of the paragraph, resolved or not."""
    topic_ids: tuple[str, ...]
    """Further papers that the topic sentence itself cites: neither answers nor negatives."""
    related_ids: tuple[str, ...]
    """Further papers that other paragraphs of the related-work sections cite, or with `Sections` ``all``
    other paragraphs of the same section."""
    other_ids: tuple[str, ...]
    """Further papers that other sections cite."""


@dataclass(slots=True)
class Counts:
    """What was read, and what became of it."""

    papers: int = 0
    sections: int = 0
    """Papers with a section that may have queries: on related work, or any (`Sections`)."""
    unknown_year: int = 0
    """Of these, papers that are left out because their year is unknown."""
    paragraphs: int = 0
    """Paragraphs of these sections, of two sentences or more."""
    topics: int = 0
    """Of these, paragraphs that begin with a topic sentence."""
    queries: int = 0
    """Of these, paragraphs with at least one paper that the library has."""
    citations: int = 0
    """Citations in all sentences of papers with such a section."""
    resolved: int = 0
    report: ImportReport = field(default_factory=ImportReport)


def split_by_year(found: Iterable[BuiltParagraph], year: int) -> dict[str, list[BuiltParagraph]]:
    """``train``: before `year`; ``val``: of that year; ``test``: after it."""
    parts: dict[str, list[BuiltParagraph]] = {"train": [], "val": [], "test": []}
    for each in found:
        parts["train" if each.year < year else "val" if each.year == year else "test"].append(each)
    return parts


def write_built(found: Iterable[BuiltParagraph], year: int | None, out: Path) -> dict[str, int]:
    """Writes the folder `out`, with `year` split (`split_by_year`), and returns the number of queries by
    file. Raises StorageError."""
    parts = {"": list(found)} if year is None else split_by_year(found, year)
    written = {}
    with folder_aside(out) as folder:
        for part, rows in parts.items():
            name = f"paragraphs.{part}.jsonl" if part else "paragraphs.jsonl"
            lines = [orjson.dumps(asdict(each)) for each in rows]
            replace_file(folder / name, b"".join(line + b"\n" for line in lines))
            written[name] = len(rows)
    return written
