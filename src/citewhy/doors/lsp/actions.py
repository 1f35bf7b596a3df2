"""Code actions: insert a suggestion, or add the entry of a key or of a paper that was completed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from citewhy.base.errors import CiteWhyError
from citewhy.doors.lsp import items
from citewhy.doors.lsp.completion import ADD_ENTRY
from citewhy.doors.lsp.edits import workspace_edit
from citewhy.doors.lsp.server import Server
from citewhy.session.draft_session import At
from citewhy.session.editor_draft import EditorDraft

_INSERTED = 3
"""Suggestions of which each is an action."""

_TITLE = 80


def register(server: Server) -> None:
    """Registers code actions and the command that adds an entry."""
    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def actions(given: types.CodeActionParams) -> list[types.CodeAction]:
        return await asyncio.to_thread(lambda: list(_actions(server, given)))

    @server.command(ADD_ENTRY)
    async def add_entry(uri: str, key: str) -> None:
        edit = await asyncio.to_thread(_new_entry, server, uri, key)
        if edit is not None:
            server.workspace_apply_edit(types.ApplyWorkspaceEditParams(edit, label=f"Add {key}"))


def _new_entry(server: Server, uri: str, key: str) -> types.WorkspaceEdit | None:
    """The entry of a paper whose key was completed."""
    shown = server.shown.get(uri)
    if shown is None or key not in shown.completions:
        return None
    try:
        edits = shown.draft.new_entry(key, shown.completions[key].paper)
    except CiteWhyError as error:
        server.say_once(str(error))
        return None
    return workspace_edit(server, edits) if edits else None


def _actions(server: Server, given: types.CodeActionParams) -> Iterator[types.CodeAction]:
    """What can be done with the citation at the beginning of the range."""
    uri = given.text_document.uri
    buffer, draft, path = server.buffer(uri), server.draft_of(uri), to_fs_path(uri)
    if buffer is None or draft is None or path is None:
        return
    try:
        draft.refresh()
        name = draft.name_of(Path(path))
        if name is not None and draft.text_of(name) == buffer.text:
            yield from _insertions(server, draft, At(name, offset=buffer.measured.offset(given.range.start)))
    except CiteWhyError as error:
        server.say_once(str(error))


def _insertions(server: Server, draft: EditorDraft, at: At) -> Iterator[types.CodeAction]:
    offset = at.offset or 0
    here = [unit for unit in draft.draft.units(at=at) if unit.place.start <= offset <= unit.place.end]
    if not here or here[0].marker is None:
        return
    marker, undefined = here[0].marker, here[0].undefined
    answer = draft.draft.suggest_at(at, _INSERTED)
    for suggestion in () if answer is None else answer.suggestions[:_INSERTED]:
        try:
            edits = draft.draft.edit([(marker, [suggestion])]).edits
        except CiteWhyError:
            continue
        title = items.detail(suggestion.paper)
        yield types.CodeAction(
            title=f"Cite {suggestion.key}: {title[:_TITLE]}{'…' if len(title) > _TITLE else ''}",
            kind=types.CodeActionKind.QuickFix,
            edit=workspace_edit(server, edits),
        )
    for key in undefined:
        entry = draft.draft.with_key(key)
        if entry is not None and (edits := tuple(draft.new_entry(key, entry.paper))):
            yield types.CodeAction(
                title=f"Add the entry of {key} to the bibliography",
                kind=types.CodeActionKind.QuickFix,
                edit=workspace_edit(server, edits),
            )
