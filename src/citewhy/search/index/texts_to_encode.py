"""The texts of a library that are encoded, and their shards: which of several machines encodes which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citewhy.base.records import Context, Paper
from citewhy.base.reports import ToEncode
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import TextKind
from citewhy.search.encode.texts import context_text, paper_text, part_texts

Text = tuple[TextKind, str]
"""A text, and how it is encoded."""


def texts_of(record: object, encode: ToEncode) -> Iterator[Text]:
    """Yields what of a record is encoded by a choice: of a paper, and of a citing sentence."""
    if encode == "words-only":
        return
    if isinstance(record, Paper):
        yield "paper", paper_text(record)
        if encode == "full":
            yield from (("paper", text) for text in part_texts(record))
    elif isinstance(record, Context):
        yield "query", context_text(record)


def texts_in(library: Library, encode: ToEncode) -> Iterator[Text]:
    """Yields the texts of a library that are encoded by a choice; equal ones may come twice."""
    for _, paper in library.numbered_papers():
        yield from texts_of(paper, encode)
    for _, context in library.numbered_contexts():
        yield from texts_of(context, encode)


def of_shard(keyed: Iterable[tuple[bytes, Text]], shard: tuple[int, int]) -> Iterator[tuple[bytes, Text]]:
    """Yields those texts, with their keys, that are in a shard, which is a question of the key alone: so the
    shards of any collection are disjoint, and the same on every machine."""
    number, of = shard
    for key, text in keyed:
        if int.from_bytes(key[:8], "big") % of == number - 1:
            yield key, text
