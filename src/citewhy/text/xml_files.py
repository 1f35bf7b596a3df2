"""XML files, as a whole or record by record in bounded memory. Entities, network access and document types
are disabled, so that hostile declarations have no effect."""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from lxml import etree

from citewhy.base.errors import InputError
from citewhy.text.marked_up import MARKUP
from citewhy.text.repair import decode_lines
from citewhy.text.source import FilePath, invalid_utf8, open_blocks, open_raw_lines, read_bytes
from citewhy.text.tidy import shorten

__all__ = ["MAX_XML", "Element", "elements", "markup_of", "parse", "parse_mended"]

MAX_XML = 64 << 20
"""Bytes of an XML file, which is read as a whole. The largest ones of the Anthology have a few million."""

Element = Any
"""lxml.etree._Element; lxml has no type hints."""

_WHOLE_OTHER_ENCODING = re.compile(rb"""[^>]*\bencoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)
_SAFE = {
    **{"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False},
    **{"remove_comments": True, "remove_pis": True},
}
"""Options of every parser."""

_DECLARATION = re.compile(r"^\s*<\?xml[^<>]*\?>")
_NAMED = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30});")
_NUMBERED = re.compile(r"&#(?:[xX]([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def parse(path: FilePath, roots: Collection[str], expected: str) -> Element:
    """The root of a well-formed file, which must be one of `roots`; otherwise the InputError names
    `expected`."""
    data = read_bytes(path, MAX_XML)
    try:
        root = etree.fromstring(data, etree.XMLParser(**_SAFE))
    except (etree.XMLSyntaxError, ValueError) as error:
        if not _WHOLE_OTHER_ENCODING.match(data) and (wrong := invalid_utf8(data, path)):
            raise wrong from error
        raise InputError(
            f"not well-formed XML: {_reason(error)}", path=path, line=getattr(error, "lineno", None)
        ) from error
    return _checked(root, path, roots, expected)


def parse_mended(
    path: FilePath, notice: Callable[[int | None, str], None], roots: Collection[str], expected: str
) -> Element:
    """Parses files that tools write without ensuring well-formedness. Namespaces are removed.

    If the file is not well-formed, `notice` gets the line and the reason; invalid bytes, control characters
    and HTML entities are repaired, and what the parser still cannot read is dropped. Raises InputError if
    nothing remains.
    """
    data = read_bytes(path, MAX_XML)
    try:
        root = etree.fromstring(data, etree.XMLParser(**_SAFE))
    except (etree.XMLSyntaxError, ValueError) as error:
        root = _mended_text(data)
        if root is None:
            raise InputError(f"not XML: {_reason(error)}", path=path) from error
        notice(getattr(error, "lineno", None), f"not well-formed XML: {_reason(error)}; repaired")
    etree.strip_elements(root, etree.Entity, with_tail=False)
    for element in root.iter(etree.Element):
        with contextlib.suppress(ValueError):  # a name such as "p:", which the repair can leave
            element.tag = element.tag.rpartition("}")[2]
    return _checked(root, path, roots, expected)


def _mended_text(data: bytes) -> Element | None:
    # In recovery mode the parser accepts forbidden characters (&#xD800;) and fails when they are used.
    text = _NUMBERED.sub(_as_character, _NAMED.sub(_as_character, decode_lines(data)))
    text = _DECLARATION.sub("", _NOT_XML.sub(" ", _BARE_AMPERSAND.sub("&amp;", text)))
    try:
        return etree.fromstring(text.encode(), etree.XMLParser(**_SAFE, recover=True))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _as_character(entity: re.Match[str]) -> str:
    """The character with a number or an HTML name; other names stay as text."""
    character = html.unescape(entity[0])
    return html.escape(character) if character != entity[0] else entity[0]


def _reason(error: Exception) -> str:
    return shorten(getattr(error, "msg", None) or str(error))


def _checked(root: Element, path: FilePath, roots: Collection[str], expected: str) -> Element:
    if root.tag not in roots:
        raise InputError(
            f"the XML is a {shorten(str(root.tag))!r}, expected {expected}", path=path, line=root.sourceline
        )
    return root


# Record by record ---------------------------------------------------------------------------------------

_MOST_DIGITS = 7
"""Length of a character reference; the largest character has seven decimal digits."""

_BAD = re.compile(
    rb"&(?:([A-Za-z][A-Za-z0-9]{0,30});|#(?:[xX]([0-9A-Fa-f]{1,8})|([0-9]{1,9}));)?|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)
"""Character references, bare ampersands, and characters that XML forbids."""
_NAMED_BY_XML = (b"amp", b"lt", b"gt", b"quot", b"apos")
_TAIL = 40
"""Bytes at the end of a block that may be the beginning of a reference."""
_STREAM_OTHER_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*\bencoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)


def elements(
    path: FilePath, tags: Collection[str], roots: Collection[str], expected: str
) -> Iterator[Element]:
    """The outermost elements named `tags`, one at a time; each is freed when the next one is requested.

    Names have no namespaces. HTML entities (``&uuml;``) are resolved, forbidden characters dropped. Raises
    InputError if the root is not one of `roots`, or the file is not well-formed.
    """
    parser = etree.XMLPullParser(events=("start", "end"), **_SAFE)
    depth, open_at, checked = 0, 0, False
    for data in _mended_blocks(path):
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
    return InputError(
        f"not well-formed XML: {_reason(error)}",
        path=path,
        line=getattr(error, "lineno", None),
        hint="export the file again",
    )


def _declares_another_encoding(path: FilePath) -> bool:
    for block in open_blocks(path):
        return _STREAM_OTHER_ENCODING.match(block) is not None
    return False


def _mended_blocks(path: FilePath) -> Iterator[bytes | None]:
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


def _reference(reference: re.Match[bytes]) -> bytes:
    named, hexadecimal, decimal = reference.groups()
    if not reference[0].startswith(b"&"):
        return b" "
    if named in _NAMED_BY_XML:
        return reference[0]
    if named:
        characters = html.unescape(reference[0].decode())
        if characters == reference[0].decode():
            return b"&amp;" + reference[0][1:]
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
        return reference[0] if allowed else b" "
    return b"&amp;"


def markup_of(element: Element) -> str:
    """The content of an element as HTML: its text, and the tags in it that format (`marked_up.MARKUP`)."""
    parts = [html.escape(element.text or "", quote=False)]
    for child in element:
        if isinstance(child.tag, str):
            inside, formats = markup_of(child), MARKUP.fullmatch(f"<{child.tag}>") is not None
            parts.append(f"<{child.tag}>{inside}</{child.tag}>" if formats else inside)
        parts.append(html.escape(child.tail or "", quote=False))
    return "".join(parts)
