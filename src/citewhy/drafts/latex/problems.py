"""Problems in a LaTeX draft, as messages for its author."""

from __future__ import annotations

from citewhy.drafts.flow import Source
from citewhy.drafts.latex.tokens import Token, span
from citewhy.papers.formats.report import Problem

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
