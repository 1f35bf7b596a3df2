"""Excludes copies of the citing document: own writings in the library that contain a query's sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citewhy.answers.same_document import CopiedSentences
from citewhy.papers.library.store import Library
from citewhy_lab.evaluate.datasets.topics import Topic

__all__ = ["copies_note", "exclude_copies"]


def exclude_copies(library: Library, topics: Sequence[Topic]) -> list[Topic]:
    """The topics, with each own writing that has a near-duplicate of a query's sentence in its `copy_ids`.

    A writing that is itself a relevant paper of the topic is not treated as a copy.
    """
    writings = CopiedSentences(library)
    return [_with_copies(topic, tuple(writings.with_copies(topic.query.text))) for topic in topics]


def copies_note(topics: Sequence[Topic]) -> list[str]:
    """A note for the report with the number of queries that have copies; empty if there are none."""
    count = sum(bool(topic.query.copy_ids) for topic in topics)
    return [f"for {count:,} queries, copies of the citing document were ignored"] if count else []


def _with_copies(topic: Topic, writings: tuple[str, ...]) -> Topic:
    copies = dict.fromkeys((*topic.query.copy_ids, *writings))
    kept = tuple(each for each in copies if each not in topic.relevant)
    return replace(topic, query=replace(topic.query, copy_ids=kept)) if kept else topic
