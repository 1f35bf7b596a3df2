"""Titles and abstracts with remains of markup: HTML and JATS tags, escaped characters."""

from __future__ import annotations

import html
import re

from citewhy.text.tidy import tidy

__all__ = ["MARKUP", "plain"]

MARKUP = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|sc|scp|tt|p|br|jats:[a-z-]+|mml:[a-zA-Z]+|span|italic|bold|inf)\s*/?>"
    r"|<(?:p|span|jats:[a-z-]+|mml:[a-zA-Z]+) [a-zA-Z][^<>]{0,2000}>",
    re.IGNORECASE,
)
"""Formatting tags that titles and abstracts may have; a literal ``<i>`` cannot be distinguished from them."""

_BLOCK = re.compile(r"</?(?:p|br|jats:(?:p|title|sec|list|list-item))\b[^<>]{0,2000}>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_ESCAPED_TWICE = 2


def plain(text: str) -> str:
    """One tidy line without markup; tags that separate paragraphs become a space.

    >>> plain("<jats:p>Q&amp;A with H<sub>2</sub>O</jats:p><jats:p>a &lt; b</jats:p>")
    'Q&A with H2O a < b'
    """
    if "<" not in text and "&" not in text:
        return tidy(text)
    for _ in range(_ESCAPED_TWICE + 1):
        if "<" in text:
            text = MARKUP.sub("", _BLOCK.sub(" ", text))
        if "&" not in text or not _ENTITY.search(text):
            break
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return tidy(text)
