"""Tokenizing LaTeX: tokens with their positions in a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from citewhy.base.import_report import Problem
from citewhy.drafts.flow import Source
from citewhy.text.placeholders import OPEN_COMMAND, is_open_line


class Call(NamedTuple):
    """The macro call that a token comes from; of nested calls, the outermost one, which is in a file."""

    source: Source
    start: int
    end: int
    depth: int
    """Number of nested calls that the token comes from."""


class Token(NamedTuple):
    """A token. Its `kind` is one of

    ``text`` (a run of ordinary characters), ``space``, ``par`` (a blank line), ``word`` (a control word with
    the name `text`), ``sign`` (a control symbol with the character `text`), ``parameter`` (``#1``), ``begin``
    and ``end`` (of the environment `text`), ``mark`` (the position of an empty argument), ``chunk`` (a
    chunk of R code in a Sweave file, with its options as `text`), or the special character itself:
    ``{ } [ ] $ $$ & ~ ^ _ * = ( )``.
    """

    kind: str
    text: str
    source: Source
    start: int
    end: int
    call: Call | None = None


def span(token: Token) -> tuple[Source, int, int]:
    """The position of a token in a file; for a token from a macro, that of the macro call."""
    if token.call is not None:
        return token.call.source, token.call.start, token.call.end
    return token.source, token.start, token.end


_NEWLINE = r"(?:\r\n|\r|\n)"
_BLANK = r"[^\S\r\n]"


def _pattern(letters: str) -> re.Pattern[str]:
    return re.compile(
        rf"""(?P<text>[^\\{{}}\[\]$%&~\#^_*=()\s]+)
        |(?P<space>\s+)
        |\\(?P<word>[{letters}]+){_BLANK}*(?:{_NEWLINE}{_BLANK}*(?![\r\n]))?
        |\\(?P<sign>[\S\s]?)
        |(?P<comment>%[^\r\n]*(?:{_NEWLINE}{_BLANK}*)?)
        |(?P<dollar>\$\$?)
        |(?P<parameter>\#+[1-9]?)
        |(?P<special>[\s\S])""",
        re.VERBOSE,
    )


# A control word takes the white space after it, but not a blank line: `(?![\r\n])`.
_OUTSIDE, _INSIDE = _pattern("A-Za-z"), _pattern("A-Za-z@")
_LINE_END = re.compile(_NEWLINE)
_PLAIN_KINDS = {"special", "dollar"}

_SWEAVE = (".rnw", ".snw", ".nw")
_CHUNK = re.compile(r"<<([^\r\n]*)>>=[^\r\n]*")
_INDENT = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]*\Z")
_DEEPEST_INDENT = 100
_CHUNK_END = re.compile(r"^@(?:[ \t%][^\r\n]*)?$", re.MULTILINE)
_CHUNK_OPTION = re.compile(r"^#\|([^\r\n]*)", re.MULTILINE)


class FileInput:
    """A file that is being tokenized. `position` may be moved forward."""

    def __init__(self, source: Source, *, folder: str = "", is_package: bool = False) -> None:
        self.source = source
        self.folder = folder
        """The folder of an `\\import`, which applies to file names in it; else empty."""
        self.is_package = is_package
        self.position = 0
        self.at_is_letter = is_package
        self._has_chunks = source.path.lower().endswith(_SWEAVE)
        self._line_is_new = True  # after a comment: the next line starts
        self._is_ended = False

    @property
    def state(self) -> tuple[int, bool, bool]:
        """The state to restore in order to read the same tokens again."""
        return self.position, self._line_is_new, self._is_ended

    @state.setter
    def state(self, state: tuple[int, bool, bool]) -> None:
        self.position, self._line_is_new, self._is_ended = state

    def read(self) -> Token | None:
        """The next token; None at the end of the file. Comments are skipped, except ``% cite Kripke``, which
        is a command (`placeholders.is_open_line`)."""
        text = self.source.text
        while self.position < len(text):
            start = self.position
            if self._has_chunks and text.startswith("<<", start) and (chunk := self._chunk()):
                return chunk
            match = (_INSIDE if self.at_is_letter else _OUTSIDE).match(text, start)
            assert match is not None  # the last alternative takes any character
            self.position = match.end()
            kind = str(match.lastgroup)
            if kind == "comment":
                asked = match[kind].rstrip()
                if not self.is_package and is_open_line(asked):
                    self.position = start + len(asked)
                    return Token("word", OPEN_COMMAND, self.source, start, self.position)
                self._line_is_new = True
                continue
            value = match[kind]
            line_is_new, self._line_is_new = self._line_is_new, False
            if kind in _PLAIN_KINDS:
                return Token(value, value, self.source, start, self.position)
            if kind == "space":
                ends = len(_LINE_END.findall(value))
                kind = "par" if ends > 1 or (ends == 1 and line_is_new) else "space"
                return Token(kind, " ", self.source, start, self.position)
            if kind == "word":
                return Token(kind, value, self.source, start, start + 1 + len(value))
            return Token(kind, value, self.source, start, self.position)
        if self._is_ended:
            return None
        self._is_ended = True  # the end of the last line
        return Token("space", " ", self.source, len(text), len(text))

    def _chunk(self) -> Token | None:
        """Takes a chunk of code, from ``<<options>>=`` to a line with ``@``."""
        text, start = self.source.text, self.position
        indent = _INDENT.search(text, max(0, start - _DEEPEST_INDENT), start)
        head = None if indent is None else _CHUNK.match(text, start)
        if head is None:
            return None
        ending = _CHUNK_END.search(text, head.end())
        code = text[head.end() : len(text) if ending is None else ending.start()]
        self.position = len(text) if ending is None else ending.end()
        options = ",".join([head[1], *_CHUNK_OPTION.findall(code)])
        return Token("chunk", options, self.source, start, self.position)


class ListInput:
    """A list of tokens to read before the file continues: an expansion, or tokens that were put back."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._next = 0

    @property
    def is_done(self) -> bool:
        return self._next >= len(self._tokens)

    def read(self) -> Token | None:
        if self.is_done:
            return None
        self._next += 1
        return self._tokens[self._next - 1]


def plain_text(tokens: Iterable[Token]) -> str:
    """The text of tokens as written, without comments: for names of files, keys and environments."""
    parts = []
    for token in tokens:
        if token.kind in {"word", "sign"}:
            parts.append(f"\\{token.text}")
        elif token.kind not in {"mark", "begin", "end"}:
            parts.append(token.text)
    return "".join(parts)


# Problems at a token, as messages for the draft's author -------------------------------------------------

_MOST_PROBLEMS = 100


class Problems:
    """A limited number of different messages."""

    def __init__(self) -> None:
        self._messages: dict[str, None] = {}

    def add(self, path: str, line: int, why: str) -> None:
        self.add_message(str(Problem(path, line, why)))

    def add_message(self, message: str) -> None:
        """Adds a message that already names its file and line."""
        if len(self._messages) < _MOST_PROBLEMS:
            self._messages.setdefault(message)

    def at(self, token: Token, why: str) -> None:
        source, start, _ = span(token)
        if not self._is_package(source):
            self.add(source.path, source.line_of(start), why)

    @staticmethod
    def _is_package(source: Source) -> bool:
        """Packages are read only for their definitions: their problems are not the author's."""
        return source.path.endswith((".sty", ".cls"))

    def messages(self) -> list[str]:
        return list(self._messages)
