"""The files of an import: all files that the given paths refer to, including pipes, and their formats.

A folder means all files in it that have a known format. A pipe is copied to a file first, because detecting
its format would consume its beginning.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from citewhy.base.artifact import temporary_folder
from citewhy.base.errors import InputError, NoPapersError, TooLargeError, UnforeseenError
from citewhy.base.import_report import ImportReport
from citewhy.papers.formats import read
from citewhy.papers.formats.recognise import detect, is_pdf
from citewhy.papers.formats.registry import EMPTY, FORMATS, Format, Record
from citewhy.text.source import read_head

__all__ = ["MAX_PIPE", "STDIN", "File", "Files", "find", "records"]

STDIN = "-"
MAX_PIPE = 16 << 30
"""Bytes that are read from a pipe."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class File:
    """A file to read. `name` is how messages call it: its path, or "standard input"."""

    path: Path
    name: str
    format: Format


@dataclass(slots=True)
class Files:
    """The files that some paths refer to, each list in order of names."""

    known: list[File] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)
    """Files in folders that have no known format."""
    pdfs: list[Path] = field(default_factory=list)
    """Files in folders that are PDFs."""
    refused: list[InputError] = field(default_factory=list)
    """Files that were given and cannot be read."""

    def macros(self) -> dict[str, str]:
        """``@string`` definitions of all BibTeX files; the first file with a name counts."""
        macros: dict[str, str] = {}
        for file in self.known:
            if file.format == FORMATS["BibTeX"]:
                from citewhy.papers.formats.bibtex import macros_of

                with contextlib.suppress(InputError):
                    for name, value in macros_of(file.path).items():
                        macros.setdefault(name, value)
        return macros


@contextlib.contextmanager
def find(paths: Iterable[str | os.PathLike[str]], without: Collection[Path] = frozenset()) -> Iterator[Files]:
    """The files of paths; ``-`` is standard input. Copies of pipes are removed at the end of the block.

    `without` are resolved paths of files that are left out. The order of paths and repetitions do not matter.
    """
    with contextlib.ExitStack() as stack:
        files = Files()
        by_path: dict[Path, File] = {}
        for path in map(Path, paths):
            try:
                if path.is_dir():
                    _walk(path, files, by_path, without)
                elif path.resolve() in without:
                    continue
                else:
                    file = _named(path, stack)
                    by_path[file.path] = file
            except InputError as error:
                files.refused.append(error)
        files.known = [by_path[path] for path in sorted(by_path)]
        files.unknown = sorted(set(files.unknown) - by_path.keys())
        files.pdfs = sorted(set(files.pdfs))
        yield files


def _walk(folder: Path, files: Files, by_path: dict[Path, File], without: Collection[Path]) -> None:
    """All files in a folder and its subfolders, except hidden ones; an empty one counts as of no known
    format."""
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or not path.is_file() or path.resolve() in without:
            continue
        try:
            format_ = detect(path)
        except (NoPapersError, UnforeseenError) as error:
            files.refused.append(error)
            continue
        except InputError:
            with contextlib.suppress(InputError):
                if is_pdf(read_head(path, 1024)):
                    files.pdfs.append(path)
                    continue
            format_ = EMPTY
        if format_ is EMPTY:
            files.unknown.append(path)
        else:
            by_path[path] = File(path, str(path), format_)


def _named(path: Path, stack: contextlib.ExitStack) -> File:
    name = "standard input" if str(path) in (STDIN, "/dev/stdin") else str(path)
    spooled = _is_stream(path)
    if spooled:
        folder = stack.enter_context(temporary_folder())
        path = _spooled(path, folder / "piped", name)
    try:
        format_ = detect(path)
    except InputError as error:
        raise type(error)(error.problem, path=name, line=error.line, hint=error.hint) from error
    if spooled and format_.named_by_file:
        raise InputError(
            f"a paper of {format_.name} goes by the name of its file, which a pipe does not have",
            path=name,
            hint="save it to a file, and name that",
        )
    return File(path, name, format_)


def _is_stream(path: Path) -> bool:
    """Whether to read a path as a pipe. Raises InputError if it is neither a pipe nor a file."""
    if str(path) == STDIN:
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise InputError("there is no such file or folder", path=path, hint="check the path") from error
    if stat.S_ISREG(mode):
        return False
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return True
    raise InputError("this is a device, not a file", path=path, hint="name a file, a folder, or - for a pipe")


def _spooled(path: Path, target: Path, name: str) -> Path:
    """The pipe's content as a file."""
    try:
        with target.open("wb") as file:
            if str(path) == STDIN:
                if os.isatty(0):
                    raise InputError(
                        "standard input is a terminal", path=name, hint="pipe a file into it, or name one"
                    )
                with open(0, "rb", closefd=False) as pipe:
                    _pour(pipe, file, name)
            else:
                with path.open("rb") as pipe:
                    _pour(pipe, file, name)
    except OSError as error:
        if error.errno == errno.EBADF:
            hint = "pipe a file into it, or name one"
            raise InputError("it is closed", path=name, hint=hint) from error
        raise InputError(f"cannot read: {error.strerror or error}", path=name) from error
    return target


def _pour(pipe: BinaryIO, file: BinaryIO, name: str) -> None:
    size = 0
    while block := pipe.read(_BLOCK):
        size += len(block)
        if size > MAX_PIPE:
            raise TooLargeError(f"more than {MAX_PIPE:,} bytes", path=name, hint="save it to a file")
        file.write(block)


def records(file: File, report: ImportReport, macros: Mapping[str, str] | None = None) -> Iterator[Record]:
    """The records of a file.

    Raises InputError for a file that cannot be read, and for one without any records, which nobody adds on
    purpose. The ``@string`` definitions of a .bib file without entries are available to the others; `macros`
    is None if there are no others.
    """
    number = 0
    try:
        for record in read(file.path, report, macros):
            number += 1
            yield record
        if not number and not (macros is not None and _gives_macros(file)):
            raise _nothing(file, report)
    except InputError as error:
        if error.path == str(file.path) and file.name != str(file.path):
            raise type(error)(error.problem, path=file.name, line=error.line, hint=error.hint) from error
        raise


def _gives_macros(file: File) -> bool:
    return file.format == FORMATS["BibTeX"] and bool(Files([file]).macros())


def _nothing(file: File, report: ImportReport) -> InputError:
    if file.format == EMPTY:
        return InputError("the file is empty", path=file.path, hint="expected papers in a supported format")
    why = report.skips[0] if report.skips else None
    return InputError(
        f"found no records when reading it as {file.format.name}" + (f" ({why.why})" if why else ""),
        path=file.path,
        line=why.line if why else None,
        hint=f"expected {file.format.expected}",
    )
