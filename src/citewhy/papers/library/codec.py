"""Encoding records as bytes. Later versions may append fields, but must not remove any."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from citewhy.base.records import (
    CitingSentence,
    Context,
    FullText,
    Paper,
    Reference,
    ReferenceList,
    Sentence,
    Writing,
)

__all__ = [
    "StoredContext",
    "context_data",
    "paper_data",
    "read_context",
    "read_paper",
    "read_references",
    "read_text",
    "read_writing",
    "references_data",
    "text_data",
    "writing_data",
]


class StoredContext(NamedTuple):
    """The fields of a context except its own ids, as they were added."""

    cited_ids: list[str]
    text: str
    year: int | None
    section: str
    intent: str


def paper_data(paper: Paper) -> bytes:
    """Raises TypeError if a field cannot be stored: an unpaired surrogate, a number beyond 64 bits."""
    own = (True,) if paper.own else ()
    return orjson.dumps(
        (paper.title, paper.abstract, paper.authors, paper.year, paper.venue, paper.doi, paper.url, *own)
    )


def read_paper(identifier: str, data: bytes | str) -> Paper:
    title, abstract, authors, *others = orjson.loads(data)
    return Paper(identifier, title, abstract, tuple(authors), *others)


def context_data(context: Context) -> bytes:
    """Raises TypeError like `paper_data`."""
    return orjson.dumps((context.cited_ids, context.text, context.year, context.section, context.intent))


def read_context(data: bytes) -> StoredContext:
    return StoredContext(*orjson.loads(data))


def text_data(text: FullText) -> bytes:
    """Compressed to about a third. Raises TypeError like `paper_data`."""
    return zlib.compress(orjson.dumps([(s.sid, s.section, s.text) for s in text.sentences]), level=1)


def read_text(paper_id: str, data: bytes) -> FullText:
    return FullText(paper_id, tuple(Sentence(*fields) for fields in orjson.loads(zlib.decompress(data))))


def references_data(found: ReferenceList) -> bytes:
    """Only for staging, never stored in a library. Raises TypeError like `paper_data`."""
    return orjson.dumps(
        (
            found.year,
            found.source,
            *_listed(found.references, found.sentences),
        )
    )


def read_references(citing_id: str, data: bytes) -> ReferenceList:
    year, source, references, sentences = orjson.loads(data)
    return ReferenceList(citing_id, _references(references), _sentences(sentences), year, source)


def writing_data(found: Writing) -> bytes:
    """Only staged, never stored. Raises TypeError as `paper_data` does."""
    paper = paper_data(found.paper).decode()
    return orjson.dumps((paper, found.nocite, *_listed(found.references, found.sentences)))


def read_writing(paper_id: str, data: bytes) -> Writing:
    paper, nocite, references, sentences = orjson.loads(data)
    return Writing(read_paper(paper_id, paper), _references(references), _sentences(sentences), tuple(nocite))


def _listed(references: Sequence[Reference], sentences: Sequence[CitingSentence]) -> tuple[Any, Any]:
    return (
        [(each.key, each.paper.id, paper_data(each.paper).decode()) for each in references],
        [(each.sid, each.section, each.pieces) for each in sentences],
    )


def _references(listed: Any) -> tuple[Reference, ...]:
    return tuple(Reference(key, read_paper(identifier, paper)) for key, identifier, paper in listed)


def _sentences(listed: Any) -> tuple[CitingSentence, ...]:
    return tuple(
        CitingSentence(sid, section, tuple(p if isinstance(p, str) else tuple(p) for p in pieces))
        for sid, section, pieces in listed
    )
