"""What is wrong with the citations of a draft: keys that no bibliography has, open citations, and, if the
author wishes, sentences that probably need one."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Manuscript, Place
from citewhy.doors.lsp.buffers import Lines
from citewhy.doors.lsp.edits import uri_of
from citewhy.doors.lsp.server import Server
from citewhy.session.editor_draft import EditorDraft

SOURCE = "citewhy"

_CLAIMS = 30
"""Hints of a draft, at most."""


def of(server: Server, draft: EditorDraft) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of each file of a draft, as it was read last, by the file's name in the protocol."""
    manuscript = draft.manuscript
    if manuscript is None:
        return {}
    encoding = str(server.workspace.position_encoding)
    lines = {name: Lines(draft.text_of(name), encoding) for name in manuscript.files}
    found: dict[str, list[types.Diagnostic]] = {uri_of(name): [] for name in manuscript.files}
    for place, severity, code, message in _remarks(server, draft, manuscript):
        if place.file in lines:
            found[uri_of(place.file)].append(
                types.Diagnostic(
                    range=lines[place.file].range(place.start, place.end),
                    message=message,
                    severity=severity,
                    code=code,
                    source=SOURCE,
                )
            )
    return found


def publish(server: Server, found: dict[str, list[types.Diagnostic]]) -> None:
    """Shows diagnostics in the place of those before."""
    for uri, diagnostics in found.items():
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics))


def _remarks(
    server: Server, draft: EditorDraft, manuscript: Manuscript
) -> Iterator[tuple[Place, types.DiagnosticSeverity, str, str]]:
    for unit in draft.draft.units():
        if unit.undefined:
            keys = ", ".join(f"“{key}”" for key in unit.undefined)
            message = f"No bibliography of the draft has {keys}."
            yield unit.place, types.DiagnosticSeverity.Error, "undefined", message
        elif unit.marker is not None:
            yield unit.place, types.DiagnosticSeverity.Information, "open-citation", "A citation is open."
    if server.claims:
        try:
            claims = draft.draft.advise(1, needed=True)
        except CiteWhyError:
            return
        for unit in claims.units[:_CLAIMS]:
            message = "This sentence probably needs a citation."
            yield unit.place, types.DiagnosticSeverity.Hint, "uncited-claim", message
