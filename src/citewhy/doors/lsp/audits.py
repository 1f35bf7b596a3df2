"""What `citewhy audit` is certain of, as diagnostics of the entries of a bibliography that is open."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from citewhy.answers.audit import AuditedEntry, ListedEntries
from citewhy.base.errors import CiteWhyError
from citewhy.doors.lsp.buffers import Buffer
from citewhy.doors.lsp.diagnostics import SOURCE, publish
from citewhy.doors.lsp.documents import BIBLIOGRAPHY
from citewhy.doors.lsp.server import Server
from citewhy.doors.present.audit_json import found_of, level_of
from citewhy.drafts.bibliography import references
from citewhy.drafts.files import MemoryFiles

SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}


class Audits:
    """Compares the bibliographies that are open with the library, when nothing has changed for a while."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._running: dict[str, asyncio.Task[None]] = {}

    def soon(self, uri: str) -> None:
        """Compares a bibliography after a pause; of one that is closed, nothing more is said."""
        if Path(to_fs_path(uri) or "").suffix.lower() != BIBLIOGRAPHY:
            return
        if (running := self._running.pop(uri, None)) is not None:
            running.cancel()
        if self._server.buffer(uri) is None:
            publish(self._server, {uri: []})
            return
        self._running[uri] = asyncio.get_running_loop().create_task(self._audit(uri))

    async def _audit(self, uri: str) -> None:
        await asyncio.sleep(self._server.pause)
        buffer = self._server.buffer(uri)
        if buffer is None:
            return
        text = buffer.text
        try:
            found = await asyncio.to_thread(lambda: list(_diagnostics(self._server, buffer, text)))
        except CiteWhyError as error:
            self._server.say_once(str(error))
            return
        if buffer.text == text and self._server.buffer(uri) is buffer:
            publish(self._server, {uri: found})


def _diagnostics(server: Server, buffer: Buffer, text: str) -> Iterator[types.Diagnostic]:
    files = MemoryFiles({"open.bib": text})
    entries, problems, _ = references(files, files.paths)
    listed = ListedEntries("open.bib", tuple(entries), None, tuple(problems))
    for entry in server.drafts.session.audit([listed]).entries if entries else ():
        start, end = _head(text, entry)
        for kind, message, certain in found_of(entry):
            if certain:
                yield types.Diagnostic(
                    range=buffer.measured.range(start, end),
                    message=message,
                    severity=SEVERITIES[level_of(kind)],
                    code=kind,
                    source=SOURCE,
                )


def _head(text: str, entry: AuditedEntry) -> tuple[int, int]:
    """Where the key of an entry is."""
    place, key = entry.reference.place, entry.reference.key
    start = 0 if place is None else text.find(key, place.start, place.end)
    return (0, 0) if start < 0 or place is None else (start, start + len(key))
