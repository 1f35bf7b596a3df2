"""The input texts of QPCR: title and abstract of the citing paper, ``[TS]``, the topic sentence.

What is unknown is left out: a query without title and abstract is ``[TS]`` and the topic sentence.
"""

from __future__ import annotations

from dataclasses import replace

from citewhy.base.records import Query
from citewhy.search.encode.texts import query_text
from citewhy_lab.train.systems.qpcr.settings import ABSTRACT, TOPIC_MARK

__all__ = ["paragraph_text", "whole_text"]


def paragraph_text(query: Query) -> str:
    """Title and abstract, ``[TS]``, and the topic sentence."""
    return f"{whole_text(query)} {TOPIC_MARK} {query_text(replace(query, title=''))}".strip()


def whole_text(query: Query) -> str:
    """Title and abstract; empty if both are unknown."""
    abstract = query.abstract[:ABSTRACT]
    if len(query.abstract) > ABSTRACT:
        abstract = abstract.rpartition(" ")[0]
    return query_text(replace(query, kind="global", abstract=abstract))
