"""Titles with markup, as `Publication.title` has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from citewhy.text.marked_up import MATHEMATICS

Mark = Literal["text", "mathematics", "open", "close"]

_TAG = re.compile(r"<(?P<closes>/)?(?P<name>i|b|sup|sub|span|sc)(?P<rest> [^<>]*)?>|" + MATHEMATICS.pattern)
"""A tag of CSL, or mathematics."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a title: text, mathematics without its dollars, or a tag that opens or closes."""

    mark: Mark
    text: str
    """Holds the name of a tag; ``nocase`` for a span that protects capitals."""


def pieces(title: str) -> Iterator[Piece]:
    """The pieces of a title in order. A tag that closes nothing is text, and all that are open at the end are
    closed there."""
    start = 0
    opened: list[str] = []
    for match in _TAG.finditer(title):
        if match["closes"] and not opened:
            continue
        if match.start() > start:
            yield Piece("text", title[start : match.start()])
        start = match.end()
        if match["mathematics"]:
            yield Piece("mathematics", match["mathematics"])
        elif match["closes"]:
            yield Piece("close", opened.pop())
        else:
            opened.append("nocase" if "nocase" in (match["rest"] or "") else match["name"])
            yield Piece("open", opened[-1])
    if start < len(title):
        yield Piece("text", title[start:])
    for name in reversed(opened):
        yield Piece("close", name)
