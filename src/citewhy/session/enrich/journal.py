"""Which papers were asked for where, so that an interrupted run is continued and nothing is asked twice."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import orjson

from citewhy.base.errors import StorageError

__all__ = ["Journal"]

_NAME = "enriched.jsonl"


class Journal:
    """A file of the library's folder with a line for each request that was answered."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _NAME
        self._asked: set[tuple[str, str]] = set()
        if self._path.is_file():
            for line in self._path.read_bytes().splitlines():
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            entry = orjson.loads(line)
            self._asked |= {(entry["service"], str(each)) for each in entry["papers"]}
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return  # a line that was cut off: its papers are asked for again

    def asked(self, service: str, paper_id: str) -> bool:
        return (service, paper_id) in self._asked

    def note(self, service: str, papers: Iterable[str]) -> None:
        """Adds papers that a service was asked for. Raises StorageError if the file cannot be written."""
        ids = list(papers)
        self._asked |= {(service, each) for each in ids}
        try:
            with self._path.open("ab") as file:
                file.write(b"\n" if self._is_cut() else b"")
                file.write(orjson.dumps({"service": service, "papers": ids}) + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StorageError(f"cannot write: {error.strerror or error}", path=self._path) from error

    def _is_cut(self) -> bool:
        data = self._path.read_bytes()
        return bool(data) and not data.endswith(b"\n")
