"""`Libraries`: which library answers a text, and which a draft."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from citewhy.base.errors import LockedError
from citewhy.base.progress import Progress, silent
from citewhy.base.records import Manuscript
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import Engine
from citewhy.session.combined import combined, layers
from citewhy.session.draft_library import DraftLibraries
from citewhy.session.following import Follower
from citewhy.session.models import Models
from citewhy.session.opened import Opened, Setting

_ATTEMPTS = 3
"""How often a layer is laid over a library that others change."""


class Libraries:
    """The libraries that a session has open: the one that was named, or the user's own, and those of drafts.
    Thread-safe."""

    def __init__(self, given: Sequence[Path], models: Models, engine: Engine) -> None:
        """Takes the folders that were named; none: the user's own library (`Follower`)."""
        folders: Sequence[Path | None] = given or [None]
        self._followers = [Follower(folder, models, engine) for folder in folders]
        self._of_drafts = DraftLibraries(models, engine.beside())
        self._combined: tuple[list[Opened], Opened] | None = None
        """The libraries that were combined last, and what they are together."""
        self._lock = threading.Lock()

    def current(self) -> Opened:
        """Returns what answers texts: the current state of the library, or of all that were named. Raises as
        `Follower.current` and `combined`."""
        opened = [follower.current() for follower in self._followers]
        if len(opened) == 1:
            return opened[0]
        with self._lock:
            if self._combined is None or self._combined[0] != opened or self._combined[1].is_improved:
                self._combined = opened, combined(opened)
            return self._combined[1]

    def first(self) -> Opened:
        """Returns the library that is changed: the first that was named, or the user's own. Raises as
        `Follower.current`."""
        return self._followers[0].current()

    def of(self, *manuscripts: Manuscript) -> Opened:
        """Returns what answers drafts: their bibliographies, over the user's library or the named one, if
        there is any; as `current` for drafts without entries."""
        below = None if self.is_none() else self.current()
        return self._of_drafts.of(manuscripts, below) or below or self.current()

    def recommender(
        self, manuscripts: Sequence[Manuscript], setting: Setting, progress: Progress = silent
    ) -> tuple[Opened, Recommender]:
        """Returns what answers drafts (`of`), or texts if there are none, and its recommender.

        Raises as `of` and `Opened.recommender`; LockedError if others change the library again and again.
        """
        for attempt in range(_ATTEMPTS):
            try:
                opened = self.of(*manuscripts) if manuscripts else self.current()
                return opened, opened.recommender(setting, progress)
            except LockedError:  # the library has changed since a layer was laid over it
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    def identity(self) -> str:
        """Returns a name for the states of the libraries that were named, or of the user's own; empty if
        there is none."""
        return "" if self.is_none() else ", ".join(one.current().identity for one in self._followers)

    def is_none(self) -> bool:
        """Whether the user neither has a library nor named one."""
        return self._followers[0].stands_in

    def release(self) -> None:
        """Forgets index, models and recommenders of the libraries, which stay open."""
        for follower in self._followers:
            follower.release()
        with self._lock:
            if self._combined is not None:
                self._combined[1].release()
        self._of_drafts.release()

    def close(self) -> None:
        """Closes the libraries. No thread may be using them."""
        self._of_drafts.close()
        with self._lock:
            if self._combined is not None:
                for layer in layers(self._combined[1]):
                    layer.close()
        for follower in self._followers:
            follower.close()
