"""The texts of an editor: changes and positions, in all three encodings."""

from __future__ import annotations

import random

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec

from citewhy.doors.lsp.buffers import Buffer, Lines

ENCODINGS = ["utf-8", "utf-16", "utf-32"]

PIECES = [
    "a",
    "word ",
    "\n",
    "\r\n",
    "\r",
    "é",
    "日本",
    "😀",
    "𝒳",
    "\u2028",
    "\x0c",
    "\x1c",
    "\\cite{x}",
    " ",
]


def units(text: str, encoding: str) -> int:
    sizes = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
    codec, size = sizes[encoding]
    return len(text.encode(codec)) // size


def position(text: str, offset: int, encoding: str) -> types.Position:
    """A position, computed as the protocol describes it: lines end with \\n, \\r\\n or \\r, and no others."""
    line, start, at = 0, 0, 0
    while at < offset:
        if text[at] == "\n" or (text[at] == "\r" and text[at + 1 : at + 2] != "\n"):
            line, start = line + 1, at + 1
        at += 1
    return types.Position(line, units(text[start:offset], encoding))


def buffer(text: str, encoding: str) -> Buffer:
    return Buffer("file:///a.tex", text, 1, position_codec=PositionCodec(encoding))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_are_offsets_and_back(encoding: str) -> None:
    text = "a😀b\r\nsecond\rthird é\x0c\u2028x\n"
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # within the end of a line
        assert lines.position(offset) == position(text, offset, encoding)
        assert lines.offset(lines.position(offset)) == offset


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_beyond_the_end_are_at_the_end(encoding: str) -> None:
    lines = Lines("ab😀\ncd", encoding)
    assert lines.offset(types.Position(0, 99)) == 3
    assert lines.offset(types.Position(1, 99)) == 6
    assert lines.offset(types.Position(9, 0)) == 6


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.full)])
def test_the_copy_of_the_server_is_that_of_the_editor(encoding: str, count: int) -> None:
    """Random changes: the text after each is what the editor has."""
    chance = random.Random(f"{encoding} {count}")
    text = "".join(chance.choices(PIECES, k=40))
    copy = buffer(text, encoding)
    for _ in range(count):
        start = chance.randint(0, len(text))
        end = chance.randint(start, min(len(text), start + 12))
        # An editor has no position between the characters of a line's end.
        start -= text[start - 1 : start + 1] == "\r\n"
        end += text[end - 1 : end + 1] == "\r\n"
        new = "".join(chance.choices(PIECES, k=chance.randint(0, 4)))
        where = types.Range(position(text, start, encoding), position(text, end, encoding))
        if chance.random() < 0.02:
            text = "".join(chance.choices(PIECES, k=30))
            copy.apply_change(types.TextDocumentContentChangeWholeDocument(text))
        else:
            text = text[:start] + new + text[end:]
            copy.apply_change(types.TextDocumentContentChangePartial(where, new))
        assert copy.text == text
        assert "".join(copy.lines) == text
        if len(text) > 400:
            text = text[:100]
            copy.apply_change(types.TextDocumentContentChangeWholeDocument(text))
