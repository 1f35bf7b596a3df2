"""A question whose sentence stands in one of the owner's own writings is asked without that writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citewhy.evaluate.datasets.topics import Topic
from citewhy.library.store import Library
from citewhy.same_document import WritingsByWords

__all__ = ["copies_note", "without_copies"]


def without_copies(library: Library, topics: Sequence[Topic]) -> list[Topic]:
    """The topics, where needed with the writings that have a near-duplicate of their sentence as copies."""
    writings = WritingsByWords(library)
    return [_without(topic, tuple(writings.with_copies(topic.query.text))) for topic in topics]


def copies_note(topics: Sequence[Topic]) -> list[str]:
    """What has to be said of it; empty where there is nothing to say."""
    count = sum(bool(topic.query.copy_ids) for topic in topics)
    return [f"for {count:,} questions, the library's copies of the document do not count"] if count else []


def _without(topic: Topic, writings: tuple[str, ...]) -> Topic:
    copies = dict.fromkeys((*topic.query.copy_ids, *writings))
    kept = tuple(each for each in copies if each not in topic.relevant)
    return replace(topic, query=replace(topic.query, copy_ids=kept)) if kept else topic
