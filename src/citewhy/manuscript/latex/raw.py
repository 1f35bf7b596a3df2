"""What is read as characters, not as commands: verbatim text, addresses, environments that are left out."""

from __future__ import annotations

import re

from citewhy.manuscript.latex.commands import RAW_ENVIRONMENTS
from citewhy.manuscript.latex.expand import Expander
from citewhy.manuscript.latex.gather import Gatherer
from citewhy.manuscript.latex.tokens import Token, plain_text

__all__ = ["RawReader"]

_ADDRESS = re.compile(r"\s*\{(?:[^{}\r\n]|\{[^{}\r\n]*\})*\}")
_LONGEST_VERBATIM = 1_000
_SHOWN_COMMAND = re.compile(r"\\[A-Za-z@]")


class RawReader(Gatherer):
    """Takes characters from the file being read, past the tokens."""

    def __init__(self, stream: Expander) -> None:
        super().__init__(stream)
        self.raw = set(RAW_ENVIRONMENTS)
        """Environments whose content is not read."""
        self._endless: set[tuple[str, str]] = set()
        """Ends of raw environments that a file does not have any more."""

    def skip_raw(self, token: Token) -> None:
        """Verbatim text and comments: read as characters up to their end."""
        file = self.stream.raw_file()
        found = -1
        ending = f"\\end{{{token.text}}}"
        if file is not None and (file.source.path, ending) not in self._endless:
            found = file.source.text.find(ending, file.position)
        if file is None or found < 0:
            if file is not None:
                self._endless.add((file.source.path, ending))
            self.stream.problems.at(
                token, f"\\begin{{{token.text}}} has no end; what follows is read as text"
            )
            return
        file.position = found + len(ending)

    def exclude(self, name: str, *, is_excluded: bool) -> None:
        """Environments that a draft leaves out (``\\excludecomment``)."""
        (self.raw.add if is_excluded else self.raw.discard)(name)

    def raw_argument(self) -> str:
        """An argument in braces in which ``%``, ``#`` and ``_`` are ordinary characters: an address."""
        file = self.stream.raw_file()
        if file is not None and (found := _ADDRESS.match(file.source.text, file.position)):
            file.position = found.end()
            return found[0].strip()[1:-1]
        argument = self.stream.argument()
        return "" if argument is None else plain_text(argument.tokens)

    def address(self, token: Token) -> None:
        """``\\url{x}``."""
        self.raw_argument()
        self.flows[-1].gap()

    def link(self, token: Token) -> None:
        """``\\href{x}{text}``."""
        self.stream.option()
        self.raw_argument()

    def verbatim(self, token: Token) -> None:
        """``\\verb|x|``: the characters up to the next of the first. Commands among them are shown, not used,
        and no words of the sentence."""
        if token.text == "mintinline":
            self.stream.option(skip_space=False)
            self.stream.argument()
        self.stream.take("*", skip_space=False)
        if token.text in {"lstinline", "Verb"}:
            self.stream.option(skip_space=False)
        following = self.stream.peek(skip_space=False)
        if following is not None and following.kind == "{":
            self._verbatim_group()
            return
        file = self.stream.raw_file()
        if file is None:
            return
        text, start = file.source.text, file.position
        end = text.find(text[start], start + 1, start + _LONGEST_VERBATIM) if start < len(text) else -1
        if end < 0 or re.search(r"[\r\n]", text[start:end]):
            self.stream.problems.at(token, f"\\{token.text} has no end in its line")
            return
        file.position = end + 1
        shown = text[start + 1 : end].strip()
        if _SHOWN_COMMAND.search(shown):
            self.flows[-1].gap()
        else:
            self.emit(shown, token._replace(end=end + 1))

    def _verbatim_group(self) -> None:
        """``\\lstinline{x}``."""
        argument = self.stream.argument()
        if argument is not None and any(part.kind in {"word", "begin", "end"} for part in argument.tokens):
            self.flows[-1].gap()
        elif argument is not None:
            self.stream.put_back(argument.tokens)
