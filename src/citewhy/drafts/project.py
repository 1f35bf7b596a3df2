r"""The files on disk that a draft may read: those of its project.

A draft may come from anybody, and names files: ``\input{/etc/passwd}`` would put their sentences into
what is shown, sent on or indexed.
"""

from __future__ import annotations

from pathlib import Path, PurePath

from citewhy.drafts.files import DiskFiles
from citewhy.drafts.formats import is_of_drafts

_LEVELS = 3

_MARKS = (".git", ".hg", ".svn")


def project_of(root: Path) -> Path:
    """The folder that contains the whole project of a draft: the nearest one under version control, or else
    one up to `_LEVELS` above that of the root file, as projects keep chapters and papers in folders."""
    folder = root.resolve().parent
    for above in (folder, *folder.parents):
        if any((above / mark).exists() for mark in _MARKS):
            return above
    home = Path("~").expanduser()
    for _ in range(_LEVELS):
        # Neither the home folder nor a folder like /tmp belongs to one project.
        if folder.parent == home or len(folder.parent.parts) <= 2:
            break
        folder = folder.parent
    return folder


class ProjectFiles(DiskFiles):
    """Files on disk of which a draft sees those in the folder of its root file, and other files of drafts
    (by their suffix) in its project."""

    def __init__(self, root: Path) -> None:
        self._folders = (root.resolve().parent, root.absolute().parent.resolve())  # a link has two
        self._project = project_of(root)
        self.refused: dict[str, None] = {}
        """The names of files that exist and were not read."""

    def is_file(self, path: PurePath) -> bool:
        if not super().is_file(path):
            return False
        if self._belongs(Path(path)):
            return True
        self.refused[self.name(path)] = None
        return False

    def in_folder(self, folder: PurePath, suffix: str, *, below: bool = False) -> list[PurePath]:
        """Those of the project; others that are there are no concern of the draft."""
        return [path for path in super().in_folder(folder, suffix, below=below) if self._belongs(Path(path))]

    def _belongs(self, path: Path) -> bool:
        try:
            resolved = path.resolve()
        except OSError:
            return False
        if any(map(resolved.is_relative_to, self._folders)):
            return True
        return is_of_drafts(resolved) and resolved.is_relative_to(self._project)
