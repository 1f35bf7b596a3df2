"""Inline rules for Pandoc's Markdown: citations, mathematics, notes, attributes."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, link
from markdown_it.token import Token

from citewhy.drafts.markdown.pandoc import Citations

__all__ = ["AT", "INLINE_RULES", "State"]

AT = "at"
"""The key in `Token.meta` of a token's offset in the content of its block."""

_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,200}\]")
_ATTRIBUTES = re.compile(r"\{[#.=a-zA-Z-][^{}\n]{0,500}\}")
_CLOSING_DOLLAR = re.compile(r"(?<=[^\s\\])\$(?!\d)")


class State(StateInline):
    """The parser's state, extended to record where tokens begin. ``env["defined"]`` has the defined keys."""

    def __init__(self, src: str, md: MarkdownIt, env: Any, out: list[Token]) -> None:
        super().__init__(src, md, env, out)
        self.citations = Citations(src, env["defined"], unread=env.get("unread", False))
        self.dollars: list[int] = [found.end() for found in _CLOSING_DOLLAR.finditer(src)]
        self.last_closing = src.rfind("]")
        self._pending_at = 0
        self._delimiters_at = (-1, 0)

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_at = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802 (the parser's name)
        token = super().pushPending()
        token.meta = {AT: self._pending_at}
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        at = self.pos
        if ttype == "text":  # "***" becomes three tokens at one position of the parser
            at, count = self._delimiters_at
            count = count + 1 if at == self.pos else 0
            self._delimiters_at = (self.pos, count)
            at = self.pos + count
        token.meta = {AT: at}
        return token


def _cited(state: StateInline, silent: bool) -> bool:
    """``@key``, ``-@key``, ``[@key; …]``, and placeholders for citations in brackets."""
    assert isinstance(state, State)
    place, first = state.pos, state.src[state.pos]
    if first == "[" and (mark := _FOOTNOTE_MARK.match(state.src, place)):
        return _skip(state, mark.end(), silent)
    if first == "[":
        found = state.citations.bracket(place)
        if found and state.src[found.end : found.end + 1] in {"(", "["} and _is_link(state):
            return False
    elif first == "@" or (first == "-" and state.src[place + 1 : place + 2] == "@"):
        if _in_address(state.src, place):
            return False
        found = state.citations.in_text(place)
    else:
        return False
    if found is None or found.end > state.posMax:
        return False
    if not silent:
        state.push("cited", "", 0).meta["found"] = found
    state.pos = found.end
    return True


def _lone_bracket(state: StateInline, silent: bool) -> bool:
    """An unmatched bracket is text. The parser would search for its end up to the end of the block."""
    assert isinstance(state, State)
    if state.src[state.pos] != "[" or state.pos < state.last_closing:
        return False
    if not silent:
        state.append_pending("[")
    state.pos += 1
    return True


def _is_link(state: StateInline) -> bool:
    place = state.pos
    found = link(state, True)
    state.pos = place
    return found


def _in_address(text: str, place: int) -> bool:
    """Whether an ``@`` is part of a URL: https://example.org/@name."""
    word = re.search(r"\S*$", text[max(0, place - 200) : place])
    return word is not None and "://" in word[0]


def _math(state: StateInline, silent: bool) -> bool:
    """``$x$`` by Pandoc's rules (no space inside, no digit after), and ``$$x$$``."""
    assert isinstance(state, State)
    text, place = state.src, state.pos
    if text[place] != "$":
        return False
    if text.startswith("$$", place):
        end = text.find("$$", place + 2, state.posMax) + 2
        if end < place + 5:
            return False
    else:
        if text[place + 1 : place + 2].strip() == "":
            return False
        number = bisect.bisect_right(state.dollars, place + 2)
        if number == len(state.dollars) or state.dollars[number] > state.posMax:
            return False
        end = state.dollars[number]
    if not silent:
        state.push("math", "", 0).meta["end"] = end
    state.pos = end
    return True


def _note(state: StateInline, silent: bool) -> bool:
    """An inline footnote: ``^[text]``."""
    assert isinstance(state, State)
    if not state.src.startswith("^[", state.pos):
        return False
    end = state.citations.closing(state.pos + 1)
    if end is None or end > state.posMax:
        return False
    if not silent:
        token = state.push("note", "", 0)
        token.content = state.src[state.pos + 2 : end - 1]
        token.meta[AT] = state.pos + 2
    state.pos = end
    return True


def _attributes(state: StateInline, silent: bool) -> bool:
    """``{#id .class}`` after a bracket or code."""
    place = state.pos
    if state.src[place] != "{" or place == 0 or state.src[place - 1] not in ")]`":
        return False
    found = _ATTRIBUTES.match(state.src, place)
    return found is not None and _skip(state, found.end(), silent)


def _skip(state: StateInline, end: int, silent: bool) -> bool:
    """Skips what is not text. A token marks the gap, so that the text around it is not joined."""
    if not silent:
        state.push("skipped", "", 0)
    state.pos = end
    return True


INLINE_RULES: tuple[tuple[str, Callable[[StateInline, bool], bool]], ...] = (
    ("lone", _lone_bracket),
    ("cited", _cited),
    ("math", _math),
    ("note", _note),
    ("attributes", _attributes),
)
"""In the order in which they are tried."""
