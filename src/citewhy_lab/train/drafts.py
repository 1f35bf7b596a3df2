"""Finished drafts as training data.

A manifest lists them, one JSON object a line: ``name``, ``root`` (the file to read) and ``bibs`` (its
bibliographies), in the folder ``name`` beside the manifest or elsewhere. Each draft gets a library of its
own bibliography, and its citations are hidden in turn, as `citewhy backtest` does it.

What one model has learned by heart, another must not rely on: the encoder and the last step of the ranker
learn from different authors, and one author in five teaches nothing and is there to measure (`use_of`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.drafts import read
from citewhy.papers.formats import read as read_records
from citewhy.papers.library.store import Library
from citewhy_lab.evaluate.backtest.hiding import SoFar, hide_citations
from citewhy_lab.evaluate.datasets.lines import objects
from citewhy_lab.evaluate.datasets.topics import Topic

YEAR = 2100
"""The year as of which drafts are asked: everything in their own libraries is known."""

Use = Literal["measuring", "encoder", "ranker"]

_USES: tuple[Use, ...] = ("measuring", "encoder", "encoder", "ranker", "ranker")


@dataclass(frozen=True, slots=True)
class Draft:
    """A finished draft with its own bibliography."""

    name: str
    root: Path
    bibliographies: tuple[Path, ...]
    follow_outside: bool = False
    """Whether files outside of its project that it names are read, too (`drafts.read`)."""

    @property
    def author(self) -> str:
        """The name up to the first ``+`` is the author: drafts of one author belong together."""
        return self.name.partition("+")[0]


def use_of(author: str) -> Use:
    """Tells what an author's drafts, or the sentences of a citing paper, are used for, by a hash of the
    name."""
    return _USES[zlib.crc32(author.encode()) % len(_USES)]


def read_manifest(manifest: Path, documents: Path, *, follow_outside: bool = False) -> list[Draft]:
    """Returns the drafts of a manifest, whose folders lie in `documents`. Raises InputError with file and
    line."""
    drafts = []
    for line in objects(manifest, "drafts", "bibs"):
        name, root = line.text("name"), line.text("root")
        folder = documents / name
        if not (folder / root).is_file():
            raise InputError(
                f"the draft {name} is not there", path=folder / root, hint="unpack the documents first"
            )
        bibliographies = tuple(folder / file for file in line.texts("bibs"))
        drafts.append(Draft(name, folder / root, bibliographies, follow_outside))
    return drafts


def open_library(draft: Draft, folder: Path) -> Library:
    """Returns the library of a draft's own bibliography, made in `folder` or found there; to be closed."""
    return add_bibliographies(folder, draft.bibliographies)


def add_bibliographies(folder: Path, bibliographies: Iterable[Path]) -> Library:
    """Returns a library of `bibliographies`, made in `folder` unless it is there; to be closed."""
    library = Library.open(folder, create=True)
    if not library.generation:
        report = ImportReport()
        library.add_all(
            [(str(bibliography), read_records(bibliography, report)) for bibliography in bibliographies],
            report,
        )
    return library


def topics_of(draft: Draft, library: Library, so_far: SoFar = "finished") -> list[Topic]:
    """Returns the draft's citations, each hidden in turn, in reading order."""
    manuscript = read(draft.root, follow_outside=draft.follow_outside)
    return list(hide_citations(library, [manuscript], YEAR, so_far)[0].topics)
