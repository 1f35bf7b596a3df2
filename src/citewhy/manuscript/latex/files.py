"""The files of a LaTeX draft: found as TeX finds them, decoded, each known by its path."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path

from citewhy.errors import CiteWhyError, InputError, TooLargeError
from citewhy.manuscript.flow import Source
from citewhy.manuscript.latex.problems import Problems
from citewhy.text.source import decode_noting, read_bytes

__all__ = ["MAX_CHARACTERS", "MAX_INPUTS", "DraftFiles", "why"]

MAX_CHARACTERS = 8_000_000
"""Characters of all files of a draft together, a file that is read twice counted twice."""

MAX_INPUTS = 1_000
"""Files that a draft may name, one named twice counted twice."""


class DraftFiles:
    """Opens the files of one draft and remembers them."""

    def __init__(self, root: Path, problems: Problems) -> None:
        self.root = root
        self.sources: dict[str, Source] = {}
        """Every file that was read, by path, in the order of reading."""
        self._problems = problems
        self._characters = 0
        self._inputs = 0

    def open_root(self) -> Source:
        """Raises InputError for a file that cannot be read or is not text, TooLargeError for a large one."""
        return self._open(self.root)

    def open(self, path: Path) -> Source:
        """As `open_root`; TooLargeError also where the draft has had more than enough files."""
        self._inputs += 1
        if self._inputs > MAX_INPUTS:
            raise TooLargeError(f"more than {MAX_INPUTS} files are included", path=path)
        return self._open(path)

    def _open(self, path: Path) -> Source:
        name = os.fspath(path)
        source = self.sources.get(name)
        if source is None:
            source = Source(name, self._read(path))
        self._characters += len(source.text)
        if self._characters > MAX_CHARACTERS:
            raise TooLargeError(f"more than {MAX_CHARACTERS:,} characters", path=path, hint="split the draft")
        self.sources[name] = source
        return source

    def _read(self, path: Path) -> str:
        if not path.is_file():
            raise InputError("no such file", path=path)  # nor a device, which might never end
        data = read_bytes(path, limit=4 * MAX_CHARACTERS)
        if b"\0" in data:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise InputError("not a text file", path=path, line=line, hint="save it as UTF-8")
        return decode_noting(data, functools.partial(self._problems.add, os.fspath(path)))

    def find(self, name: str, suffix: str, folders: Sequence[Path]) -> Path | None:
        """The file that a name means, with or without its suffix, in the first of `folders` that has it."""
        name = name.strip().strip('"').strip()
        if not name or "\0" in name or "\n" in name:
            return None
        candidates = [name] if name.endswith(suffix) else [name + suffix, name]
        for folder in dict.fromkeys(folders):
            for candidate in candidates:
                path = Path(os.path.normpath(folder / candidate))
                try:
                    if path.is_file():
                        return path
                except OSError:  # a name too long
                    return None
        return None


def why(error: CiteWhyError) -> str:
    """An error as part of a sentence that names the place itself."""
    return error.problem + ("" if error.hint is None else f"; {error.hint}")
