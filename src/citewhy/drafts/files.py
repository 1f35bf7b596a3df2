"""Access to the files of a draft, on disk or in memory; readers and edits use nothing else."""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath
from typing import Protocol

from citewhy.base.errors import InputError, TooLargeError
from citewhy.text.source import MAX_FILE, FilePath, Notice, decode, text_of, unpack


class DraftFiles(Protocol):
    """Read access to a draft's files. Their paths come from `path`."""

    def path(self, name: FilePath) -> PurePath:
        """The path of the file that is called `name`."""

    def normal(self, path: PurePath) -> PurePath:
        """The path without ``..`` and ``.``, so that each file has one path."""

    def resolve(self, path: PurePath) -> PurePath:
        """The file that an edit of `path` changes. On disk: absolute, with symbolic links resolved."""

    def name(self, path: PurePath) -> str:
        """The name of the file in records and messages."""

    def is_file(self, path: PurePath) -> bool:
        """Whether there is a regular file (not a folder or a device)."""

    def read(self, path: PurePath, limit: int | None = None) -> bytes:
        """The bytes of a regular file, not decompressed.

        Raises InputError if there is no such file or it cannot be read, TooLargeError if it has more than
        `limit` bytes (default: `text.source.MAX_FILE`).
        """

    def in_folder(self, folder: PurePath, suffix: str, *, below: bool = False) -> list[PurePath]:
        """The files in a folder whose names end with `suffix`, sorted; with those in the folders `below` it,
        unless these are hidden."""


class DiskFiles:
    """Files on disk."""

    def path(self, name: FilePath) -> Path:
        return Path(name)

    def normal(self, path: PurePath) -> Path:
        return Path(os.path.normpath(path))

    def resolve(self, path: PurePath) -> Path:
        return Path(path).resolve()

    def name(self, path: PurePath) -> str:
        return os.fspath(path)

    def is_file(self, path: PurePath) -> bool:
        try:
            return Path(path).is_file()
        except (OSError, ValueError):  # a name that is too long or contains a NUL
            return False

    def read(self, path: PurePath, limit: int | None = None) -> bytes:
        if not self.is_file(path):
            raise InputError("a folder" if Path(path).is_dir() else "no such file", path=path)
        most = MAX_FILE if limit is None else limit
        try:
            with Path(path).open("rb") as file:
                data = file.read(most + 1)
        except OSError as error:
            raise InputError(f"cannot read: {error.strerror or error}", path=path) from error
        return _at_most(most, data, self.name(path))

    def in_folder(self, folder: PurePath, suffix: str, *, below: bool = False) -> list[PurePath]:
        if not below:
            return sorted(Path(folder).glob(f"*{suffix}"))
        paths: list[PurePath] = []
        for count, (inside, folders, names) in enumerate(os.walk(folder)):
            entered = folders if count < _MOST_FOLDERS else []
            folders[:] = [name for name in entered if not name.startswith(".")]
            paths += [Path(inside, name) for name in names if name.endswith(suffix)]
        return sorted(paths)


class MemoryFiles:
    """Files in memory: their contents by name, relative to the draft's folder or absolute.

    Names use ``/`` on every system. A content is text, or bytes, which are decoded like those of a file on
    disk. A byte order mark at the start of a text is not counted in positions. Raises InputError if two names
    denote the same file or a text is not valid Unicode.

    >>> files = MemoryFiles({"paper.tex": "\\input{sections/a}", "sections/a.tex": "Text."})
    >>> files.is_file(files.path("sections/../paper.tex"))
    True
    """

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._names: dict[PurePath, str] = {}
        self._content: dict[PurePath, bytes] = {}
        for name, content in files.items():
            path = self.path(name)
            if path in self._names:
                raise InputError(
                    f"the same file as {self._names[path]!r}", path=name, hint="give each file once"
                )
            self._names[path] = name
            self._content[path] = content if isinstance(content, bytes) else _encoded(content, name)

    @property
    def paths(self) -> list[PurePath]:
        """The paths of all files, in the order in which they were given."""
        return list(self._names)

    def path(self, name: FilePath) -> PurePosixPath:
        return PurePosixPath(posixpath.normpath(PurePosixPath(name)))

    def normal(self, path: PurePath) -> PurePath:
        return self.path(path)

    def resolve(self, path: PurePath) -> PurePath:
        return self.path(path)

    def name(self, path: PurePath) -> str:
        return self._names.get(self.path(path), os.fspath(path))

    def is_file(self, path: PurePath) -> bool:
        return self.path(path) in self._content

    def read(self, path: PurePath, limit: int | None = None) -> bytes:
        content = self._content.get(self.path(path))
        if content is None:
            raise InputError("no such file", path=path)
        return _at_most(MAX_FILE if limit is None else limit, content, self.name(path))

    def in_folder(self, folder: PurePath, suffix: str, *, below: bool = False) -> list[PurePath]:
        folder = self.path(folder)
        return sorted(
            path
            for path in self._content
            if path.name.endswith(suffix) and (path.parent == folder or (below and folder in path.parents))
        )


DISK = DiskFiles()


class ReadOnce:
    """The same `files`, each of which is read once, however often its content is asked for."""

    def __init__(self, files: DraftFiles) -> None:
        self.path, self.normal, self.resolve = files.path, files.normal, files.resolve
        self.name, self.is_file, self.in_folder = files.name, files.is_file, files.in_folder
        self._files = files
        self._content: dict[PurePath, bytes] = {}

    def keep(self, path: PurePath, content: bytes) -> None:
        """Gives a file another content."""
        self._content[path] = content

    def read(self, path: PurePath, limit: int | None = None) -> bytes:
        if (content := self._content.get(path)) is None:
            content = self._content[path] = self._files.read(path, limit)
        return content if limit is None else _at_most(limit, content, self.name(path))


