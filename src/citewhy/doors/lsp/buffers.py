"""The texts that an editor has open, and their positions, which count lines and code units of an encoding.

The library for the protocol splits lines at characters such as form feeds, at which editors do not, and
copies a text several times for each key press. So the server keeps the texts itself.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from collections.abc import Sequence
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

_LINE_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """Converts between offsets of a text, in characters, and positions of the protocol."""

    def __init__(self, text: str, encoding: str) -> None:
        self._text = text
        self._encoding = str(getattr(encoding, "value", encoding))
        ends = [match.span() for match in _LINE_END.finditer(text)]
        self._starts = [0, *(end for _, end in ends)]
        self._ends = [*(start for start, _ in ends), len(text)]

    def offset(self, position: types.Position) -> int:
        """The offset of a position; those beyond the end of a line or of the text are at that end."""
        if position.line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[position.line], self._ends[position.line]
        if self._encoding == "utf-32" or self._text.isascii():
            return min(start + position.character, end)
        units = 0
        for offset in range(start, end):
            if units >= position.character:
                return offset
            units += _units(self._text[offset], self._encoding)
        return end

    def position(self, offset: int) -> types.Position:
        """The position of an offset."""
        line = bisect.bisect_right(self._starts, offset) - 1
        before = self._text[self._starts[line] : min(offset, self._ends[line])]
        if self._encoding == "utf-32" or before.isascii():
            return types.Position(line, len(before))
        return types.Position(line, sum(_units(character, self._encoding) for character in before))

    def range(self, start: int, end: int) -> types.Range:
        """The range between two offsets."""
        return types.Range(self.position(start), self.position(end))


def _units(character: str, encoding: str) -> int:
    code = ord(character)
    if encoding == "utf-8":
        return 1 + (code > 0x7F) + (code > 0x7FF) + (code > 0xFFFF)
    return 1 + (code > 0xFFFF)


class Buffer(TextDocument):
    """A text that is open in the editor."""

    @property
    def text(self) -> str:
        """The text as the editor has it."""
        return self._source or ""

    @functools.cached_property
    def measured(self) -> Lines:
        """The positions of the present text."""
        return Lines(self.text, str(self.position_codec.encoding))

    @property
    def lines(self) -> Sequence[str]:
        ends = [match.end() for match in _LINE_END.finditer(self.text)]
        bounds = [0, *ends, len(self.text)]
        return [self.text[start:end] for start, end in itertools.pairwise(bounds) if start < end]

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start = self.measured.offset(change.range.start)
            end = max(start, self.measured.offset(change.range.end))
            self._source = f"{self.text[:start]}{change.text}{self.text[end:]}"
        else:
            self._source = change.text
        self.__dict__.pop("measured", None)


class Buffers(Workspace):
    """All texts that are open."""

    @classmethod
    def like(cls, workspace: Workspace) -> Buffers:
        """One for the folders and the encoding that were agreed on with the editor."""
        return cls(
            workspace.root_uri,
            types.TextDocumentSyncKind.Incremental,
            list(workspace.folders.values()),
            workspace.position_encoding,
        )

    def opened(self, uri: str) -> Buffer | None:
        """The text with a name, however its editor writes spaces and signs in it; None if it is not open."""
        buffer = self.text_documents.get(unquote(uri))
        return buffer if isinstance(buffer, Buffer) else None

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> TextDocument:
        return Buffer(
            doc_uri,
            source,
            version,
            language_id,
            sync_kind=types.TextDocumentSyncKind.Incremental,
            position_codec=self.position_codec,
        )
