"""The language server: its texts, its drafts, which it reads again after a pause, and its settings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from citewhy.answers.completing import Completion
from citewhy.base.config import VERSION
from citewhy.base.errors import CiteWhyError
from citewhy.base.log import event
from citewhy.base.progress import Progress
from citewhy.doors.lsp.buffers import Buffer, Buffers
from citewhy.doors.lsp.documents import Drafts, read_again
from citewhy.session.editor_draft import EditorDraft, Typing
from citewhy.session.session import Session

logger = logging.getLogger(__name__)

PAUSE = 0.7
"""Seconds without a change after which a draft is read again."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A list of keys."""

    draft: EditorDraft
    typing: Typing
    completions: Mapping[str, Completion]
    """By key."""


class Server(LanguageServer):
    """A language server for drafts and their bibliographies."""

    def __init__(self, libraries: Sequence[Path] = (), pause: float = PAUSE) -> None:
        """`libraries` are those that the command line names; otherwise the editor's settings or
        ``citewhy.toml`` do."""
        super().__init__("citewhy", VERSION)
        self._libraries = tuple(libraries)
        self.pause = pause
        """Seconds without a change after which a text is read."""
        self.claims = False
        """Whether sentences that probably need a citation are hints."""
        self.drafts = Drafts(self._open_session)
        self.shown: dict[str, Shown] = {}
        """The list of keys that was shown last, by the name of the text."""
        self.when_read: list[Callable[[EditorDraft], Awaitable[None]]] = []
        """What is done each time a draft has been read."""
        self._reading: dict[EditorDraft, asyncio.Task[None]] = {}
        self._waiting: set[str] = set()
        """Texts of which a change waits for its turn, by name; it takes over those that come meanwhile."""
        self._folder = Path()
        self._said: set[str] = set()

    # Settings -------------------------------------------------------------------------------------------

    def initialised(self, given: types.InitializeParams) -> None:
        """Takes the folders and the settings of the editor."""
        self.protocol._workspace = Buffers.like(self.workspace)
        folders = [path for one in self.workspace.folders.values() if (path := to_fs_path(one.uri))]
        root = self.workspace.root_path
        self._folder = Path((folders or [root or "."])[0])
        self.drafts = Drafts(self._open_session, [Path(name) for name in folders or [root] if name])
        self.configure(given.initialization_options)

    def configure(self, settings: Any) -> None:
        """Takes the settings ``libraries``, a list of folders, and ``claims``, of `settings` or of its
        section ``citewhy``; others are not known, and are said."""
        chosen = settings.get("citewhy", settings) if isinstance(settings, dict) else {}
        if not isinstance(chosen, dict):
            return
        libraries = chosen.get("libraries")
        if isinstance(libraries, list) and all(isinstance(name, str) for name in libraries) and libraries:
            self._libraries = tuple(self._folder / Path(name).expanduser() for name in libraries)
        self.claims = bool(chosen.get("claims", self.claims))

    def _open_session(self) -> Session:
        from citewhy.doors.cli.configuration import read_configuration

        libraries: Sequence[Path] = self._libraries
        if not libraries and (configured := read_configuration(self._folder).get("libraries")):
            libraries = tuple(map(Path, configured.value))
        return Session(libraries)

    # Texts ----------------------------------------------------------------------------------------------

    def buffer(self, uri: str) -> Buffer | None:
        """A text that is open."""
        workspace = self.workspace
        return workspace.opened(uri) if isinstance(workspace, Buffers) else None

    def draft_of(self, uri: str) -> EditorDraft | None:
        """The draft that a text is a part of; None for other texts, and if the library cannot be opened."""
        path = to_fs_path(uri)
        try:
            return None if path is None else self.drafts.of(Path(path))
        except CiteWhyError as error:
            self.say_once(str(error))
            return None

    async def changed(self, uri: str) -> None:
        """Takes over the present text, and reads its drafts again after a pause."""
        path = to_fs_path(uri)
        if path is None or uri in self._waiting:
            return
        self._waiting.add(uri)

        def present() -> str | None:
            self._waiting.discard(uri)
            buffer = self.buffer(uri)
            return None if buffer is None else buffer.text

        try:
            drafts = await asyncio.to_thread(self.drafts.change, Path(path), present)
        except CiteWhyError as error:
            self.say_once(str(error))
            return
        for draft in drafts:
            self.read_soon(draft)

    def read_soon(self, draft: EditorDraft) -> None:
        """Reads a draft again when nothing has changed for a while, at once if it has never been read."""
        running = self._reading.get(draft)
        if running is not None:
            running.cancel()
        delay = 0.0 if draft.manuscript is None else self.pause
        self._reading[draft] = asyncio.get_running_loop().create_task(self._read(draft, delay))

    async def _read(self, draft: EditorDraft, delay: float) -> None:
        await asyncio.sleep(delay)
        async with _Progress(self) as progress:
            # A cancelled task leaves its thread, which ends soon; the next one waits for it.
            problem = await asyncio.to_thread(read_again, draft, progress)
        if problem:
            self.say_once(problem)
        else:
            for then in self.when_read:
                await then(draft)

    def say_once(self, sentence: str) -> None:
        """Shows a sentence to the user, the same one only once."""
        if sentence not in self._said:
            self._said.add(sentence)
            event("message", text=sentence)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))

    def closed(self) -> None:
        """Closes the library."""
        for task in self._reading.values():
            task.cancel()
        self.drafts.close()


class _Progress:
    """Reports to an editor that can show it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        window = server.client_capabilities.window
        self._shown = bool(window and window.work_done_progress)
        self._token = f"citewhy-{id(self)}"
        self._begun = False
        self._loop = asyncio.get_running_loop()

    async def __aenter__(self) -> Progress:
        return self._report

    def _report(self, what: str, share: float | None) -> None:
        if self._shown:
            self._loop.call_soon_threadsafe(self._tell, what, share)

    def _tell(self, what: str, share: float | None) -> None:
        progress, percent = self._server.work_done_progress, None if share is None else int(100 * share)
        if not self._begun:
            self._begun = True
            self._server.protocol.send_request(
                types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(self._token)
            )
            progress.begin(
                self._token, types.WorkDoneProgressBegin("CiteWhy", message=what, percentage=percent)
            )
        else:
            progress.report(self._token, types.WorkDoneProgressReport(message=what, percentage=percent))

    async def __aexit__(self, *_: object) -> None:
        if self._begun:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
