"""`Follower`: the current state of a library that other processes may change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from citewhy.base.config import default_library
from citewhy.base.errors import CiteWhyError, DamagedError, LockedError
from citewhy.papers.library.store import Library
from citewhy.search.index import Engine
from citewhy.session.models import Models
from citewhy.session.opened import Opened
from citewhy.session.starter import is_starter, library_folder, open_starter

_WAIT = 10.0
"""Seconds that a query waits for the new state of a library before it is answered from the old one."""


class Follower:
    """Keeps a library open, and opens its new state when it changes. Safe for use by many threads.

    `folder` None: the user's own library or, until papers are added to it, the starter library, which
    ``starter`` asks for.
    """

    def __init__(self, folder: Path | None, models: Models, engine: Engine) -> None:
        self._given = folder
        self._models = models
        self._engine = engine
        self._lock = threading.Lock()
        self._opened: Opened | None = None
        self._folder: Path | None = None
        """The folder of what is opened; None: the starter library."""
        self._opening: _Opening | None = None
        self._closed = False

    def close(self) -> None:
        """Closes the library. No thread may be using it."""
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._opened.close()

    def release(self) -> None:
        """Forgets index, models and recommenders of the library, which stays open."""
        with self._lock:
            if self._opened is not None:
                self._opened.release()

    def current(self) -> Opened:
        """The current state of the library, or the previous one while the current one takes long to open.

        Raises as `Library.open`; ValueError after `close`.
        """
        folder = self.folder()
        with self._lock:
            if self._closed:
                raise ValueError("the session is closed")
            if self._opened is None:
                self._opened, self._folder = self._open(folder), folder
                return self._opened
            opened, unmoved = self._opened, self._folder == folder
        if unmoved and opened.is_current():
            return opened
        with self._lock:
            if self._opened is not opened:
                return self._opened  # another thread was faster
            if self._opening is None:
                self._opening = _Opening(folder, self._open, opened)
            opening = self._opening
        opening.done.wait(_WAIT)
        with self._lock:
            if self._opening is opening and opening.done.is_set():
                self._opening = None
                if opening.opened is not None:
                    self._opened, self._folder = opening.opened, opening.folder
            if opening.error is not None:
                raise opening.error
            return self._opened

    def folder(self) -> Path | None:
        """The folder of the library; None for the starter library."""
        return library_folder(self._given)

    @property
    def stands_in(self) -> bool:
        """Whether the starter library would answer, and nobody asked for it."""
        return self._given is None and self.folder() is None and not is_starter(default_library())

    def _open(self, folder: Path | None) -> Opened:
        library = open_starter() if folder is None else Library.open(folder)
        own = "the starter library" if folder is None else "your library"
        return Opened(
            library,
            self._models,
            self._engine.beside() if folder is None else self._engine,
            label=own if self._given is None or folder is None else str(self._given),
            starter=folder is None,
            stands_in=folder is None and self.stands_in,
        )


class _Opening:
    """Opens the new state of a library in a thread of its own, which does not keep the process alive."""

    def __init__(self, folder: Path | None, open_: Callable[[Path | None], Opened], before: Opened) -> None:
        self.done = threading.Event()
        self.folder = folder
        self.opened: Opened | None = None
        """The new state; None if opening failed."""
        self.error: Exception | None = None
        """The error of opening; None also if opening failed only because another process was writing."""
        self._before = before
        threading.Thread(target=self._open, args=(open_,), daemon=True).start()

    def _open(self, open_: Callable[[Path | None], Opened]) -> None:
        try:
            opened = open_(self.folder)
            opened.warm(self._before)
            self.opened = opened
        except Exception as error:  # raised again in `current`
            if not (isinstance(error, CiteWhyError) and self._is_due_to_writer(error)):
                self.error = error
        finally:
            self.done.set()

    def _is_due_to_writer(self, error: CiteWhyError) -> bool:
        """Whether the error only means that another process is writing: the library is locked, or index or
        vectors, which are derived from it, were replaced while they were read."""
        if not isinstance(error, DamagedError) or error.path is None:
            return isinstance(error, LockedError)
        folder, path = self._before.library.folder, Path(error.path)
        derived = path.is_relative_to(folder) and path != folder
        return derived and path.relative_to(folder).parts[0].startswith(("index", "vectors"))
