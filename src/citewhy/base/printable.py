"""Texts for files of ours that everybody can read: in valid Unicode, whatever a file is called.

Names that are not UTF-8 reach a program as texts with halves of characters, which no encoding has.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Any


def printable(text: str) -> str:
    """The text with halves of characters as ``\\udcff``."""
    return text.encode("utf-8", "backslashreplace").decode()


def printable_json(document: Mapping[str, Any]) -> bytes:
    """The document as indented JSON that every reader of JSON takes."""
    import orjson  # compiled; most commands do without it

    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2)
    except TypeError:  # what is not printable is rare, and looked for last
        return orjson.dumps(_printable(document), option=orjson.OPT_INDENT_2)


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {_printable(key): _printable(item) for key, item in value.items()}
    return [_printable(item) for item in value] if isinstance(value, list | tuple) else value


def quoted(path: str | os.PathLike[str]) -> str:
    """The path as a shell takes it, in commands to be copied."""
    text = os.fspath(path)
    if printable(text) == text and text.isprintable():
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    letters = (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in os.fsencode(escaped))
    return f"$'{''.join(letters)}'"
