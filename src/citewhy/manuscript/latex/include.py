"""Files that a draft includes: each is read where it is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from citewhy.errors import CiteWhyError
from citewhy.manuscript.latex.files import LatexFiles, why
from citewhy.manuscript.latex.stream import TokenStream
from citewhy.manuscript.latex.tokens import FileInput, Token

__all__ = ["Inclusions"]

_DEEPEST = 50
"""Files in files."""


class Inclusions:
    """Finds the files that a draft names, and puts what they hold into the stream."""

    def __init__(self, stream: TokenStream, files: LatexFiles) -> None:
        self._stream = stream
        self._problems = stream.problems
        self._files = files
        self.borrowed: FileInput | None = None
        """The main file of a root that is one of its subfiles: read for its preamble."""

    def start(self) -> None:
        """Begins with the root. Raises InputError or TooLargeError."""
        self._stream.enter(FileInput(self._files.open_root()))

    @property
    def root(self) -> PurePath:
        return self._files.root

    def beside(self, name: str, suffix: str) -> PurePath:
        """The file that a name would mean if it were there."""
        path = self.root.parent / name
        return path if path.suffix == suffix else path.with_name(path.name + suffix)

    def find(self, name: str, suffix: str = ".tex", folder: str = "") -> PurePath | None:
        """The file that a name means: as TeX looks for it from the root, else beside the current file."""
        root = self.root.parent
        here = self._stream.files[-1] if self._stream.files else None
        folders = [root / folder] if folder else []
        if here is not None:
            folders.append(root / here.folder)
        folders.append(root)
        if here is not None:
            folders.append(self._files.path_of(here.source).parent)
        return self._files.find(name, suffix, folders)

    def include(self, token: Token, name: str, *, folder: str = "", suffix: str = ".tex") -> None:
        """Reads on in the file of that name."""
        path = self.find(name, suffix, folder)
        shown = f"\\{token.text}{{{name.strip()}}}"
        if path is None:
            self._problems.at(token, f"{shown}: no such file; it is left out")
        elif self._reads(path):
            self._problems.at(token, f"{shown}: the file includes itself; it is not read again")
        elif len(self._stream.files) >= _DEEPEST:
            self._problems.at(token, f"{shown}: files include files {_DEEPEST} deep; it is left out")
        else:
            here = self._stream.files[-1].folder if self._stream.files else ""
            self._enter(token, path, shown, folder or here)

    def _enter(
        self, token: Token, path: PurePath, shown: str, folder: str = "", *, is_package: bool = False
    ) -> None:
        try:
            self._stream.enter(FileInput(self._files.open(path), folder=folder, is_package=is_package))
        except CiteWhyError as error:
            self._problems.at(token, f"{shown}: {why(error)}; it is left out")

    def include_packages(self, token: Token, names: Sequence[str]) -> None:
        """Those that stand beside the draft are read for the macros that they define."""
        for name in reversed(names):
            path = self.find(name, ".sty")
            if path is not None and path.suffix == ".sty" and not self._reads(path):
                self._enter(token, path, name, is_package=True)

    def borrow(self, token: Token, name: str) -> None:
        """Reads the main file of a root that is one of its subfiles."""
        path = self.find(name)
        if len(self._stream.files) == 1 and path is not None and not self._reads(path):
            self._enter(token, path, name)
            self.borrowed = self._stream.files[-1]

    def _reads(self, path: PurePath) -> bool:
        return any(self._files.path_of(file.source) == path for file in self._stream.files)
