"""Reads a LaTeX draft: passes its tokens to the parts that handle them."""

from __future__ import annotations

from collections.abc import Callable

from citewhy.drafts.latex.arguments import Arguments
from citewhy.drafts.latex.bibliography import Bibliography
from citewhy.drafts.latex.characters import Characters
from citewhy.drafts.latex.citations import Citations, has_citation
from citewhy.drafts.latex.commands import ARGUMENTS, ROW_COMMANDS, WORDS
from citewhy.drafts.latex.expand import Expander
from citewhy.drafts.latex.front import FrontMatter
from citewhy.drafts.latex.gather import Gatherer
from citewhy.drafts.latex.raw import RawText
from citewhy.drafts.latex.structure import Environments, Structure
from citewhy.drafts.latex.text import Passage
from citewhy.drafts.latex.tokens import Token
from citewhy.drafts.placeholders import REMARKS
from citewhy.text.accents import ACCENTS, SYMBOLS


class Document:
    """A draft as it is read: `front` matter, `bibliography`, and the `passages` of its text."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self._stream = stream = expander.stream
        self._gatherer = gatherer = Gatherer(stream)
        self._arguments = arguments = Arguments(stream, gatherer)
        self._characters = Characters(stream, gatherer)
        self._citations = Citations(expander, gatherer)
        raw = RawText(stream, gatherer)
        structure = Structure(stream, gatherer, arguments)
        self.front = FrontMatter(stream, gatherer, arguments)
        self.bibliography = Bibliography(expander, gatherer)
        self._environments = Environments(
            stream,
            expander.inclusions,
            gatherer,
            arguments,
            raw,
            {
                "abstract": self.front.begin_abstract,
                "thebibliography": self.bibliography.begin_references,
                "refsection": self.bibliography.begin_section,
            },
        )
        self._commands: dict[str, Callable[[Token], None]] = {
            **self.front.commands(),
            **self.bibliography.commands(),
            **structure.commands(),
            **raw.commands(),
        }
        self._steps: dict[str, Callable[[Token], None]] = {
            **self._characters.steps(),
            "word": self._word,
            "begin": self._environments.begin,
            "end": self._environments.end,
        }
        expander.definitions.known = frozenset(self._commands) | frozenset(ARGUMENTS)

    def read(self, *, is_part: bool) -> None:
        """Reads to ``\\end{document}`` or the end of the draft. A part of a draft has no preamble."""
        if is_part:
            self._gatherer.begin_body()
        groups = self._gatherer.groups
        while not (self._environments.document_has_ended or groups.is_too_deep):
            token = self._expander.next()
            if token is None:
                break
            step = self._steps.get(token.kind)
            if step is None:
                self._gatherer.emit(token.text, token)
            else:
                step(token)
        while (group := groups.innermost) is not None:
            if group.kind != "document":
                self._stream.problems.at(group.token, f"{group} is never closed")
            groups.close()
        self._gatherer.end_all()
        self.bibliography.read_unnamed()

    def passages(self) -> list[Passage]:
        """The passages in reading order."""
        return sorted(self._gatherer.passages, key=lambda passage: passage.number)

    # Commands ----------------------------------------------------------------------------------------------

    def _word(self, token: Token) -> None:
        name = token.text
        if name in REMARKS and self._citations.step(token):
            return
        if (step := self._commands.get(name)) is not None:
            step(token)
        elif self._citations.step(token):
            pass
        elif name in ACCENTS:
            self._characters.accent(token)
        elif (spec := ARGUMENTS.get(name)) is not None:
            self._end_row(name)
            self._arguments.drop(spec)
            self._gatherer.gap()
        elif (text := SYMBOLS.get(name, WORDS.get(name))) is not None:
            self._characters.symbol(text, token)
        else:
            self._end_row(name)
            self._unknown(token)

    def _end_row(self, name: str) -> None:
        if name in ROW_COMMANDS and self._gatherer.kind == "row":
            self._gatherer.flush()

    def _unknown(self, token: Token) -> None:
        """An unknown command: optional arguments are skipped, arguments in braces are text."""
        stream = self._stream
        following = stream.peek(skip_space=False)
        if following is None or following.kind != "[" or following.start != token.end:
            return
        option = stream.option(skip_space=False)
        if option is None:
            return
        behind = stream.peek(skip_space=False)
        if has_citation(option.tokens):
            stream.put_back(option.tokens)
        elif behind is None or behind.kind != "{":  # not an optional argument: "\foo[sic]"
            bracket = following._replace(kind="text")
            stream.put_back([bracket, *option.tokens, bracket._replace(text="]")])
