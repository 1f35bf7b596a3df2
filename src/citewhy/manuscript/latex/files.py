"""The files of a LaTeX draft: found as TeX finds them, decoded, each known by its path."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import PurePath

from citewhy.errors import CiteWhyError, InputError, TooLargeError
from citewhy.manuscript.files import DraftFiles, find, read_content
from citewhy.manuscript.flow import Source
from citewhy.manuscript.latex.problems import Problems
from citewhy.text.source import decode_noting

__all__ = ["MAX_CHARACTERS", "MAX_INPUTS", "LatexFiles", "why"]

MAX_CHARACTERS = 8_000_000
"""Characters of all files of a draft together, a file that is read twice counted twice."""

MAX_INPUTS = 1_000
"""Files that a draft may name, one named twice counted twice."""


class LatexFiles:
    """Opens the files of one draft and remembers them."""

    def __init__(self, files: DraftFiles, root: PurePath, problems: Problems) -> None:
        self.files = files
        self.root = root
        self.sources: dict[str, Source] = {}
        """Every file that was read, by path, in the order of reading."""
        self._problems = problems
        self._characters = 0
        self._inputs = 0

    def open_root(self) -> Source:
        """Raises InputError for a file that cannot be read or is not text, TooLargeError for a large one."""
        return self._open(self.root)

    def open(self, path: PurePath) -> Source:
        """As `open_root`; TooLargeError also where the draft has had more than enough files."""
        self._inputs += 1
        if self._inputs > MAX_INPUTS:
            raise TooLargeError(f"more than {MAX_INPUTS} files are included", path=self.files.name(path))
        return self._open(path)

    def _open(self, path: PurePath) -> Source:
        name = self.files.name(path)
        source = self.sources.get(name)
        if source is None:
            source = Source(name, self._read(path))
        self._characters += len(source.text)
        if self._characters > MAX_CHARACTERS:
            raise TooLargeError(
                f"more than {MAX_CHARACTERS:,} characters", path=self.files.name(path), hint="split the draft"
            )
        self.sources[name] = source
        return source

    def _read(self, path: PurePath) -> str:
        data = read_content(self.files, path, limit=4 * MAX_CHARACTERS)
        if b"\0" in data:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise InputError(
                "not a text file", path=self.files.name(path), line=line, hint="save it as UTF-8"
            )
        return decode_noting(data, functools.partial(self._problems.add, self.files.name(path)))

    def path_of(self, source: Source) -> PurePath:
        return self.files.path(source.path)

    def find(self, name: str, suffix: str, folders: Sequence[PurePath]) -> PurePath | None:
        """The file that a name means, with or without its suffix, in the first of `folders` that has it."""
        name = name.strip().strip('"').strip()
        if not name:
            return None
        candidates = [name] if name.endswith(suffix) else [name + suffix, name]
        found = (
            find(self.files, folder, candidate)
            for folder in dict.fromkeys(folders)
            for candidate in candidates
        )
        return next((path for path in found if path is not None), None)


def why(error: CiteWhyError) -> str:
    """An error as part of a sentence that names the place itself."""
    return error.problem + ("" if error.hint is None else f"; {error.hint}")
