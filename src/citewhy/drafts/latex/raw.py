"""Text that is read as characters, not as tokens: verbatim text, URLs, and skipped environments."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewhy.drafts.latex.commands import RAW_ENVIRONMENTS
from citewhy.drafts.latex.gather import Gatherer
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token, plain_text

_URL = re.compile(r"\s*\{(?:[^{}\r\n]|\{[^{}\r\n]*\})*\}")
_LONGEST_VERBATIM = 1_000
_SHOWN_COMMAND = re.compile(r"\\[A-Za-z@]")


class RawText:
    """Reads characters directly from the current file."""

    def __init__(self, stream: TokenStream, gatherer: Gatherer) -> None:
        self._stream = stream
        self._gatherer = gatherer
        self._environments = set(RAW_ENVIRONMENTS)
        self._endless: set[tuple[str, str]] = set()
        """Files and ends of environments that do not occur in them any more."""

    def commands(self) -> dict[str, Callable[[Token], None]]:
        """The handlers of commands with raw text, and of those that declare raw environments."""
        return {
            **dict.fromkeys(("url", "nolinkurl", "path"), self._url),
            "href": self._link,
            **dict.fromkeys(("verb", "Verb", "lstinline", "mintinline"), self._verbatim),
            **dict.fromkeys(("excludecomment", "excludeversion"), self._exclude),
            **dict.fromkeys(("includecomment", "includeversion"), self._exclude),
        }

    def environment(self, token: Token) -> bool:
        """Skips an environment with verbatim text or a comment; False for any other environment."""
        if token.text not in self._environments:
            return False
        file = self._stream.raw_file()
        found = -1
        ending = f"\\end{{{token.text}}}"
        if file is not None and (file.source.path, ending) not in self._endless:
            found = file.source.text.find(ending, file.position)
        if file is None or found < 0:
            if file is not None:
                self._endless.add((file.source.path, ending))
            self._stream.problems.at(
                token, f"\\begin{{{token.text}}} is never closed; what follows is read as text"
            )
        else:
            file.position = found + len(ending)
        return True

    def _exclude(self, token: Token) -> None:
        """``\\excludecomment{name}`` and ``\\includecomment{name}``: whether an environment is skipped."""
        argument = self._stream.argument()
        if argument is not None:
            name = plain_text(argument.tokens).strip()
            change = (
                self._environments.add if token.text.startswith("exclude") else self._environments.discard
            )
            change(name)

    def _raw_argument(self) -> None:
        """Takes an argument in which ``%``, ``#`` and ``_`` are ordinary characters: a URL."""
        file = self._stream.raw_file()
        if file is not None and (found := _URL.match(file.source.text, file.position)):
            file.position = found.end()
        else:
            self._stream.argument()

    def _url(self, token: Token) -> None:
        """``\\url{x}``."""
        self._raw_argument()
        self._gatherer.gap()

    def _link(self, token: Token) -> None:
        """``\\href{x}{text}``."""
        self._stream.option()
        self._raw_argument()

    def _verbatim(self, token: Token) -> None:
        """``\\verb|x|``. Its content is text of the sentence unless it contains commands."""
        stream = self._stream
        if token.text == "mintinline":
            stream.option(skip_space=False)
            stream.argument()
        stream.take("*", skip_space=False)
        if token.text in {"lstinline", "Verb"}:
            stream.option(skip_space=False)
        following = stream.peek(skip_space=False)
        if following is not None and following.kind == "{":
            self._verbatim_group()
            return
        file = stream.raw_file()
        if file is None:
            return
        text, start = file.source.text, file.position
        end = text.find(text[start], start + 1, start + _LONGEST_VERBATIM) if start < len(text) else -1
        if end < 0 or re.search(r"[\r\n]", text[start:end]):
            stream.problems.at(token, f"\\{token.text} does not end on its line")
            return
        file.position = end + 1
        shown = text[start + 1 : end].strip()
        if _SHOWN_COMMAND.search(shown):
            self._gatherer.gap()
        else:
            self._gatherer.emit(shown, token._replace(end=end + 1))

    def _verbatim_group(self) -> None:
        """``\\lstinline{x}``."""
        argument = self._stream.argument()
        if argument is not None and any(part.kind in {"word", "begin", "end"} for part in argument.tokens):
            self._gatherer.gap()
        elif argument is not None:
            self._stream.put_back(argument.tokens)
