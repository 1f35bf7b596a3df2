"""Walks through a draft's expanded tokens: environments, and the commands that nobody else knows."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewhy.manuscript.latex.cite import citation, has_citation, open_command
from citewhy.manuscript.latex.commands import (
    ARGUMENTS,
    ENVIRONMENT_ARGUMENTS,
    FLOATS,
    INLINE_ENVIRONMENTS,
    MATH_ENVIRONMENTS,
    ROW_COMMANDS,
    TABLES,
    WORDS,
    is_citation,
)
from citewhy.manuscript.latex.expand import Expander
from citewhy.manuscript.latex.groups import Group
from citewhy.manuscript.latex.raw import RawReader
from citewhy.manuscript.latex.tokens import FileInput, Token
from citewhy.manuscript.placeholders import is_open_command
from citewhy.text.accents import ACCENTS, SYMBOLS

__all__ = ["Walker"]

_LENGTH = re.compile(
    r"""\s*=?\s*[-+]?(?:\d*\.?\d+|\d+\.)\s*(?:true\s*)?(?:pt|em|ex|in|cm|mm|bp|pc|dd|cc|sp|\\[A-Za-z@]+)?
        (?:\s*(?:plus|minus)\s*[-+]?[\d.]+\s*[a-z]*)*
      | \s*=\s*[-+]?\\[A-Za-z@]+""",
    re.VERBOSE,
)


class Walker(RawReader):
    """Reads a draft to its end. What LaTeX's commands mean for the text is for a subclass."""

    def __init__(self, stream: Expander) -> None:
        super().__init__(stream)
        self._has_begun = False
        self._subfiles: list[FileInput] = []
        """Included files that are documents of their own and are not at their end."""

    def walk(self) -> None:
        """Reads to ``\\end{document}`` or the end of the draft."""
        while not self.is_finished and (token := self.stream.next()) is not None:
            step = _STEPS.get(token.kind)
            if step is None:
                self.emit(token.text, token)
            else:
                step(self, token)
        while self.groups:
            if (group := self.groups[-1]).kind != "document":
                self.stream.problems.at(group.token, f"{group} is never closed")
            self.close_group()
        while len(self.flows) > 1:
            self.end_flow()
        self.flush()

    # Environments ------------------------------------------------------------------------------------------

    def _begin(self, token: Token) -> None:
        name, base = token.text, token.text.rstrip("*")
        if name == "document":
            self._begin_document(token)
            return
        if name in self.raw:
            self.skip_raw(token)
            return
        self.drop(ENVIRONMENT_ARGUMENTS.get(name) or ENVIRONMENT_ARGUMENTS.get(base, ""))
        if base in MATH_ENVIRONMENTS:
            self.open_math(name, token)
        elif base in INLINE_ENVIRONMENTS:
            self.open_group(name, token)
        elif base in FLOATS or base in TABLES:
            around = self.flows[-1].kind
            self.begin_flow("ignored" if around == "ignored" else "row" if base in TABLES else "body")
            self.open_group(name, token, self.end_flow)
        elif not self.environment(token):
            self._begin_block(name, token)

    def environment(self, token: Token) -> bool:
        """Begins an environment that a subclass knows; False where it does not."""
        return False

    def _begin_block(self, name: str, token: Token) -> None:
        self.flush()
        if name not in ENVIRONMENT_ARGUMENTS and (title := self.stream.option(skip_space=False)):
            self.stream.put_back(title.tokens)  # \begin{theorem}[Smith]
        self.open_group(name, token, self.flush)

    def _end(self, token: Token) -> None:
        name = token.text
        if name == "document":
            self._end_document(token)
            return
        for depth, group in enumerate(reversed(self.groups)):
            if group.kind == name:
                self.close_down_to(depth)
                return
            if group.is_text:
                break
        self.stream.problems.at(token, f"\\end{{{name}}} without \\begin{{{name}}}")

    def _begin_document(self, token: Token) -> None:
        file = self.stream.files[-1] if self.stream.files else None
        if file is not None and file is self.stream.borrowed:
            file.position = len(file.source.text)  # of this file, only the preamble is wanted
            return
        if not self._has_begun:
            self._has_begun = True
            self.begin_body()
            self.open_group("document", token)
        elif file is not None:
            self._subfiles.append(file)

    def _end_document(self, token: Token) -> None:
        if self._subfiles and self.stream.files and self._subfiles[-1] is self.stream.files[-1]:
            file = self._subfiles.pop()
            file.position = len(file.source.text)
        else:
            self.is_finished = True

    # Commands ----------------------------------------------------------------------------------------------

    def _word(self, token: Token) -> None:
        name = token.text
        if self.command(token):
            pass
        elif is_open_command(name):
            self.cite(open_command(token, self.stream))
        elif is_citation(name):
            self._citation(token)
        elif name in ACCENTS:
            self.accent(token)
        elif (spec := ARGUMENTS.get(name)) is not None:
            self._row_step(name)
            self.drop(spec)
            self.flows[-1].gap()
        elif (text := SYMBOLS.get(name, WORDS.get(name))) is not None:
            self.symbol(text, token)
        else:
            self._row_step(name)
            self._unknown(token)

    def command(self, token: Token) -> bool:
        """Does what a command means that a subclass knows; False where it does not."""
        return False

    def _row_step(self, name: str) -> None:
        if name in ROW_COMMANDS and self.flows[-1].kind == "row":
            self.flush()

    def _unknown(self, token: Token) -> None:
        """A command that nobody knows: options are left out, arguments in braces are text."""
        following = self.stream.peek(skip_space=False)
        if following is None or following.kind != "[" or following.start != token.end:
            return
        option = self.stream.option(skip_space=False)
        if option is None:
            return
        behind = self.stream.peek(skip_space=False)
        if has_citation(option.tokens):
            self.stream.put_back(option.tokens)
        elif behind is None or behind.kind != "{":  # no option: "\foo[sic]"
            bracket = following._replace(kind="text")
            self.stream.put_back([bracket, *option.tokens, bracket._replace(text="]")])

    def drop(self, spec: str) -> None:
        """Takes arguments that are no text; what they cite is kept."""
        cited: list[Token] = []
        for kind in spec:
            if kind == "s":
                self.stream.take("*", skip_space=False)
            elif kind == "=":
                self._drop_length()
            else:
                brackets = {"o": ("[", "]"), "p": ("(", ")")}.get(kind)
                taken = self.stream.argument() if brackets is None else self.stream.option(*brackets)
                if taken is not None and has_citation(taken.tokens):
                    cited += taken.tokens
        self.stream.put_back(cited)

    def _drop_length(self) -> None:
        file = self.stream.raw_file()
        if file is not None:
            if found := _LENGTH.match(file.source.text, file.position):
                file.position = found.end()
            return
        self.stream.take("=")  # in a macro's text
        following = self.stream.peek()
        if following is not None and following.kind == "text" and _LENGTH.fullmatch(following.text):
            self.stream.next_in_file()

    def _citation(self, token: Token) -> None:
        cited, notes = citation(token, self.stream)
        if cited is not None:
            self.cite(cited)
        elif not self.is_quiet:
            self.stream.problems.at(token, f"\\{token.text} names no keys")
        if notes:
            brace = token._replace(kind="{", text="{")
            self.open(Group("{", brace, is_silent=True))
            self.stream.put_back([*notes, brace._replace(kind="}", text="}")])


_STEPS: dict[str, Callable[[Walker, Token], None]] = {
    "text": Walker.on_text,
    "space": Walker.space,
    "~": Walker.space,
    "par": Walker.paragraph,
    "word": Walker._word,
    "sign": Walker.on_sign,
    "{": Walker.on_open_brace,
    "}": Walker.on_close_brace,
    "[": Walker.on_open_bracket,
    "]": Walker.on_close_bracket,
    "$": Walker.on_dollar,
    "$$": Walker.on_dollar,
    "&": Walker.on_cell,
    "begin": Walker._begin,
    "end": Walker._end,
    "mark": Walker.on_nothing,
    "parameter": Walker.on_nothing,
}
