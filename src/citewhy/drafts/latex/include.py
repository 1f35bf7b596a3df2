"""Files that a draft includes, read at the position at which they are named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.drafts.latex.files import LatexFiles, why
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import FileInput, Token

_DEEPEST = 50
"""Maximum nesting of included files."""


class Inclusions:
    """Finds the files that a draft names and adds their content to the stream."""

    def __init__(self, stream: TokenStream, files: LatexFiles) -> None:
        self._stream = stream
        self._problems = stream.problems
        self._files = files
        self.main_file: FileInput | None = None
        """The main file, if the root is a subfile: only its preamble is read."""

    def start(self) -> None:
        """Starts reading the root. Raises InputError or TooLargeError."""
        self._stream.enter(FileInput(self._files.open_root()))

    @property
    def root(self) -> PurePath:
        return self._files.root

    def beside(self, name: str, suffix: str) -> PurePath:
        """The path that a name refers to if there is no such file."""
        path = self.root.parent / name
        return path if path.suffix == suffix else path.with_name(path.name + suffix)

    def find(self, name: str, suffix: str = ".tex", folder: str = "") -> PurePath | None:
        """The file that a name refers to: relative to the root, as in TeX, or else to the current file, or
        else to the folder above the root, from which some projects are compiled."""
        root = self.root.parent
        here = self._stream.files[-1] if self._stream.files else None
        folders = [root / folder] if folder else []
        if here is not None:
            folders.append(root / here.folder)
        folders.append(root)
        if here is not None:
            folders.append(self._files.path_of(here.source).parent)
        folders.append(root.parent)
        return self._files.find(name, suffix, folders)

    def include(self, token: Token, name: str, *, folder: str = "", suffix: str = ".tex") -> None:
        """Continues reading in the file called `name`."""
        path = self.find(name, suffix, folder)
        shown = f"\\{token.text}{{{name.strip()}}}"
        if path is None:
            self._problems.at(token, f"{shown}: no such file; skipped")
        elif self._reads(path):
            self._problems.at(token, f"{shown}: the file includes itself; skipped")
        elif len(self._stream.files) >= _DEEPEST:
            self._problems.at(token, f"{shown}: more than {_DEEPEST} levels of included files; skipped")
        else:
            here = self._stream.files[-1].folder if self._stream.files else ""
            self._enter(token, path, shown, folder or here)

    def _enter(
        self, token: Token, path: PurePath, shown: str, folder: str = "", *, is_package: bool = False
    ) -> None:
        try:
            self._stream.enter(FileInput(self._files.open(path), folder=folder, is_package=is_package))
        except CiteWhyError as error:
            self._problems.at(token, f"{shown}: {why(error)}; skipped")

    def include_packages(self, token: Token, names: Sequence[str]) -> None:
        """Reads packages in the draft's folder, for the macros that they define."""
        for name in reversed(names):
            path = self.find(name, ".sty")
            if path is not None and path.suffix == ".sty" and not self._reads(path):
                self._enter(token, path, name, is_package=True)

    def class_file(self, name: str) -> FileInput | None:
        """The class called `name`, if it is a file of the draft that can be read. It is not entered."""
        path = self.find(name, ".cls")
        if path is None or path.suffix != ".cls":
            return None
        try:
            return FileInput(self._files.read_aside(path), is_package=True)
        except CiteWhyError:
            return None

    def read_preamble(self, token: Token, name: str) -> None:
        """Reads the preamble of the main file called `name`, of which the root is a subfile."""
        path = self.find(name)
        if len(self._stream.files) == 1 and path is not None and not self._reads(path):
            self._enter(token, path, name)
            self.main_file = self._stream.files[-1]

    def _reads(self, path: PurePath) -> bool:
        return any(self._files.path_of(file.source) == path for file in self._stream.files)
