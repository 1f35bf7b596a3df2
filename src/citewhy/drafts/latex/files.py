"""The files of a LaTeX draft: found as by TeX, decoded, cached, and included."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError, InputError, TooLargeError
from citewhy.drafts.files import DraftFiles, bibliography_folders, find, read_content
from citewhy.drafts.flow import Source
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import FileInput, Problems, Token
from citewhy.text.source import decode_noting

MAX_CHARACTERS = 8_000_000
"""Maximum number of characters in all files of a draft; a file that is read twice counts twice."""

MAX_INPUTS = 1_000
"""Maximum number of included files; a file that is included twice counts twice."""


_MOST_ROOTS = 100
_BEGINNING = re.compile(r"^[^%\n]*\\begin\{document\}", re.MULTILINE)


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
        self._count(path)
        return self._open(path)

    def read_aside(self, path: PurePath) -> Source:
        """A file that is no text of the draft: a class. Raises what `open` raises."""
        self._count(path)
        return Source(self.files.name(path), decode_noting(self._bytes(path), lambda line, why: None))

    def _count(self, path: PurePath) -> None:
        self._inputs += 1
        if self._inputs > MAX_INPUTS:
            raise TooLargeError(f"more than {MAX_INPUTS:,} included files", path=self.files.name(path))

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

    def roots_in(self, folder: PurePath, including: re.Pattern[str]) -> list[PurePath]:
        """The files of a folder that begin a document and include what the pattern `including` matches."""
        paths = [path for path in self.files.in_folder(folder, ".tex") if self.files.is_file(path)]
        texts = ((path, self._decoded(path)) for path in paths[:_MOST_ROOTS])
        return [path for path, text in texts if _BEGINNING.search(text) and including.search(text)]

    def _decoded(self, path: PurePath) -> str:
        try:
            return decode_noting(self._bytes(path), lambda line, why: None)
        except CiteWhyError:
            return ""

    def path_of(self, source: Source) -> PurePath:
        """The path of a file that was read."""
        return self.files.path(source.path)

    def find(self, name: str, suffix: str, folders: Sequence[PurePath]) -> PurePath | None:
        """The file called `name`, with or without `suffix`, in the first of `folders` that has it."""
        name = name.strip().strip('"').strip()
        if not name:
            return None
        candidates = [name] if name.endswith(suffix) else [name + suffix, name]
        paths = (
            find(self.files, folder, candidate)
            for folder in dict.fromkeys(folders)
            for candidate in candidates
        )
        return next((path for path in paths if path is not None), None)


def why(error: CiteWhyError) -> str:
    """An error as part of a message that already names the file and line."""
    return error.problem + ("" if error.hint is None else f"; {error.hint}")


# The main file of a part of a draft, as editors look for it: in the first lines, or (Emacs) in the last ones.

_LONGEST_HEAD = 3_000
_MAIN = re.compile(
    r"^[ \t]*%+[ \t]*![ \t]*(?:TeX|Rnw)[ \t]+root[ \t]*=[ \t]*(?P<name>[^\r\n]*\S)",
    re.IGNORECASE | re.MULTILINE,
)
_MASTER = re.compile(r"^[ \t]*%+[ \t]*TeX-master:[ \t]*\"(?P<name>[^\"\r\n]+)\"", re.MULTILINE)

# Files that the draft includes, read at the position at which they are named -----------------------------

_LEVELS_OF_ROOT = 2
"""How many folders above a part its root is looked for."""

_DEEPEST = 50
"""Maximum nesting of included files."""


class Inclusions:
    """Finds the files that a draft names and adds their content to the stream."""

    def __init__(self, stream: TokenStream, files: LatexFiles) -> None:
        self._stream = stream
        self._problems = stream.problems
        self._files = files
        self.main_file: FileInput | None = None
        """The main file, if the root is a subfile or names it: only its preamble is read."""
        self.root_is_part = False
        """Whether the root has no ``\\begin{document}``."""
        self._paths: dict[tuple[str | None, ...], PurePath | None] = {}

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
        current = self._stream.files[-1] if self._stream.files else None
        inside = (None, None) if current is None else (current.source.path, current.folder)
        asked = (name, suffix, folder, *inside, self.main_file.source.path if self.main_file else None)
        if asked not in self._paths:  # each name costs a dozen looks at the disk
            self._paths[asked] = self._find(name, suffix, folder, current)
        return self._paths[asked]

    def _find(self, name: str, suffix: str, folder: str, current: FileInput | None) -> PurePath | None:
        root = self.root.parent
        folders = [root / folder] if folder else []
        if current is not None:
            folders.append(root / current.folder)
        folders.append(root)
        if current is not None:
            folders.append(self._files.path_of(current.source).parent)
        if self.main_file is not None:
            folders.append(self._files.path_of(self.main_file.source).parent)
        folders.append(root.parent)
        if suffix == ".bib":
            folders += bibliography_folders(self._files.files)
        return self._files.find(name, suffix, folders)

    def include(self, token: Token, name: str, *, folder: str = "", suffix: str = ".tex") -> None:
        """Continues reading in the file called `name`."""
        path = self.find(name, suffix, folder)
        command = f"\\{token.text}{{{name.strip()}}}"
        if path is None:
            self._problems.at(token, f"{command}: no such file; skipped")
        elif self._reads(path):
            self._problems.at(token, f"{command}: the file includes itself; skipped")
        elif len(self._stream.files) >= _DEEPEST:
            self._problems.at(token, f"{command}: more than {_DEEPEST} levels of included files; skipped")
        else:
            current = self._stream.files[-1].folder if self._stream.files else ""
            self._enter(token, path, command, folder or current)

    def _enter(
        self, token: Token, path: PurePath, command: str, folder: str = "", *, is_package: bool = False
    ) -> None:
        try:
            self._stream.enter(FileInput(self._files.open(path), folder=folder, is_package=is_package))
        except CiteWhyError as error:
            self._problems.at(token, f"{command}: {why(error)}; skipped")

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

    def open_aside(self, name: str, suffix: str) -> Source | None:
        """Opens a file whose text is not a part of the draft, if there is one that can be read."""
        path = self.find(name, suffix)
        try:
            return None if path is None else self._files.open(path)
        except CiteWhyError:
            return None

    def read_preamble(self, token: Token, name: str) -> None:
        """Reads the preamble of the main file called `name`, of which the root is a subfile."""
        path = self.find(name)
        if len(self._stream.files) == 1 and path is not None and not self._reads(path):
            self._enter(token, path, name)
            self.main_file = self._stream.files[-1]

    def read_named_main(self, code: Callable[[str], str]) -> None:
        """Reads the preamble of the main file that a part of a draft names in a magic comment. `code` is the
        text of a file without comments. Whatever is wrong with the name is a problem of the draft."""
        source = self._files.open_root()
        named = _MAIN.search(source.text, 0, _LONGEST_HEAD)
        named = named or _MASTER.search(source.text, max(0, len(source.text) - _LONGEST_HEAD))
        if named is None:
            self._read_only_root(source)
            return
        token = Token("word", "", source, named.start(), named.end())
        path = self.find(named["name"])
        if path is None:
            self._problems.at(token, f"the root {named['name']}: no such file; read without it")
        elif "\\begin{document}" not in code(self._files.open(path).text):
            self._problems.at(token, f"the root {named['name']} has no \\begin{{document}}; read without it")
        else:
            self.read_preamble(token, named["name"])

    def _read_only_root(self, source: Source) -> None:
        """Reads the preamble of the only root in the folder of the part, or else in the folders above it,
        that includes a file of its name."""
        including = re.compile(
            rf"^[^%\n]*\\(?:input|include|subfile|subfileinclude|import\*?\{{[^{{}}]*\}}|subimport\{{[^{{}}]*\}})"
            rf"\s*\{{[^{{}}\n]*?(?<![\w-]){re.escape(self.root.stem)}(?:\.\w+)?\s*\}}",
            re.MULTILINE,
        )
        for level in range(_LEVELS_OF_ROOT + 1):
            folder = self._files.files.normal(self.root.parent.joinpath(*[".."] * level))
            roots = [path for path in self._files.roots_in(folder, including) if path != self.root]
            if len(roots) == 1:
                token = Token("word", "", source, 0, 0)
                self.read_preamble(token, os.path.relpath(roots[0], self.root.parent))
            if roots:
                return

    def _reads(self, path: PurePath) -> bool:
        return any(self._files.path_of(file.source) == path for file in self._stream.files)
