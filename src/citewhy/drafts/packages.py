"""Files that are packages of several texts, their parts: ZIP archives, such as those of word processors.

An archive may come from anybody: nothing of it is written to the disk under a name of its own, and a part is
read up to a limit, whatever size the archive states.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from citewhy.base.errors import InputError, TooLargeError
from citewhy.text.source import MAX_FILE

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
"""What `zipfile` raises for archives that are damaged, encrypted, or of an unusual kind."""


def read_part(data: bytes, part: str, name: str, limit: int | None = None) -> bytes:
    """The bytes of a part of the package `data`; `name` is that of the file in errors.

    Raises InputError if the file is no package or has no such part, TooLargeError if the part has more than
    `limit` bytes (default: `text.source.MAX_FILE`).
    """
    most = MAX_FILE if limit is None else limit
    with _opened(data, name) as archive:
        if part not in archive.namelist():
            raise InputError(f"has no part {part!r}", path=name, hint="is it a document of this kind?")
        with archive.open(part) as file:
            content = file.read(most + 1)
    if len(content) > most:
        raise TooLargeError(f"the part {part!r} has more than {most:,} bytes", path=name)
    return content


def with_parts(data: bytes, parts: Mapping[str, bytes], name: str) -> bytes:
    """The package `data` with the given contents of some of its parts; the order, names, dates and kinds of
    compression of all parts stay. Raises InputError if a part cannot be read."""
    file = io.BytesIO()
    with _opened(data, name) as old, zipfile.ZipFile(file, "w") as new:
        new.comment = old.comment
        for member in old.infolist():
            content = parts[member.filename] if member.filename in parts else old.read(member)
            new.writestr(member, content)
    return file.getvalue()


@contextlib.contextmanager
def _opened(data: bytes, name: str) -> Iterator[zipfile.ZipFile]:
    """The archive `data`; whatever goes wrong in reading it becomes an InputError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except _DAMAGED as error:
        raise InputError(f"cannot be opened as a package of texts ({error})", path=name) from error
