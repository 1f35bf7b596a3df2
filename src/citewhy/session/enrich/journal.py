"""A file of the library's folder that notes which papers a service was asked for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

import orjson

from citewhy.base.artifact import sync_folder
from citewhy.base.errors import StorageError

_NAME = "enriched.jsonl"


class Journal:
    """A file with a line for each request that was answered."""

    def __init__(self, folder: Path) -> None:
        """Reads the file, if there is one. Raises StorageError if it is anything but a regular file."""
        self._path = folder / _NAME
        self._asked: set[tuple[str, str]] = set()
        if not os.path.lexists(self._path):
            return
        for line in self._bytes().splitlines():
            self._take(line)

    def _bytes(self) -> bytes:
        try:
            with os.fdopen(self._open(os.O_RDONLY), "rb") as file:
                return file.read()
        except OSError as error:
            raise self._error("read", error) from error

    def _open(self, way: int) -> int:
        """A link is not followed, and a named pipe not waited for. Raises OSError."""
        handle = os.open(self._path, way | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle
        os.close(handle)
        raise OSError("it is not a regular file")

    def _take(self, line: bytes) -> None:
        try:
            entry = orjson.loads(line)
            self._asked |= {(entry["service"], str(paper_id)) for paper_id in entry["papers"]}
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return  # a line that was cut off: its papers are asked for again

    def asked(self, service: str, paper_id: str) -> bool:
        return (service, paper_id) in self._asked

    def note(self, service: str, papers: Iterable[str]) -> None:
        """Adds papers that a service was asked for. Raises StorageError if the file cannot be written."""
        ids = list(papers)
        self._asked |= {(service, paper_id) for paper_id in ids}
        is_new = not os.path.lexists(self._path)
        try:
            with os.fdopen(self._open(os.O_RDWR | os.O_APPEND | os.O_CREAT), "rb+") as file:
                file.write(b"\n" if _is_cut(file.fileno()) else b"")
                file.write(orjson.dumps({"service": service, "papers": ids}) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            if is_new:
                sync_folder(self._path.parent)
        except OSError as error:
            raise self._error("write", error) from error

    def _error(self, what: str, error: OSError) -> StorageError:
        return StorageError(
            f"cannot {what}: {error.strerror or error}",
            path=self._path,
            hint="if it is not a regular file, remove it: papers are then asked for again",
        )


def _is_cut(handle: int) -> bool:
    """Whether the last line has no end: a process was killed while it wrote it."""
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"
