"""The language server with everything that it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from citewhy.doors.lsp import actions, completion, diagnostics, navigation
from citewhy.doors.lsp.audits import Audits
from citewhy.doors.lsp.server import PAUSE, Server
from citewhy.session.editor_draft import EditorDraft


def create(libraries: Sequence[Path] = (), pause: float = PAUSE) -> Server:
    """The server with everything that it answers."""
    server = Server(libraries, pause)
    _register_texts(server)

    async def diagnose(draft: EditorDraft) -> None:
        diagnostics.publish(server, await asyncio.to_thread(diagnostics.of, server, draft))

    server.when_read.append(diagnose)
    for register in (completion.register, navigation.register, actions.register):
        register(server)
    return server


def _register_texts(server: Server) -> None:
    audits = Audits(server)

    async def changed_text(uri: str) -> None:
        audits.soon(uri)
        await server.changed(uri)

    def on(feature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        return server.feature(feature)

    @on(types.INITIALIZE)
    def initialize(given: types.InitializeParams) -> None:
        server.initialised(given)

    @on(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(given: types.DidOpenTextDocumentParams) -> None:
        await changed_text(given.text_document.uri)

    @on(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(given: types.DidChangeTextDocumentParams) -> None:
        await changed_text(given.text_document.uri)

    @on(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(given: types.DidSaveTextDocumentParams) -> None:
        await changed_text(given.text_document.uri)

    @on(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(given: types.DidCloseTextDocumentParams) -> None:
        await changed_text(given.text_document.uri)

    @on(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(given: types.DidChangeConfigurationParams) -> None:
        server.configure(given.settings)

    @on(types.SHUTDOWN)
    def shut_down(*_: object) -> None:
        server.closed()
