"""Parsing of XML files. Entities, network access and document types are disabled, so that hostile
declarations have no effect."""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Collection
from typing import Any

from lxml import etree

from citewhy.base.errors import InputError
from citewhy.papers.formats.report import ImportReport
from citewhy.text.repair import decode_lines
from citewhy.text.source import FilePath, invalid_utf8, read_bytes
from citewhy.text.tidy import shorten

__all__ = ["MAX_XML", "Element", "parse", "parse_mended"]

MAX_XML = 64 << 20
"""Bytes of an XML file, which is read as a whole. The largest ones of the Anthology have a few million."""

Element = Any
"""lxml.etree._Element; lxml has no type hints."""

_OTHER_ENCODING = re.compile(rb"""[^>]*\bencoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)
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
        root = etree.fromstring(data, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        if not _OTHER_ENCODING.match(data) and (wrong := invalid_utf8(data, path)):
            raise wrong from error
        raise InputError(
            f"not well-formed XML: {_reason(error)}", path=path, line=getattr(error, "lineno", None)
        ) from error
    return _checked(root, path, roots, expected)


def parse_mended(path: FilePath, report: ImportReport, roots: Collection[str], expected: str) -> Element:
    """Parses files that tools write without ensuring well-formedness. Namespaces are removed.

    If the file is not well-formed, this is noted in `report`; invalid bytes, control characters and HTML
    entities are repaired, and what the parser still cannot read is dropped. Raises InputError if nothing
    remains.
    """
    data = read_bytes(path, MAX_XML)
    try:
        root = etree.fromstring(data, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        root = _mended(data)
        if root is None:
            raise InputError(f"not XML: {_reason(error)}", path=path) from error
        report.warn(path, getattr(error, "lineno", None), f"not well-formed XML: {_reason(error)}; repaired")
    etree.strip_elements(root, etree.Entity, with_tail=False)
    for element in root.iter(etree.Element):
        with contextlib.suppress(ValueError):  # a name such as "p:", which the repair can leave
            element.tag = element.tag.rpartition("}")[2]
    return _checked(root, path, roots, expected)


def _parser(*, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def _mended(data: bytes) -> Element | None:
    # In recovery mode the parser accepts forbidden characters (&#xD800;) and fails when they are used.
    text = _NUMBERED.sub(_as_character, _NAMED.sub(_as_character, decode_lines(data)))
    text = _DECLARATION.sub("", _NOT_XML.sub(" ", _BARE_AMPERSAND.sub("&amp;", text)))
    try:
        return etree.fromstring(text.encode(), _parser(recover=True))
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
