"""What a LaTeX draft is found to have wrong, for the people who write it."""

from __future__ import annotations

from citewhy.formats.report import Problem
from citewhy.manuscript.flow import Source
from citewhy.manuscript.latex.tokens import Token, span

__all__ = ["Problems"]

_MOST_PROBLEMS = 100


class Problems:
    """What could not be read, as sentences for people: each once, not more than they would read."""

    def __init__(self) -> None:
        self._sentences: dict[str, None] = {}

    def add(self, path: str, line: int, why: str) -> None:
        self.add_sentence(str(Problem(path, line, why)))

    def add_sentence(self, sentence: str) -> None:
        """One that names its file and line already."""
        if len(self._sentences) < _MOST_PROBLEMS:
            self._sentences.setdefault(sentence)

    def at(self, token: Token, why: str) -> None:
        source, start, _ = span(token)
        if not self._is_package(source):
            self.add(source.path, source.line_of(start), why)

    @staticmethod
    def _is_package(source: Source) -> bool:
        """Packages are read for their definitions only; nobody wants to hear about the rest of them."""
        return source.path.endswith((".sty", ".cls"))

    def sentences(self) -> list[str]:
        return list(self._sentences)
