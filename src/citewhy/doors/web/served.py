"""`Served`: what a server has open for its user: a session, and the drafts on the page."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from citewhy.doors.web.problems import ProblemError
from citewhy.drafts.formats import format_by_suffix
from citewhy.drafts.roots import root_on_disk
from citewhy.session.open_draft import OpenDraft
from citewhy.session.session import Session

MOST_OPEN = 32
"""Drafts that are open; of more, the one that was asked for longest ago is closed."""

MOST_LISTED = 1_000
_MOST_SEEN = 50_000
"""Files that are looked at for drafts under the folder."""

_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Opened:
    """A draft on the page."""

    id: str
    path: str | None
    """Relative to the folder of the server; None: it was dropped or pasted, and is in memory."""
    draft: OpenDraft


class Served:
    """What a server has open. Thread-safe."""

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self.folder = folder.resolve()
        self._drafts: OrderedDict[str, Opened] = OrderedDict()
        self._lock = threading.Lock()
        self.closing = False
        """Whether the server is about to end; streams that would not, do."""

    @property
    def open_drafts(self) -> int:
        """How many drafts are open."""
        return len(self._drafts)

    def within(self, path: str) -> Path:
        """A file or folder under the folder of the server, links resolved. Raises ProblemError for any
        other."""
        try:
            found = (self.folder / path).resolve()
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                found.stat()
        except (OSError, ValueError, RuntimeError):  # too long, a NUL, a circle of links
            raise ProblemError(422, "that is no path") from None
        if not found.is_relative_to(self.folder):
            raise ProblemError(
                403, "the path is outside of the folder of the server", hint="start citewhy serve above it"
            )
        return found

    def open_path(self, path: str) -> Opened:
        """Opens a draft on disk, or finds it open. Raises as `within` and `OpenDraft`."""
        root = self.within(str(root_on_disk(self.within(path))))
        identifier = hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()
        with self._lock:
            known = self._drafts.get(identifier)
        if known is not None:
            return self.get(identifier)
        name = root.relative_to(self.folder).as_posix()
        return self._keep(Opened(identifier, name, OpenDraft(self.session, root)))

    def open_files(self, files: Mapping[str, str | bytes], root: str | None) -> Opened:
        """Opens a draft in memory. Raises as `OpenDraft`."""
        return self._keep(Opened(secrets.token_hex(8), None, OpenDraft(self.session, files, root)))

    def _keep(self, opened: Opened) -> Opened:
        with self._lock:
            opened = self._drafts.setdefault(opened.id, opened)
            self._drafts.move_to_end(opened.id)
            while len(self._drafts) > MOST_OPEN:
                self._drafts.popitem(last=False)
        return opened

    def get(self, identifier: str) -> Opened:
        """The open draft with an id. Raises ProblemError if there is none."""
        with self._lock:
            if identifier not in self._drafts:
                raise ProblemError(
                    404, f"no draft {identifier!r} is open", hint="open it again: POST /api/v1/drafts"
                )
            self._drafts.move_to_end(identifier)
            return self._drafts[identifier]

    def close_draft(self, identifier: str) -> None:
        """Closes a draft; what was decided for one on disk is kept. Raises as `get`."""
        self.get(identifier)
        with self._lock:
            self._drafts.pop(identifier, None)

    def drafts(self) -> tuple[list[dict[str, str]], bool]:
        """The files under the folder that are drafts by their suffixes, and whether there are more than are
        listed."""
        found: list[dict[str, str]] = []
        seen = 0
        for folder, folders, files in os.walk(self.folder):
            depth = len(Path(folder).relative_to(self.folder).parts)
            folders[:] = sorted(one for one in folders if not one.startswith((".", "_")) and depth < _DEPTH)
            for name in sorted(files):
                seen += 1
                path = Path(folder, name)
                form = None if name.startswith((".", "_")) else format_by_suffix(path)
                if form is None and path.suffix.lower() != ".txt":
                    continue
                if len(found) >= MOST_LISTED or seen > _MOST_SEEN:
                    return found, True
                relative = path.relative_to(self.folder).as_posix()
                found.append({"path": relative, "name": name, "format": form.name if form else "plain"})
        return found, False
