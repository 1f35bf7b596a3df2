"""The files of a LaTeX draft: found as by TeX, decoded, and cached."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError, InputError, TooLargeError
from citewhy.drafts.files import DraftFiles, find, read_content
from citewhy.drafts.flow import Source
from citewhy.drafts.latex.problems import Problems
from citewhy.text.source import decode_noting

MAX_CHARACTERS = 8_000_000
"""Maximum number of characters in all files of a draft; a file that is read twice counts twice."""

MAX_INPUTS = 1_000
"""Maximum number of included files; a file that is included twice counts twice."""


class LatexFiles:
    """Opens the files of one draft and caches them."""

    def __init__(self, files: DraftFiles, root: PurePath, problems: Problems) -> None:
        self.files = files
        self.root = root
        self.sources: dict[str, Source] = {}
        """The files read so far, by name, in the order of reading."""
        self._problems = problems
        self._characters = 0
        self._inputs = 0

    def open_root(self) -> Source:
        """Opens the root. Raises InputError if it cannot be read or is not text, and TooLargeError."""
        return self._open(self.root)

    def open(self, path: PurePath) -> Source:
        """Opens an included file. Raises what `open_root` raises, and TooLargeError for too many files."""
        self._inputs += 1
        if self._inputs > MAX_INPUTS:
            raise TooLargeError(f"more than {MAX_INPUTS:,} included files", path=self.files.name(path))
        return self._open(path)

    def read_aside(self, path: PurePath) -> Source:
        """A file that is no text of the draft: a class. Raises what `open` raises."""
        self._inputs += 1
        if self._inputs > MAX_INPUTS:
            raise TooLargeError(f"more than {MAX_INPUTS:,} included files", path=self.files.name(path))
        return Source(self.files.name(path), decode_noting(self._bytes(path), lambda line, why: None))

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
        return decode_noting(self._bytes(path), functools.partial(self._problems.add, self.files.name(path)))

    def _bytes(self, path: PurePath) -> bytes:
        data = read_content(self.files, path, limit=4 * MAX_CHARACTERS)
        if b"\0" in data:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise InputError(
                "not a text file", path=self.files.name(path), line=line, hint="save it as UTF-8"
            )
        return data

    def path_of(self, source: Source) -> PurePath:
        """The path of a file that was read."""
        return self.files.path(source.path)

    def find(self, name: str, suffix: str, folders: Sequence[PurePath]) -> PurePath | None:
        """The file called `name`, with or without `suffix`, in the first of `folders` that has it."""
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
    """An error as part of a message that already names the file and line."""
    return error.problem + ("" if error.hint is None else f"; {error.hint}")
