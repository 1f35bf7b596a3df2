"""Answers that are short enough for an assistant's context."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from citewhy.base.records import Paper, Suggestion

Answer = dict[str, Any]

MOST_BYTES = 3_600
"""Of the listed part of an answer as JSON, so that all of it stays below 4 kB."""

_TEXT = 300
_AUTHORS = 4

NOTHING_FITS = "No paper in the library fits: do not cite one for this."
SIMILAR = "The text names none of these for certain: compare titles and authors before you cite one."
UNKNOWN = "The library does not have it. This does not mean that it does not exist: ask the author."


def paper(one: Paper, key: str = "") -> Answer:
    """What identifies a paper; `id` and `key` are taken by all tools."""
    names = list(one.authors[:_AUTHORS]) + (["et al."] if len(one.authors) > _AUTHORS else [])
    fields = {"id": one.id, "key": key, "title": one.title, "authors": names, "year": one.year}
    return {name: value for name, value in fields.items() if value}


def suggestion(one: Suggestion) -> Answer:
    """A suggested paper: why, how probable it is, and the passage that supports it."""
    fields: Answer = {**paper(one.paper, one.key), "why": [cut(reason.text) for reason in one.reasons[:2]]}
    if one.probability is not None:
        fields["probability"] = round(one.probability, 3)
    if one.passages:
        fields["passage"] = cut(one.passages[0].text)
    if one.in_bibliography:
        fields["in_bibliography"] = True
    return fields


def cut(text: str, most: int = _TEXT) -> str:
    """The beginning of a text."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def listed(name: str, items: Iterable[Answer], first: int = 1, **others: Any) -> Answer:
    """An answer with as many items as fit; it says from where to go on, if some did not."""
    kept: list[Answer] = []
    size = len(json.dumps(others))
    every = list(items)
    for number, item in enumerate(every, first):
        size += len(json.dumps(item, ensure_ascii=False).encode()) + 2
        if size > MOST_BYTES and kept:
            return {**others, name: kept, "left": len(every) - len(kept), "go_on_with_first": number}
        kept.append(item)
    return {**others, name: kept}
