"""Repair of encoding errors: mixed encodings, UTF-8 decoded as Windows-1252, entities escaped twice; and of
words that were hyphenated at the end of a printed line.

Text that is not recognisably broken stays as it is.
"""

from __future__ import annotations

import html
import re

_HIGH = "".join(bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in range(0x80, 0xC0))
"""The second to fourth byte of a UTF-8 character, decoded as Windows-1252 (its five gaps as Latin-1)."""

_BYTES = {character: byte for byte, character in enumerate(_HIGH, start=0x80)}
_BYTES |= {chr(byte): byte for byte in range(0xC0, 0x100)}
_MISREAD = re.compile(f"[\u00c2-\u00df][{_HIGH}]|[\u00e0-\u00ef][{_HIGH}]{{2}}|[\u00f0-\u00f4][{_HIGH}]{{3}}")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_ESCAPED_TWICE = 2
_SOFT_HYPHEN = "\xad"


def decode_lines(data: bytes) -> str:
    """Decodes each line by itself: as UTF-8, failing that as Windows-1252, failing that as Latin-1.

    Line ends and the number of lines are kept. For files that several tools or people wrote one after the
    other; for a file with one encoding use `source.decode`.
    """
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return "\n".join(map(_decode_line, data.removeprefix(b"\xef\xbb\xbf").split(b"\n")))


def _decode_line(line: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            continue
    return line.decode("latin-1")


def is_encodable(text: str) -> bool:
    """Tells whether a text has a form in UTF-8: it has no half of a character, as names of files may have."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def repair(text: str) -> str:
    """The text with its encoding errors undone.

    >>> repair("a â€œweakâ€\x9d tagger &amp;amp; Erkan&apos;s")
    "a “weak” tagger & Erkan's"
    """
    return _MISREAD.sub(_as_utf8, unescaped(text))


def unescaped(text: str) -> str:
    """The text with the characters that entities of HTML stand for, also where they were escaped twice.

    >>> unescaped("It&rsquo;s Q&amp;amp;A; AT&T;")
    'It’s Q&A; AT&T;'
    """
    for _ in range(_ESCAPED_TWICE):
        if _ENTITY.search(text) is None:
            break
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return text


def _as_utf8(misread: re.Match[str]) -> str:
    try:
        return bytes(_BYTES[character] for character in misread[0]).decode()
    except UnicodeDecodeError:
        return misread[0]


def join_hyphenated(text: str) -> str:
    """The text without soft hyphens, which extraction from PDF leaves where a printed line cut a word.

    >>> join_hyphenated("seg\xad mentation of Chi\xadnese")
    'segmentation of Chinese'
    """
    return text.replace(f"{_SOFT_HYPHEN} ", "").replace(_SOFT_HYPHEN, "")
