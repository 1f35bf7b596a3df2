"""Makes small libraries for tests, and lists the complete contents of an index."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Candidate, Citation, Context, Paper
from citewhy.papers.formats import Record, read
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.search.index.bm25 import Field
from citewhy.search.index.fields import BM25
from citewhy.search.index.opened import Index
from citewhy.search.index.tables import Tables

TOY_FILES = ("papers.jsonl", "paper_aliases.tsv", "contexts.jsonl", "citations.tsv", "fulltext.jsonl")

PLAIN = BM25(k1=1.2, b=0.75)


def paper(name: str, title: str = "", abstract: str = "", year: int | None = 2000, **more: Any) -> Paper:
    """A paper with a unique title."""
    return Paper(name, title or f"Untitled {name}", abstract, year=year, **more)


def context(name: str, citing: str, cited: str, text: str, year: int | None = None) -> Context:
    """A context; `cited` are ids, separated by spaces."""
    return Context(name, citing, tuple(cited.split()), text, year)


def cites(*pairs: str) -> list[Citation]:
    """Citations, each given as "citing cited"."""
    return [Citation(citing, cited, "test") for citing, cited in map(str.split, pairs)]


def make(folder: Path, records: Iterable[Record]) -> Library:
    """A library with these records, added in one commit."""
    library = Library.open(folder, create=True)
    library.add(records)
    return library


def make_toy(folder: Path, toy: Path) -> Library:
    """The toy corpus as a library."""
    library = Library.open(folder, create=True)
    report = ImportReport()
    for name in TOY_FILES:
        library.add(read(toy / name, report), report)
    return library


def exact(candidates: Iterable[Candidate]) -> list[tuple[str, str]]:
    """Ids and exact scores."""
    return [(candidate.paper_id, candidate.score.hex()) for candidate in candidates]


@contextmanager
def unsynced() -> Iterator[None]:
    """Within the block, files are not synced to disk, for tests that do not simulate power failures."""
    with mock.patch.object(os, "fsync", return_value=None):
        yield


@contextmanager
def rebuilt(library: Library) -> Iterator[Index]:
    """An index of the library that is built anew; the existing one is set aside meanwhile."""
    own, aside = library.folder / "index", library.folder / "index aside"
    own.rename(aside)
    try:
        yield open_index(library)
    finally:
        shutil.rmtree(own)
        aside.rename(own)


def index_contents(index: Index, words: Iterable[str]) -> dict[str, Any]:
    """The complete contents of an index by paper id and number of citing sentence, independent of rows and
    segments."""
    tables = index.tables
    living = np.flatnonzero(tables.alive).tolist()
    ids = {row: tables.paper_id(row) for row in living}
    sentences = sorted(set(tables.pair_context.tolist()))
    return {
        "papers": {
            ids[row]: (
                row,
                int(tables.years[row]),
                bool(tables.abstracts[row]),
                int(tables.venue_hashes[tables.venues[row] - 1]) if tables.venues[row] else 0,
                tables.author_hashes[
                    tables.authors[tables.author_starts[row] : tables.author_starts[row + 1]]
                ].tolist(),
                sorted(
                    ids[int(tables.citing[place])]
                    for place in tables.by_cited[slice(*tables.cited_starts[row : row + 2])]
                ),
                sorted(ids[int(cited)] for cited in tables.cited[tables.made_by(row)]),
            )
            for row in living
        },
        "order": sorted(ids.values())
        == [ids[row] for row in sorted(living, key=tables.id_ranks.__getitem__)],
        "author papers": _grouped(
            ids, tables.author_hashes, tables.author_papers, tables.author_paper_starts
        ),
        "named papers": _grouped(ids, tables.name_hashes, tables.name_papers, tables.name_paper_starts),
        "sentences": {
            number: (int(tables.context_years[number]), _writer(tables, int(tables.context_citing[number])))
            for number in sentences
        },
        "pairs": [
            (number, ids[cited])
            for number, cited in zip(tables.pair_context.tolist(), tables.pair_cited.tolist(), strict=True)
        ],
        "text": _field_contents(index.text, living, words),
        "title": _field_contents(index.title, living, words),
        "contexts": _field_contents(index.contexts, sentences, words),
    }


def _grouped(ids: dict[int, str], hashes: Any, papers: Any, starts: Any) -> dict[int, list[str]]:
    """Ids of papers by a hash, without hashes that no paper has any more."""
    groups = zip(hashes.tolist(), starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return {
        value: [ids[row] for row in papers[start:end].tolist()] for value, start, end in groups if start < end
    }


def _citations_of(tables: Tables, row: int) -> Any:
    """Indices of the citations that a paper receives."""
    return tables.by_cited[tables.cited_starts[row] : tables.cited_starts[row + 1]]


def _writer(tables: Tables, citing: int) -> str:
    return tables.paper_id(citing) if citing >= 0 else f"stranger {tables.stranger_hashes[-2 - citing]}"


def _field_contents(field: Field, documents: list[int], words: Iterable[str]) -> dict[str, Any]:
    others = np.setdiff1d(np.arange(field.rows), documents)
    answers: dict[str, Any] = {"size": field.size, "mean": field.mean_length}
    for word in words:
        scores = field.scores({word: 1.0}, PLAIN)
        assert not scores[others].any(), "something that is not there has a score"
        cover = field.cover([word])
        answers[word] = (
            field.document_frequencies([word]),
            scores[documents].tolist(),
            cover[documents].tolist(),
        )
    answers["terms"] = field.telling_terms(
        np.array(documents, dtype=np.int32), np.ones(len(documents), dtype=np.float32), PLAIN, count=1000
    )
    return answers
