"""Hover, definition, references, rename and links of keys, in drafts and in bibliographies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Manuscript, Place, Reference
from citewhy.doors.lsp import items
from citewhy.doors.lsp.buffers import Buffer
from citewhy.doors.lsp.documents import BIBLIOGRAPHY, format_name, reads
from citewhy.doors.lsp.edits import lines_of, uri_of, workspace_edit
from citewhy.doors.lsp.server import Server
from citewhy.drafts.edit.citations import rename_key
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DISK, text_to_edit
from citewhy.drafts.typed import typed_key
from citewhy.session.draft_session import At
from citewhy.session.editor_draft import EditorDraft

_SUGGESTED = 3

_ENTRY = re.compile(r"^[ \t]*@(?!string|comment|preamble)\w+\s*[{(]\s*(?P<key>[^\s,{}()]+)\s*,", re.M | re.I)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'{}<>,;\\]+[^\s\"'{}<>,;.\\)]")
_LINKS = 2000
"""Links of a file, at most."""


def register(server: Server) -> None:
    """Registers hover, definition, references, rename and links."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(given: types.HoverParams) -> types.Hover | None:
        return await asyncio.to_thread(_hover, server, given)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(given: types.DefinitionParams) -> list[types.Location]:
        return await asyncio.to_thread(_definition, server, given)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(given: types.ReferenceParams) -> list[types.Location]:
        return await asyncio.to_thread(_references, server, given)

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(given: types.RenameParams) -> types.WorkspaceEdit | None:
        return await asyncio.to_thread(_rename, server, given)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions())
    async def links(given: types.DocumentLinkParams) -> list[types.DocumentLink]:
        buffer = server.buffer(given.text_document.uri)
        return [] if buffer is None else list(_links(buffer))


# The key at a position ------------------------------------------------------------------------------------


def _key_at(buffer: Buffer, position: types.Position) -> tuple[str, int, int] | None:
    """The key at a position of a text, with where it begins and ends."""
    path = Path(to_fs_path(buffer.uri) or "")
    offset = buffer.measured.offset(position)
    if path.suffix.lower() == BIBLIOGRAPHY:
        entry = _entry_at(buffer.text, offset)
        return None if entry is None else (entry["key"], *entry.span("key"))
    typed = typed_key(format_name(path), buffer.text, offset)
    if typed is None or typed.start == typed.end:
        return None
    return buffer.text[typed.start : typed.end], typed.start, typed.end


def _entry_at(text: str, offset: int) -> re.Match[str] | None:
    """The head of the entry of a .bib file that an offset is in."""
    last = None
    for entry in _ENTRY.finditer(text):
        if entry.start() > offset:
            break
        last = entry
    return last


def _drafts(server: Server, uri: str) -> Iterator[tuple[EditorDraft, Manuscript]]:
    """The draft that a text is a part of, or, for a bibliography, all that are open and read it."""
    path = Path(to_fs_path(uri) or "")
    if path.suffix.lower() == BIBLIOGRAPHY:
        for draft, manuscript in server.drafts.opened():
            if reads(draft, path):
                yield draft, manuscript
    elif (own := server.draft_of(uri)) is not None and own.manuscript is not None:
        yield own, own.manuscript


def _entry_of(manuscript: Manuscript, key: str) -> Reference | None:
    return next((reference for reference in manuscript.references if reference.key == key), None)


# Hover ----------------------------------------------------------------------------------------------------


def _hover(server: Server, given: types.HoverParams) -> types.Hover | None:
    uri = given.text_document.uri
    if (buffer := server.buffer(uri)) is None:
        return None
    at = _key_at(buffer, given.position)
    for draft, manuscript in _drafts(server, uri):
        if at is not None and (reference := _entry_of(manuscript, at[0])) is not None:
            parts = [items.about(reference.paper), items.cited_at(manuscript, at[0])]
            return _shown("\n\n".join(filter(None, parts)), buffer.measured.range(at[1], at[2]))
        if suggested := _suggested(draft, buffer, given.position):
            return _shown(suggested)
    return None


