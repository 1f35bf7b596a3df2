"""The drafts that an editor has open: which draft a text belongs to, and when it is read again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from citewhy.base.errors import CiteWhyError
from citewhy.base.progress import Progress
from citewhy.base.records import Manuscript
from citewhy.drafts.formats import OWN, format_by_suffix
from citewhy.drafts.roots import root_that_reads
from citewhy.session.editor_draft import EditorDraft
from citewhy.session.session import Session

BIBLIOGRAPHY = ".bib"


class Drafts:
    """The drafts of one editor, answered from one session. Thread-safe."""

    def __init__(self, open_session: Callable[[], Session], folders: Sequence[Path] = ()) -> None:
        """`open_session` is called when the first draft is opened; `folders` are those that the editor works
        in, in which the root of a chapter is looked for."""
        self._open_session = open_session
        self._folders = tuple(folders)
        self._session: Session | None = None
        self._drafts: dict[Path, EditorDraft] = {}
        self._roots: dict[Path, Path] = {}
        self._unsaved: dict[Path, str] = {}
        self._lock = threading.RLock()

    @property
    def session(self) -> Session:
        """The session that answers."""
        with self._lock:
            if self._session is None:
                self._session = self._open_session()
            return self._session

    def of(self, file: Path) -> EditorDraft | None:
        """The draft that a file is a part of; None for a bibliography, and for a file of no known format."""
        if file.suffix.lower() == BIBLIOGRAPHY or not is_draft(file):
            return None
        with self._lock:
            root = self._roots.get(file)
            if root is None:
                known = (root for root, draft in self._drafts.items() if draft.name_of(file) is not None)
                root = self._roots[file] = next(known, None) or root_that_reads(file, self._folders)
            if root not in self._drafts:
                draft = self._drafts[root] = EditorDraft(self.session, root)
                for path, text in self._unsaved.items():
                    draft.change(path, text)
            return self._drafts[root]

    def known(self, file: Path) -> EditorDraft | None:
        """The draft that a file is a part of, if this has been found out."""
        root = self._roots.get(file)
        return None if root is None else self._drafts.get(root)

    def change(self, file: Path, present: Callable[[], str | None]) -> list[EditorDraft]:
        """Sets the unsaved text of a file, as it is `present` when its turn comes (None: it is as on disk),
        for all drafts, and returns those that read it or may read it."""
        with self._lock:
            text = present()
            if text is None:
                self._unsaved.pop(file, None)
            else:
                self._unsaved[file] = text
            for draft in self._drafts.values():
                draft.change(file, text)
            if file.suffix.lower() == BIBLIOGRAPHY:
                return [draft for draft in self._drafts.values() if reads(draft, file)]
        draft_of_file = self.of(file)
        return [draft_of_file] if draft_of_file else []

    def opened(self) -> Iterator[tuple[EditorDraft, Manuscript]]:
        """The drafts that have been read, as they were read last."""
        with self._lock:
            drafts = list(self._drafts.values())
        for draft in drafts:
            if (manuscript := draft.manuscript) is not None:
                yield draft, manuscript

    def close(self) -> None:
        """Closes the session."""
        with self._lock:
            if self._session is not None:
                self._session.close()
            self._session = None
            self._drafts.clear()


def is_draft(file: Path) -> bool:
    """Whether a file is, by its suffix, a text of a draft."""
    return format_by_suffix(file) is not None or any(file.suffix.lower() in form.suffixes for form in OWN)


def format_name(file: Path) -> str:
    """The name of the format that the suffix of a file tells; ``plain`` for other suffixes."""
    form = format_by_suffix(file)
    return "plain" if form is None else form.name


def reads(draft: EditorDraft, bibliography: Path) -> bool:
    """Whether a draft takes its references from a bibliography."""
    manuscript = draft.manuscript
    return manuscript is not None and any(
        Path(name).resolve() == bibliography.resolve() for name in manuscript.bibliographies
    )


def read_again(draft: EditorDraft, progress: Progress) -> str:
    """Reads a draft again; returns why this was not possible, or an empty text."""
    try:
        draft.refresh(progress)
    except CiteWhyError as error:
        return str(error)
    return ""
