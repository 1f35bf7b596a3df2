"""Which papers of a collection are in an evaluation set, whatever its layout: by their ids and titles.

Ids differ between data sets, so that a title decides, too: the same words, in lower case. A paper that only
has the title of one in an evaluation set is left out as well, which costs a paper and hides no leak.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from citewhy.errors import InputError
from citewhy.text.source import open_raw_lines, read_bytes
from citewhy.text.tokens import words
from citewhy.train.collection import Collection

__all__ = ["leaked", "papers_of", "title_key", "titles_of"]

_MOST = 4 << 30
"""Bytes of a file that is read as a whole."""

_SHORTEST = 4
"""Words of a title that identifies a paper."""

_IDS = ("paper_id", "doc_id", "id", "corpus_id", "query_id", "citing_id")


def leaked(collection: Collection, files: Iterable[Path]) -> frozenset[str]:
    """Canonical ids of the papers of `collection` that occur in any of `files`.

    Read are JSON lines and JSON: of papers by id (SciDocs), of lines with an id and a title (MDCR, CSFCube,
    SciRepEval), with papers within papers (queries and candidates). Raises InputError for a file without any.
    """
    by_title = {title_key(paper.title): each for each, paper in collection.papers.items()}
    found = set()
    for file in files:
        count = 0
        for paper_id, title in papers_of(file):
            count += 1
            if (known := collection.canonical(paper_id)) in collection.papers:
                found.add(known)
            if len(key := title_key(title)) >= _SHORTEST and key in by_title:
                found.add(by_title[key])
        if not count:
            raise InputError(
                "there are no papers in this file",
                path=file,
                hint=f"expected JSON or JSON lines with {', '.join(_IDS[:3])} and title",
            )
    return frozenset(found)


def papers_of(file: Path) -> Iterator[tuple[str, str]]:
    """(id, title) of every paper in a file; either may be empty."""
    if file.name.split(".", 1)[-1].startswith("json") and "jsonl" not in file.name:
        try:
            document = orjson.loads(read_bytes(file, _MOST))
        except orjson.JSONDecodeError as error:
            raise InputError(f"not JSON ({error.msg})", path=file) from error
        if isinstance(document, dict):
            yield from ((str(paper_id), "") for paper_id in document)
        yield from _within(document)
        return
    for number, line in open_raw_lines(file):
        if line.strip():
            try:
                yield from _within(orjson.loads(line))
            except orjson.JSONDecodeError as error:
                raise InputError(f"not JSON ({error.msg})", path=file, line=number) from error


def _within(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for each in value:
            yield from _within(each)
    elif isinstance(value, dict):
        paper_id = next((str(value[name]) for name in _IDS if value.get(name) not in (None, "")), "")
        title = value.get("title")
        if paper_id or isinstance(title, str):
            yield paper_id, title if isinstance(title, str) else ""
        for each in value.values():
            if isinstance(each, dict | list):
                yield from _within(each)


def title_key(title: str) -> tuple[str, ...]:
    """What equal titles have in common."""
    return tuple(words(title))


def titles_of(file: Path) -> frozenset[tuple[str, ...]]:
    """Keys of the titles in a file that identify a paper."""
    keys = (title_key(title) for _, title in papers_of(file))
    return frozenset(key for key in keys if len(key) >= _SHORTEST)
