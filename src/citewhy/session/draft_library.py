"""The library of a draft: the entries of its bibliography, indexed like any library, in the user's cache.

    drafts/<draft>-<content>/            a library
    drafts/<draft>-<content>-<state>/    a layer over a state of another library

Each is made once for each content of the bibliography. When an entry changes, another one is made, which
takes the vectors of the one before: only what changed is encoded.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Manuscript, Paper, Reference
from citewhy.papers.library.opening import SCHEMA_VERSION
from citewhy.papers.library.store import Library
from citewhy.search.index import Engine, open_layer
from citewhy.session.kept import cached_library, name_for
from citewhy.session.models import Models
from citewhy.session.opened import Opened, OpenedLayer
from citewhy.text.codec import paper_text

_FOLDER = "drafts"
_WHAT = "the library of the draft's bibliography"

_MOST_OPEN = 4
"""Libraries of drafts that a session keeps open."""


def entries_of(manuscripts: Sequence[Manuscript]) -> list[Paper]:
    """The entries with a title of the bibliographies of drafts, with their keys as ids; where drafts have
    different entries of one key, the later ones have a number behind it."""
    entries: dict[str, Paper] = {}
    for manuscript in manuscripts:
        for reference in manuscript.references:
            if not reference.paper.title:
                continue
            names = itertools.chain(
                [reference.key], (f"{reference.key}-{number}" for number in itertools.count(2))
            )
            for name in names:
                paper = reference.paper if reference.paper.id == name else replace(reference.paper, id=name)
                if entries.setdefault(name, paper) == paper:
                    break
    return list(entries.values())


class DraftLibraries:
    """The libraries of drafts that a session has open: the last few. Thread-safe."""

    def __init__(self, models: Models, engine: Engine) -> None:
        self._models = models
        self._engine = engine
        self._opened: OrderedDict[tuple[str, Opened | None], Opened] = OrderedDict()
        self._read: tuple[list[tuple[Reference, ...]], tuple[list[Paper], str]] = ([], ([], ""))
        """The bibliographies that were asked for last, with their entries and the checksum of these."""
        self._lock = threading.Lock()

    def of(self, manuscripts: Sequence[Manuscript], below: Opened | None = None) -> Opened | None:
        """The library of the drafts' bibliographies, over the library `below` if one is given, with its
        index, models and recommenders; None if they have no entry with a title."""
        with self._lock:
            entries, content = self._bibliography(manuscripts)
            if not entries:
                return None
            opened = self._opened.pop((content, below), None)
            if opened is not None and opened.is_improved:
                opened.release()  # and not opened anew, since it may be in a temporary folder
            if opened is None:
                files = dict.fromkeys(
                    PurePath(file).name for manuscript in manuscripts for file in manuscript.bibliographies
                )
                opened = self._open(
                    entries,
                    f"{name_for(manuscript.path for manuscript in manuscripts)}-{content}",
                    below,
                    ", ".join(files),
                )
            self._opened[content, below] = opened
            while len(self._opened) > _MOST_OPEN:
                self._opened.popitem(last=False)  # closed when no answer uses it any more
            return opened

    def _bibliography(self, manuscripts: Sequence[Manuscript]) -> tuple[list[Paper], str]:
        """The entries of the drafts, and their checksum; those of the drafts that were asked for last are
        kept, since an editor asks again and again."""
        bibliographies = [manuscript.references for manuscript in manuscripts]
        known, read = self._read
        if len(known) != len(bibliographies) or any(map(operator.is_not, known, bibliographies)):
            entries = entries_of(manuscripts)
            self._read = bibliographies, (read := (entries, _content(entries)))
        return read

    def _open(self, entries: Sequence[Paper], name: str, below: Opened | None, bibliographies: str) -> Opened:
        def fill(library: Library) -> None:
            library.add(entries, ImportReport(), "the bibliography")
            if below is None:
                self._engine.refresh(library)
            else:
                open_layer(library, below.index())

        if below is None:
            library = cached_library(_FOLDER, name, fill, _WHAT)
            return Opened(library, self._models, self._engine, name=bibliographies, of_draft=True)
        name = f"{name}-{below.state}"
        library = cached_library(_FOLDER, name, fill, _WHAT, functools.partial(Library.over, below.library))
        return OpenedLayer(library, below, name=bibliographies, of_draft=True)

    def release(self) -> None:
        """Forgets index, models and recommenders of the libraries, which stay open."""
        with self._lock:
            for opened in self._opened.values():
                opened.release()

    def close(self) -> None:
        """Closes the libraries. No thread may be using them."""
        with self._lock:
            for opened in self._opened.values():
                opened.close()
            self._opened.clear()


def _content(entries: Sequence[Paper]) -> str:
    """A checksum of all that a library of `entries` depends on."""
    checksum = hashlib.blake2b(str(SCHEMA_VERSION).encode(), digest_size=8)
    for paper in entries:
        source = "" if paper.source is None else paper.source.text
        for part in (
            paper.id.encode(errors="surrogatepass"),
            paper_text(replace(paper, source=None)),
            source.encode(errors="surrogatepass"),
        ):
            checksum.update(len(part).to_bytes(4, "little") + part)
    return checksum.hexdigest()
