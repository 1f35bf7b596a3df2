"""Files into a library: read, added in one commit, indexed and encoded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from citewhy.encode import Encoder, default_encoder
from citewhy.errors import InputError
from citewhy.formats import Record, detect, read
from citewhy.formats.report import ImportReport
from citewhy.index import open_index, refresh
from citewhy.library.staging import Staging
from citewhy.library.store import Library
from citewhy.progress import Tell, encoding, silent
from citewhy.reports import AddReport

__all__ = ["add_files", "find_files"]

_TELL_EVERY = 1000
"""Records."""


def add_files(
    folder: Path,
    paths: Iterable[str | os.PathLike[str]],
    *,
    strict: bool = False,
    vectors: bool = True,
    encoder: Encoder | None = None,
    tell: Tell = silent,
) -> AddReport:
    """Adds files, and all recognised files of folders, to the library in `folder`, which is made where there
    is none.

    All are added in one commit, or, after an error, none of them. Then the index is brought up to date, and
    with `vectors` what is new or changed is encoded by `encoder` (None: the package's own); stopped there,
    the next question goes on. Raises InputError for a path that is missing or not recognised, and, if
    `strict`, for the first bad record, which is otherwise skipped and counted.
    """
    files, unknown = find_files(paths)
    report = ImportReport(strict=strict)
    with Staging(report) as staging:
        for file in files:
            staging.take(_records(file, report, tell), str(file))
        with Library.open(folder, create=True) as library:  # not before the files are read: they may be bad
            tell("storing", None)
            result = library.add_staged(staging, report)
            refresh(library, lambda what, share: tell(f"indexing {what}", share))
            if vectors:
                open_index(library, encoder or default_encoder(), encoding(tell))
    return AddReport(
        library=str(folder),
        generation=result.generation,
        changed=result.changed,
        files=tuple(map(str, files)),
        files_not_recognised=tuple(map(str, unknown)),
        read=dict(report.read),
        new=dict(result.new),
        updated=dict(result.updated),
        unchanged=dict(result.unchanged),
        merged=result.merged,
        skipped=report.skipped,
        skips=tuple(map(str, report.skips)),
        warned=report.warned,
        warnings=tuple(map(str, report.warnings)),
    )


def find_files(paths: Iterable[str | os.PathLike[str]]) -> tuple[list[Path], list[Path]]:
    """The files to read, and those of folders whose format is not known; both in order of their names.

    The order of `paths` does not matter: where two files contradict each other, the last one counts. Raises
    InputError for a path that is missing, and where no file at all is recognised.
    """
    given = [Path(path) for path in paths]
    known: set[Path] = set()
    unknown: set[Path] = set()
    for path in given:
        if not path.is_dir():
            if not path.exists():
                raise InputError("there is no such file or folder", path=path, hint="check the path")
            known.add(path)
            continue
        for file in path.rglob("*"):
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if hidden or not file.is_file():
                continue
            try:
                detect(file)
            except InputError:
                unknown.add(file)
            else:
                known.add(file)
    if not known:
        raise InputError(
            "no file here has a known format",
            path=min(given, default=None),
            hint="citewhy add --help lists the formats",
        )
    return sorted(known), sorted(unknown - known)


def _records(file: Path, report: ImportReport, tell: Tell) -> Iterator[Record]:
    for number, record in enumerate(read(file, report)):
        if number % _TELL_EVERY == 0:
            tell(f"reading {file.name} {number:,}", None)
        yield record
