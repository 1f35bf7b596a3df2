"""Tokens other than control words, and text that is not divided into tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from citewhy.drafts.latex.citations import open_bracket
from citewhy.drafts.latex.commands import RAW_ENVIRONMENTS
from citewhy.drafts.latex.gather import BREAK, Gatherer
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token, plain_text, span
from citewhy.text.accents import ACCENTS, SYMBOLS

# Text that is read as characters, not as tokens: verbatim text, URLs, and skipped environments -----------

_URL = re.compile(r"\s*\{(?:[^{}\r\n]|\{[^{}\r\n]*\})*\}")
_LONGEST_VERBATIM = 1_000
_COMMAND = re.compile(r"\\[A-Za-z@]")


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
        end = -1
        ending = f"\\end{{{token.text}}}"
        if file is not None and (file.source.path, ending) not in self._endless:
            end = file.source.text.find(ending, file.position)
        if file is None or end < 0:
            if file is not None:
                self._endless.add((file.source.path, ending))
            self._stream.problems.at(
                token, f"\\begin{{{token.text}}} is never closed; what follows is read as text"
            )
        else:
            file.position = end + len(ending)
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
        if file is not None and (url := _URL.match(file.source.text, file.position)):
            file.position = url.end()
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
        verbatim = text[start + 1 : end].strip()
        if _COMMAND.search(verbatim):
            self._gatherer.gap()
        else:
            self._gatherer.emit(verbatim, token._replace(end=end + 1))

    def _verbatim_group(self) -> None:
        """``\\lstinline{x}``."""
        argument = self._stream.argument()
        if argument is not None and any(part.kind in {"word", "begin", "end"} for part in argument.tokens):
            self._gatherer.gap()
        elif argument is not None:
            self._stream.put_back(argument.tokens)


# Text, spaces, control symbols, accents, brackets, braces, formulas --------------------------------------

_TYPOGRAPHY = {"``": "“", "''": "”", "`": "‘", "'": "’", "---": "—", "--": "–"}
_LIGATURE = re.compile(r"``|''|`|'|---?")


class Characters:
    """Adds characters to the text that is gathered."""

    def __init__(self, stream: TokenStream, gatherer: Gatherer) -> None:
        self._stream = stream
        self._gatherer = gatherer
        self._groups = gatherer.groups

    def steps(self) -> dict[str, Callable[[Token], None]]:
        """The handler for each kind of token; tokens of other kinds are text as they stand."""
        return {
            "text": self._text,
            "space": self._space,
            "~": self._space,
            "par": self._blank_line,
            "sign": self._sign,
            "{": self._groups.brace,
            "}": self._groups.closing_brace,
            "[": self._bracket,
            "(": self._bracket,
            "]": self._closing_bracket,
            "$": self._groups.dollar,
            "$$": self._groups.dollar,
            "&": self._cell,
            "mark": self._nothing,
            "parameter": self._nothing,
        }

    def _text(self, token: Token) -> None:
        text = token.text
        if "'" in text or "`" in text or "--" in text:
            text = _LIGATURE.sub(lambda ligature: _TYPOGRAPHY.get(ligature[0], ligature[0]), text)
        self._gatherer.emit(text, token)

    def _space(self, token: Token) -> None:
        self._gatherer.space()

    def _blank_line(self, token: Token) -> None:
        self._gatherer.paragraph()

    def _nothing(self, token: Token) -> None:
        return None

    def _cell(self, token: Token) -> None:
        if self._groups.in_formula:
            return
        if self._gatherer.kind in {"row", "author"}:
            self._gatherer.wide_space()
        else:
            self._gatherer.emit("&", token)

    def _sign(self, token: Token) -> None:
        sign = token.text
        if sign == "\\":
            self._new_line()
        elif sign in {"(", "["}:
            self._groups.open_formula(f"\\{sign}", token)
        elif sign in {")", "]"}:
            self._groups.closing_formula("\\(" if sign == ")" else "\\[", token)
        elif sign in ACCENTS:
            self.accent(token)
        elif sign.isspace():
            self._gatherer.space()
        else:
            self.symbol(SYMBOLS.get(sign, ""), token)

    def _new_line(self) -> None:
        """``\\\\`` with its optional star and length."""
        self._stream.take("*", skip_space=False)
        self._stream.option(skip_space=False)
        if self._groups.in_formula:
            return
        kind = self._gatherer.kind
        if kind == "row":
            self._gatherer.flush()
        elif kind == "author":
            self._gatherer.flow.separate(BREAK)
        else:
            self._gatherer.space()

    def symbol(self, text: str, token: Token) -> None:
        """Adds the text that a command stands for."""
        if text.isspace():
            self._gatherer.wide_space()
        elif text:
            self._gatherer.emit(text, token)

    def accent(self, token: Token) -> None:
        """``\\'e``, ``\\"{o}``, ``\\c c``: the accent is added to the first letter."""
        if self._groups.in_formula:
            return
        argument = self._stream.argument()
        base = "" if argument is None else plain_text(argument.tokens)
        base = {"\\i": "i", "\\j": "j"}.get(base.strip(), base)
        if argument is None or not base.strip() or "\\" in base:
            self._stream.put_back(argument.tokens if argument else [])
            return
        source, start, end = span(token)
        if token.call is None and argument.place.source is source:
            braces = (
                argument.place.end - argument.place.start == 0 or source.text[argument.place.start - 1] == "{"
            )
            end = max(end, argument.place.end + (1 if braces else 0))
        text = unicodedata.normalize("NFC", base[0] + ACCENTS[token.text]) + base[1:]
        if not self._gatherer.is_quiet:
            self._gatherer.flow.add(text.strip(), source, start, min(end, len(source.text)))

    def _bracket(self, token: Token) -> None:
        is_read = not (self._groups.in_formula or self._gatherer.is_quiet)
        in_table = self._gatherer.kind == "row"
        cited = open_bracket(token, self._stream, in_table=in_table) if is_read else None
        if cited is None:
            self._gatherer.emit(token.text, token)
        else:
            self._gatherer.flow.cite(cited)

    def _closing_bracket(self, token: Token) -> None:
        innermost = self._groups.innermost
        if innermost is not None and innermost.kind == "[":
            self._groups.close()
        else:
            self._gatherer.emit("]", token)
