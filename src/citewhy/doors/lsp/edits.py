"""Edits of a draft as edits of the editor's workspace."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from citewhy.doors.lsp.buffers import Lines
from citewhy.doors.lsp.server import Server
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DISK, text_to_edit


def uri_of(file: str | Path) -> str:
    """The name that the protocol has for a file."""
    path = Path(file).absolute()
    return from_fs_path(str(path)) or path.as_uri()


def lines_of(server: Server, file: str | Path) -> Lines:
    """The positions of a file: of its text in the editor if it is open, otherwise on disk."""
    buffer = server.buffer(uri_of(file))
    if buffer is not None:
        return buffer.measured
    text = text_to_edit(DISK, str(file)) if Path(file).is_file() else ""
    return Lines(text, str(server.workspace.position_encoding))


def workspace_edit(server: Server, edits: Iterable[Edit]) -> types.WorkspaceEdit:
    """The edits, with those of a new file after its creation."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    if all(Path(file).is_file() for file in by_file):
        return types.WorkspaceEdit(
            changes={uri_of(file): _texts(lines_of(server, file), group) for file, group in by_file.items()}
        )
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for file, group in by_file.items():
        if not Path(file).is_file():
            changes.append(types.CreateFile(uri_of(file)))
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri_of(file), None)
        changes.append(types.TextDocumentEdit(identifier, list(_texts(lines_of(server, file), group))))
    return types.WorkspaceEdit(document_changes=changes)


def _texts(lines: Lines, edits: Iterable[Edit]) -> list[types.TextEdit]:
    return [types.TextEdit(lines.range(edit.start, edit.end), edit.text) for edit in edits]