def _suggested(draft: EditorDraft, buffer: Buffer, position: types.Position) -> str:
    """The first suggestions for the open citation at a position; empty where there is none."""
    name = draft.name_of(Path(to_fs_path(buffer.uri) or ""))
    if name is None or draft.text_of(name) != buffer.text:
        return ""
    at = At(name, offset=buffer.measured.offset(position))
    if not any(unit.place.start <= (at.offset or 0) <= unit.place.end for unit in draft.draft.units(at=at)):
        return ""
    try:
        answer = draft.draft.suggest_at(at, _SUGGESTED)
    except CiteWhyError as error:
        return items.escaped(str(error))
    return "" if answer is None else items.listed(answer.suggestions) or "No paper of the library fits."


def _shown(markdown: str, where: types.Range | None = None) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, markdown), where)


# From a key to its entry, and back ------------------------------------------------------------------------


def _definition(server: Server, given: types.DefinitionParams) -> list[types.Location]:
    uri = given.text_document.uri
    if (buffer := server.buffer(uri)) is None or (at := _key_at(buffer, given.position)) is None:
        return []
    entries = (_entry_of(manuscript, at[0]) for _, manuscript in _drafts(server, uri))
    places = [reference.place for reference in entries if reference is not None and reference.place]
    return [_location(server, place) for place in places]


def _references(server: Server, given: types.ReferenceParams) -> list[types.Location]:
    uri = given.text_document.uri
    if (buffer := server.buffer(uri)) is None or (at := _key_at(buffer, given.position)) is None:
        return []
    places: dict[Place, None] = {}
    for _, manuscript in _drafts(server, uri):
        places |= dict.fromkeys(marker.place for marker in manuscript.markers if at[0] in marker.keys)
        entry = _entry_of(manuscript, at[0])
        if given.context.include_declaration and entry is not None and entry.place is not None:
            places[entry.place] = None
    return [_location(server, place) for place in places]


def _location(server: Server, place: Place) -> types.Location:
    return types.Location(uri_of(place.file), lines_of(server, place.file).range(place.start, place.end))


def _rename(server: Server, given: types.RenameParams) -> types.WorkspaceEdit | None:
    uri = given.text_document.uri
    if (buffer := server.buffer(uri)) is None or (at := _key_at(buffer, given.position)) is None:
        return None
    edits: dict[Edit, None] = {}
    for draft, _ in list(_drafts(server, uri)):
        manuscript = draft.refresh()
        if _entry_of(manuscript, given.new_name) is not None:
            raise ValueError(f"the bibliography has an entry “{given.new_name}” already")
        if any(at[0] in marker.keys for marker in manuscript.markers):
            edits |= dict.fromkeys(rename_key(manuscript, at[0], given.new_name, draft.draft.files))
        entry = _entry_of(manuscript, at[0])
        if entry is not None and entry.place is not None:
            edits |= dict.fromkeys(_renamed_entry(server, entry.place, at[0], given.new_name))
    return workspace_edit(server, edits) if edits else None


def _renamed_entry(server: Server, place: Place, old: str, new: str) -> Iterator[Edit]:
    """The edit of the key in the head of its entry."""
    buffer = server.buffer(uri_of(place.file))
    text = text_to_edit(DISK, place.file) if buffer is None else buffer.text
    for entry in _ENTRY.finditer(text, place.start, place.end):
        if entry["key"] == old:
            yield Edit(place.file, *entry.span("key"), new)
            return


# Links ----------------------------------------------------------------------------------------------------


def _links(buffer: Buffer) -> Iterator[types.DocumentLink]:
    """The DOIs of a text, which the author may follow."""
    for number, doi in enumerate(_DOI.finditer(buffer.text)):
        if number == _LINKS:
            return
        yield types.DocumentLink(buffer.measured.range(*doi.span()), target=f"https://doi.org/{doi[0]}")
