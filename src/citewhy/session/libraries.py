"""`Libraries`: which library answers a text, and which a draft."""

from __future__ import annotations

from pathlib import Path

from citewhy.base.records import Manuscript
from citewhy.search.index import Engine
from citewhy.session.draft_library import DraftLibraries
from citewhy.session.following import Follower
from citewhy.session.models import Models
from citewhy.session.opened import Opened


class Libraries:
    """The libraries that a session has open: the one that was named, or the user's own, and those of drafts.
    Thread-safe."""

    def __init__(self, given: Path | None, models: Models, engine: Engine) -> None:
        """`given` as for `Follower`."""
        self._follower = Follower(given, models, engine)
        self._of_drafts = DraftLibraries(models, engine)

    def current(self) -> Opened:
        """Returns what answers texts: the current state of the library. Raises as `Follower.current`."""
        return self._follower.current()

    def of(self, *manuscripts: Manuscript) -> Opened:
        """Returns what answers drafts: their bibliographies where the user neither has nor named a library;
        otherwise as `current`."""
        own = self._of_drafts.of(manuscripts) if self.is_none() else None
        return self.current() if own is None else own

    def is_none(self) -> bool:
        """Whether the user neither has a library nor named one."""
        return self._follower.stands_in

    def release(self) -> None:
        """Forgets index, models and recommenders of the libraries, which stay open."""
        self._follower.release()
        self._of_drafts.release()

    def close(self) -> None:
        """Closes the libraries. No thread may be using them."""
        self._follower.close()
        self._of_drafts.close()
