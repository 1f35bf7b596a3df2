"""Texts that went through wrong encodings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.text.repair import decode_lines, join_hyphenated, repair


@pytest.mark.parametrize(
    ("broken", "meant"),
    [
        ("modelâ€™s", "model’s"),
        ("a â€œweakerâ€\x9d classifier", "a “weaker” classifier"),
        ("GimeÂ´nez and DaumÃ© and tË†N", "Gime´nez and Daumé and tˆN"),
        ("ä¸\xadæ–‡", "中文"),
        ("&amp;quot;standard&amp;quot; &lt; 40 &#8212; Erkan&apos;s", '"standard" < 40 — Erkan\'s'),
        ("&nosuch; R&D &", "&nosuch; R&D &"),
        ("Daumé, Šnajder, “quoted”, â la carte, Âge", "Daumé, Šnajder, “quoted”, â la carte, Âge"),
        ("&amp;amp;amp;", "&amp;"),
    ],
)
def test_what_was_meant_is_found(broken: str, meant: str) -> None:
    """UTF-8 read as Windows-1252 and entities escaped twice are undone; what only looks odd stays."""
    assert repair(broken) == meant


@given(st.text())
def test_any_text_misread_once_comes_back(text: str) -> None:
    """What Windows-1252 makes of the UTF-8 of a text with no high sequences of its own is that text again."""
    text = "".join(c for c in text if c.isprintable() and c != "&" and not "\x80" <= c <= "\xff")
    misread = "".join(bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in text.encode())
    assert repair(misread) == text


def test_each_line_has_its_encoding() -> None:
    """UTF-8, Windows-1252 and Latin-1 in one file, with its line ends as they were."""
    data = b"\xef\xbb\xbfDaum\xc3\xa9\r\nDaum\xe9 \x93so\x94\n\x81\xe9\n"
    assert decode_lines(data) == "Daumé\r\nDaumé “so”\n\x81é\n"
    assert decode_lines("Daumé\n".encode()) == "Daumé\n"


def test_words_that_printed_lines_cut_are_whole() -> None:
    assert join_hyphenated("the seg\xad mentation of Chi\xadnese\xad") == "the segmentation of Chinese"
    assert join_hyphenated("well-known words") == "well-known words"
