"""Makes an encoder folder of published vectors for the papers of a library (`encode.published`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress, silent
from citewhy.base.records import Paper
from citewhy.base.reports import AdoptedReport
from citewhy.models import check_new
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.store import Library
from citewhy.search.encode import paper_text
from citewhy.search.encode.published import adopt
from citewhy.text.doi import clean_doi
from citewhy.text.source import open_raw_lines

_IDS = ("corpusid", "paperId", "paper_id", "openalex_id", "id", "doi")
_VECTORS = ("vector", "embedding", "embeddings")
_SITE = "https://openalex.org/"
_AT_ONCE = 512
"""Rows whose ids are looked up at once."""

_EXPECTED = (
    'expected lines such as {"corpusid": 3, "vector": "[0.1, …]"} or {"doi": "…", "embedding": [0.1, …]}'
)

Row = tuple[str, str, Any, Path, int]
"""A kind of id, the id, its vector as it is written, and the place of both."""


def adopt_embeddings(
    library_folder: Path,
    rows: Sequence[Path],
    out: Path,
    *,
    source: str,
    licence: str,
    name: str = "",
    network: Path | None = None,
    progress: Progress = silent,
) -> AdoptedReport:
    """Writes an encoder folder `out` of the vectors that JSON lines in the files `rows` have of papers of the
    library: by ``corpusid`` (Semantic Scholar), OpenAlex's id, DOI, or the id that the library has. `source`
    and `licence` say whose they are; `network` is the folder of an encoder of other texts in the same space.

    Raises InputError for a line that is none of these or if `out` exists, ModelError if no paper has a row.
    """
    check_new(out)
    found: dict[str, str] = {}
    """Canonical ids of papers that have a row → the kind of id by which it was found."""
    count = 0
    with Library.open(library_folder) as library, library.reading():

        def vectors() -> Iterator[tuple[Iterable[str], NDArray[np.float32]]]:
            nonlocal count
            read = itertools.chain.from_iterable(map(_rows, rows))
            for some in pieces(read, _AT_ONCE):
                count += len(some)
                progress(f"looking for papers: {count:,} vectors, {len(found):,} papers", None)
                papers = _papers(library, [row[:2] for row in some])
                for kind, identifier, written, path, line in some:
                    paper = papers.get((kind, identifier))
                    if paper is not None and paper.id not in found:
                        vector = _vector(written, path, line)
                        found[paper.id] = kind
                        yield [paper_text(paper)], vector

        def facts() -> dict[str, Any]:
            kinds = sorted(set(found.values()))
            return {"source": source, "licence": licence, "ids": kinds, "papers": len(found)}

        called = name or f"published vectors ({source})"
        refused = adopt(out, called, facts, vectors(), network)
        papers = len(library.ids())
    return AdoptedReport(
        folder=str(out),
        encoder=called,
        rows=count,
        found=len(found) - refused,
        papers=papers,
        refused=refused,
        reads_texts=network is not None,
    )


def _rows(path: Path) -> Iterator[Row]:
    """Yields the rows of a file. Raises InputError for a line that is none."""
    for number, line in open_raw_lines(path):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            kind = next(key for key in _IDS if row.get(key) not in (None, ""))
            written = next(row[key] for key in _VECTORS if key in row)
        except (ValueError, AttributeError, StopIteration) as error:
            raise InputError(
                "this is no vector of a paper", path=path, line=number, hint=_EXPECTED
            ) from error
        yield (*_identifier(kind, str(row[kind])), written, path, number)


def _identifier(kind: str, value: str) -> tuple[str, str]:
    """The kind of an id, and the id as a library has it."""
    if kind == "corpusid":
        return kind, f"CorpusId:{value}"
    if value.startswith(_SITE):
        return "openalex", value.removeprefix(_SITE)
    doi = clean_doi(value) if kind == "doi" or "10." in value else ""
    return ("doi", doi) if doi else (kind, value)


def _papers(library: Library, identifiers: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Paper]:
    """The papers of a library that have these ids."""
    named = dict.fromkeys(identifiers)
    of_dois = {doi: library.with_doi(doi) for kind, doi in named if kind == "doi"}
    ids = [identifier for kind, identifier in named if kind != "doi"]
    papers = library.papers([*ids, *itertools.chain.from_iterable(of_dois.values())])
    found = {}
    for kind, identifier in named:
        names = of_dois[identifier] if kind == "doi" else [identifier]
        if names and names[0] in papers:
            found[kind, identifier] = papers[names[0]]
    return found


def _vector(written: Any, path: Path, line: int) -> NDArray[np.float32]:
    """A vector that is an array, or an array in a string. Raises InputError for anything else."""
    try:
        values = orjson.loads(written) if isinstance(written, str) else written
        vector = np.array(values, dtype=np.float32)
    except (ValueError, TypeError) as error:
        raise InputError("the vector cannot be read", path=path, line=line, hint=_EXPECTED) from error
    if vector.ndim != 1 or not len(vector):
        raise InputError("the vector is no list of numbers", path=path, line=line, hint=_EXPECTED)
    return vector