def find(files: DraftFiles, folder: PurePath, name: str) -> PurePath | None:
    """The file that a draft calls `name` in `folder`; None if there is none."""
    if not name or "\0" in name or "\n" in name:
        return None
    path = files.normal(folder / name)
    return path if files.is_file(path) else None


def bibliography_folders(files: DraftFiles) -> list[PurePath]:
    """Returns the folders in which BibTeX and biber look for bibliographies besides those of a draft on disk:
    those that the variable BIBINPUTS names; ``//`` at the end of one stands for all folders in it."""
    folders: dict[PurePath, None] = {}
    on_disk = isinstance(files.path("."), Path)
    for written in os.environ.get("BIBINPUTS", "").split(os.pathsep) if on_disk else ():
        folder = Path(os.path.expandvars(written.removeprefix("!!").rstrip("/") or ".")).expanduser()
        if not written or not folder.is_dir():
            continue
        folders[folder] = None
        if written.endswith("//"):
            inside = sorted(path for path in folder.rglob("*") if path.is_dir())
            folders |= dict.fromkeys(inside[:_MOST_FOLDERS])
    return list(folders)


_MOST_FOLDERS = 1_000


def find_named(files: DraftFiles, folder: PurePath, name: str, beside: PurePath) -> PurePath:
    """Returns the path of a bibliography that a draft calls `name`, relative to `folder`; if there is no such
    file, that of a file with the last part of the name in the folder `beside`, if there is one."""
    path = files.normal(folder / name)
    other = files.normal(beside / re.split(r"[/\\]", name)[-1])
    return other if not files.is_file(path) and files.is_file(other) else path


def read_content(files: DraftFiles, path: PurePath, limit: int | None = None, *, part: str = "") -> bytes:
    """The content of a file, decompressed, or that of a `part` of a package (`records.Place`).

    Raises what `DraftFiles.read` and `read_part` raise, and InputError for damaged compressed data.
    """
    if part:
        return read_part(files.read(path), part, files.name(path), limit)
    return unpack(files.read(path, limit), files.name(path), limit)


def read_text(
    files: DraftFiles,
    path: PurePath,
    limit: int | None = None,
    notice: Notice | None = None,
    *,
    part: str = "",
) -> str:
    """The content of a file, or of a `part` of it, as text, as by `text.source.read_text`. Raises what
    `read_content` raises."""
    return text_of(read_content(files, path, limit, part=part), files.name(path), notice)


def text_to_edit(files: DraftFiles, name: str, part: str = "") -> str:
    """The text of the file `name`, or of a part of it, as an edit finds it: whatever its encoding and the
    length of its lines. Raises what `read_content` raises."""
    return decode(read_content(files, files.path(name), part=part))[0]


def _at_most(limit: int, data: bytes, name: str) -> bytes:
    if len(data) > limit:
        raise TooLargeError(f"more than {limit:,} bytes", path=name, hint="split the file")
    return data


def _encoded(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise InputError("unpaired surrogate", path=name, line=line, hint="give valid Unicode") from error


# Packages of several texts, their parts: ZIP archives, such as those of word processors. An archive may
# come from anybody: nothing of it is written to the disk under a name of its own, and a part is read up to a
# limit, whatever size the archive states.

_DAMAGED = (
    *(
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ),
    NotImplementedError,
)
"""`zipfile` raises these for archives that are damaged, encrypted, or of an unusual kind."""


def read_part(data: bytes, part: str, name: str, limit: int | None = None) -> bytes:
    """The bytes of a part of the package `data`; `name` is that of the file in errors.

    Raises InputError if the file is no package or has no such part, TooLargeError if the part has more than
    `limit` bytes (default: `text.source.MAX_FILE`).
    """
    most = MAX_FILE if limit is None else limit
    with opened_package(data, name) as archive:
        if part not in archive.namelist():
            raise InputError(f"has no part {part!r}", path=name, hint="is it a document of this kind?")
        content = unpacked(archive, archive.getinfo(part), most)
    if len(content) > most:
        raise TooLargeError(f"the part {part!r} has more than {most:,} bytes", path=name)
    return content


def with_parts(data: bytes, parts: Mapping[str, bytes], name: str, limit: int | None = None) -> bytes:
    """The package `data` with the given contents of some of its parts; the order, names, dates and kinds of
    compression of all parts stay.

    Raises InputError if a part cannot be read, TooLargeError if the other parts have more than `limit` bytes
    together (default: `text.source.MAX_FILE`).
    """
    file = io.BytesIO()
    most = left = MAX_FILE if limit is None else limit
    with opened_package(data, name) as old, zipfile.ZipFile(file, "w") as new:
        new.comment = old.comment
        for member in old.infolist():
            content = parts.get(member.filename)
            if content is None:
                content = unpacked(old, member, left)
                left -= len(content)
                if left < 0:
                    raise TooLargeError(f"its parts have more than {most:,} bytes", path=name)
            new.writestr(member, content)
    return file.getvalue()


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """The content of a part; of one that is longer than `most` bytes, one byte more."""
    with archive.open(member) as file:
        return file.read(most + 1)


@contextlib.contextmanager
def opened_package(data: bytes, name: str) -> Iterator[zipfile.ZipFile]:
    """The archive `data`; whatever goes wrong in reading it becomes an InputError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except _DAMAGED as error:
        raise InputError(f"cannot be opened as a package of texts ({error})", path=name) from error
