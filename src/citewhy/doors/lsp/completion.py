"""Completion of keys, ranked by the sentence under the cursor."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import to_fs_path

from citewhy.answers.completing import Completion
from citewhy.doors.lsp import items
from citewhy.doors.lsp.buffers import Lines
from citewhy.doors.lsp.documents import format_name
from citewhy.doors.lsp.server import Server, Shown
from citewhy.drafts.typed import written_key
from citewhy.session.editor_draft import Typing

MOST = 50
"""Items of a list. More are found by typing."""

ADD_ENTRY = "citewhy.addEntry"


def register(server: Server) -> None:
    """Registers completion."""
    asked: dict[str, int] = {}
    options = types.CompletionOptions(trigger_characters=list("{,@<:;"), resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def complete(given: types.CompletionParams) -> types.CompletionList:
        nothing = types.CompletionList(is_incomplete=False, items=[])
        uri = given.text_document.uri
        buffer, path = server.buffer(uri), to_fs_path(uri)
        draft = None if path is None else server.drafts.known(Path(path))
        if buffer is None or draft is None or path is None:
            return nothing
        asked[uri] = number = asked.get(uri, 0) + 1
        lines, text, form = buffer.measured, buffer.text, format_name(Path(path))
        offset = lines.offset(given.position)

        def ask() -> Shown | None:
            if asked[uri] != number:  # superseded while it waited for a thread
                return None
            typing = draft.typing(Path(path), text, offset, form)
            if typing is None:
                return None
            found = draft.completions(typing, MOST)
            return Shown(draft, typing, {completion.key: completion for completion in found})

        shown = await asyncio.to_thread(ask)
        if shown is None:
            return nothing
        server.shown[uri] = shown
        listed = _Listed(uri, lines, shown.typing, form, both=_knows_both(server))
        made = [listed.item(completion, rank) for rank, completion in enumerate(shown.completions.values())]
        return types.CompletionList(is_incomplete=True, items=made)

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolve(item: types.CompletionItem) -> types.CompletionItem:
        return await asyncio.to_thread(_explained, server, item)


def _knows_both(server: Server) -> bool:
    """Whether the editor inserts before the rest of a key or replaces it, as its user wishes."""
    documents = server.client_capabilities.text_document
    item = documents and documents.completion and documents.completion.completion_item
    return bool(item and item.insert_replace_support)


@dataclass(frozen=True, slots=True)
class _Listed:
    """Makes the items of one list."""

    uri: str
    lines: Lines
    typing: Typing
    form: str
    both: bool

    def item(self, completion: Completion, rank: int) -> types.CompletionItem:
        paper = completion.paper
        return types.CompletionItem(
            label=completion.key,
            label_details=types.CompletionItemLabelDetails(description=str(paper.year or "")),
            kind=types.CompletionItemKind.Reference,
            detail=items.detail(paper),
            sort_text=f"{rank:03}",
            filter_text=items.filter_text(completion),
            preselect=rank == 0,
            text_edit=self._edit(completion.key),
            command=None
            if completion.in_bibliography
            else types.Command("Add the entry", ADD_ENTRY, arguments=[self.uri, completion.key]),
            data={"uri": self.uri, "key": completion.key},
        )

    def _edit(self, key: str) -> types.TextEdit | types.InsertReplaceEdit:
        typed, text = self.typing.key, written_key(self.form, key)
        before = self.lines.range(typed.start, typed.start + len(typed.letters))
        if self.both:
            return types.InsertReplaceEdit(text, before, self.lines.range(typed.start, typed.end))
        return types.TextEdit(before, text)


def _explained(server: Server, item: types.CompletionItem) -> types.CompletionItem:
    """The item with what it says of its paper."""
    data: Any = item.data
    shown = server.shown.get(data["uri"]) if isinstance(data, dict) and "uri" in data else None
    if shown is None or (completion := shown.completions.get(data.get("key"))) is None:
        return item
    unit = shown.typing.unit
    answer = None if unit is None else shown.draft.explained(unit)
    ranked = () if answer is None else answer.suggestions
    suggestion = next((one for one in ranked if one.key == completion.key), None)
    text = items.about(completion.paper, suggestion)
    item.documentation = types.MarkupContent(types.MarkupKind.Markdown, text)
    return item
