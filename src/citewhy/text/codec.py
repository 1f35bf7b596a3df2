"""Encoding records as bytes. Later versions may append fields, but must not remove any."""

from __future__ import annotations

import dataclasses
import operator
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from citewhy.base.records import (
    CitingSentence,
    Context,
    FullText,
    Name,
    Paper,
    Publication,
    Reference,
    ReferenceList,
    Sentence,
    SourceEntry,
    Writing,
)
from citewhy.text.packing import pack, unpack

__all__ = [
    "StoredContext",
    "context_data",
    "paper_data",
    "paper_text",
    "read_context",
    "read_paper",
    "read_references",
    "read_text",
    "read_writing",
    "references_data",
    "same_paper_data",
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
    """A paper's `paper_text`, compressed: record and source entry have mostly the same words. Raises as it
    does."""
    return _PACKED + pack(paper_text(paper))


def paper_text(paper: Paper) -> bytes:
    """A list of the fields as JSON, without those that are empty at its end, and after a zero byte the source
    entry. Raises TypeError if a field cannot be stored: an unpaired surrogate, a number beyond 64 bits."""
    publication = None if paper.publication is None else _publication_data(paper.publication)
    others = (paper.own, publication) if publication else (True,) if paper.own else ()
    authors = _names_data(paper.authors)
    text = orjson.dumps(
        (paper.title, paper.abstract, authors, paper.year, paper.venue, paper.doi, paper.url, *others)
    )
    if (source := paper.source) is not None:
        text += _SOURCE + orjson.dumps((source.format, source.text, source.key, source.file))
    return text


def read_paper(identifier: str, data: bytes) -> Paper:
    fields, _, entry = _content(data).partition(_SOURCE)
    title, abstract, authors, year, venue, doi, url, *others = orjson.loads(fields)
    own, publication = (*others, False, None)[:2] if len(others) < 2 else others[:2]
    return Paper(
        identifier,
        title,
        abstract,
        _read_names(authors),
        year,
        venue,
        doi,
        url,
        own,
        _read_publication(publication) if publication else None,
        SourceEntry(*orjson.loads(entry)) if entry.startswith(b"[") else None,
    )


def same_paper_data(one: bytes, other: bytes) -> bool:
    """Whether two results of `paper_data` say the same, also if different versions packed them."""
    return one == other or _content(one) == _content(other)


def _content(data: bytes) -> bytes:
    return unpack(data[1:]) if data[:1] == _PACKED else data  # libraries of version 1 are not packed


_PACKED = b"\x01"
"""Begins a packed record; no JSON begins so."""
_SOURCE = b"\0"
"""Begins what follows the fields of a paper; JSON has no such byte."""

_NAME_LISTS = frozenset({"editors", "translators"})
_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Publication)}
_values_of = operator.attrgetter(*_DEFAULTS)


def _publication_data(publication: Publication) -> dict[str, Any]:
    return {
        name: _names_data(value) if name in _NAME_LISTS else value
        for name, value in zip(_DEFAULTS, _values_of(publication), strict=True)
        if value
    }


def _read_publication(data: dict[str, Any]) -> Publication:
    """Fields of later versions are ignored."""
    known = {name: value for name, value in data.items() if name in _DEFAULTS}
    for name in _NAME_LISTS & known.keys():
        known[name] = _read_names(known[name])
    if "keywords" in known:
        known["keywords"] = tuple(known["keywords"])
    return Publication(**known)


def _names_data(names: Sequence[str]) -> list[str | list[str]]:
    """A name without known parts as text; the others as a list of parts, a name that is one whole as a list
    of one."""
    return [_name_data(name) if isinstance(name, Name) else name for name in names]


def _name_data(name: Name) -> list[str]:
    if name.is_literal:
        return [str(name)]
    parts = [name.given, name.family, name.particle, name.suffix, name.dropping]
    while len(parts) > 2 and not parts[-1]:
        parts.pop()
    return parts


def _read_names(data: list[str | list[str]]) -> tuple[str, ...]:
    return tuple([name if isinstance(name, str) else _read_name(name) for name in data])


def _read_name(parts: list[str]) -> Name:
    return Name.literal(parts[0]) if len(parts) == 1 else Name(*parts)


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


def references_data(listed: ReferenceList) -> bytes:
    """Only for staging, never stored in a library. Raises TypeError like `paper_data`."""
    return orjson.dumps(
        (
            listed.year,
            listed.source,
            *_listed(listed.references, listed.sentences),
        )
    )


def read_references(citing_id: str, data: bytes) -> ReferenceList:
    year, source, references, sentences = orjson.loads(data)
    return ReferenceList(citing_id, _references(references), _sentences(sentences), year, source)


def writing_data(writing: Writing) -> bytes:
    """Only staged, never stored. Raises TypeError as `paper_data` does."""
    paper = _as_text(writing.paper)
    return orjson.dumps((paper, writing.nocite, *_listed(writing.references, writing.sentences)))


def read_writing(paper_id: str, data: bytes) -> Writing:
    paper, nocite, references, sentences = orjson.loads(data)
    return Writing(
        read_paper(paper_id, paper.encode(_BYTES)),
        _references(references),
        _sentences(sentences),
        tuple(nocite),
    )


_BYTES = "latin-1"
"""The encoding that has a character for every byte, for bytes inside of JSON."""


def _as_text(paper: Paper) -> str:
    return paper_data(paper).decode(_BYTES)


def _from_text(identifier: str, text: str) -> Paper:
    return read_paper(identifier, text.encode(_BYTES))


def _listed(references: Sequence[Reference], sentences: Sequence[CitingSentence]) -> tuple[Any, Any]:
    return (
        [(reference.key, reference.paper.id, _as_text(reference.paper)) for reference in references],
        [(sentence.sid, sentence.section, sentence.pieces) for sentence in sentences],
    )


def _references(listed: Any) -> tuple[Reference, ...]:
    return tuple(Reference(key, _from_text(identifier, paper)) for key, identifier, paper in listed)


def _sentences(listed: Any) -> tuple[CitingSentence, ...]:
    return tuple(
        CitingSentence(sid, section, tuple(p if isinstance(p, str) else tuple(p) for p in pieces))
        for sid, section, pieces in listed
    )
