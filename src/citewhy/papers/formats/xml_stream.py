"""Large XML files record by record, in bounded memory.

Entities, network access and document types are disabled, as in `markup`.
"""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Collection, Iterator

from lxml import etree

from citewhy.base.errors import InputError
from citewhy.papers.formats.markup import Element
from citewhy.text.source import FilePath, invalid_utf8, open_blocks, open_raw_lines
from citewhy.text.tidy import shorten

__all__ = ["elements"]

_MOST_DIGITS = 7
"""Length of a character reference; the largest character has seven decimal digits."""

_BAD = re.compile(
    rb"&(?:([A-Za-z][A-Za-z0-9]{0,30});|#(?:[xX]([0-9A-Fa-f]{1,8})|([0-9]{1,9}));)?|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)
"""Character references, bare ampersands, and characters that XML forbids."""
_OF_XML = (b"amp", b"lt", b"gt", b"quot", b"apos")
_TAIL = 40
"""Bytes at the end of a block that may be the beginning of a reference."""
_OTHER_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*\bencoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)


def elements(
    path: FilePath, tags: Collection[str], roots: Collection[str], expected: str
) -> Iterator[Element]:
    """The outermost elements named `tags`, one at a time; each is freed when the next one is requested.

    Names have no namespaces. HTML entities (``&uuml;``) are resolved, forbidden characters dropped. Raises
    InputError if the root is not one of `roots`, or the file is not well-formed.
    """
    parser = etree.XMLPullParser(
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    depth, open_at, checked = 0, 0, False
    for data in _mended(path):
        try:
            parser.feed(data) if data is not None else parser.close()
        except (etree.XMLSyntaxError, ValueError) as error:
            raise _not_well_formed(path, error) from error
        for event, element in _events(parser, path):
            if not isinstance(element.tag, str):
                continue
            name = element.tag.rpartition("}")[2]
            if event == "start":
                depth += 1
                if not checked and name not in roots:
                    raise InputError(
                        f"the XML is a {shorten(name)!r}, expected {expected}",
                        path=path,
                        line=element.sourceline,
                    )
                checked = True
                if not open_at and name in tags:
                    open_at = depth
                continue
            if depth == open_at:
                open_at = 0
                _without_namespaces(element)
                yield element
            if not open_at:
                _forget(element)
            depth -= 1
    if not checked:
        raise InputError("the file contains no XML", path=path, hint=f"expected {expected}")


def _events(parser: etree.XMLPullParser, path: FilePath) -> Iterator[tuple[str, Element]]:
    try:
        yield from parser.read_events()
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _not_well_formed(path, error) from error


def _forget(element: Element) -> None:
    """Frees an element; the text after it is needed until its successor is freed."""
    element.clear(keep_tail=False)
    above = element.getparent()
    if above is not None:
        while element.getprevious() is not None:
            del above[0]


def _without_namespaces(element: Element) -> None:
    etree.strip_elements(element, etree.Entity, with_tail=False)
    for one in element.iter(etree.Element):
        if "}" in one.tag:
            with contextlib.suppress(ValueError):
                one.tag = one.tag.rpartition("}")[2]


def _not_well_formed(path: FilePath, error: Exception) -> InputError:
    if not _declares_another_encoding(path):
        for line, raw in open_raw_lines(path):
            if wrong := invalid_utf8(raw, path, line):
                return wrong
    reason = shorten(getattr(error, "msg", None) or str(error))
    return InputError(
        f"not well-formed XML: {reason}",
        path=path,
        line=getattr(error, "lineno", None),
        hint="export the file again",
    )


def _declares_another_encoding(path: FilePath) -> bool:
    for block in open_blocks(path):
        return _OTHER_ENCODING.match(block) is not None
    return False


def _mended(path: FilePath) -> Iterator[bytes | None]:
    """The file's blocks with all references resolved or converted to text; None at the end."""
    rest = b""
    for block in open_blocks(path):
        data = rest + block
        cut = data.rfind(b"&", max(0, len(data) - _TAIL))
        if cut < 0 or b";" in data[cut:]:
            cut = len(data)
        rest = data[cut:]
        yield _BAD.sub(_reference, data[:cut])
    if rest:
        yield _BAD.sub(_reference, rest)
    yield None


def _reference(found: re.Match[bytes]) -> bytes:
    named, hexadecimal, decimal = found.groups()
    if not found[0].startswith(b"&"):
        return b" "
    if named in _OF_XML:
        return found[0]
    if named:
        characters = html.unescape(found[0].decode())
        if characters == found[0].decode():
            return b"&amp;" + found[0][1:]
        return b"".join(b"&#%d;" % ord(c) for c in characters)
    if hexadecimal or decimal:
        code = int(hexadecimal[-_MOST_DIGITS:], 16) if hexadecimal else int(decimal[-_MOST_DIGITS:])
        if len((hexadecimal or decimal).lstrip(b"0")) > _MOST_DIGITS:
            return b" "
        allowed = (
            code in (9, 10, 13)
            or 0x20 <= code <= 0xD7FF
            or 0xE000 <= code <= 0xFFFD
            or 0x10000 <= code <= 0x10FFFF
        )
        return found[0] if allowed else b" "
    return b"&amp;"
