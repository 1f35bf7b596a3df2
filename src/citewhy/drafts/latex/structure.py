"""Headings, lists, notes, captions and boxes; and the environments that ``\\begin`` and ``\\end`` mark:
floats, tables, formulas, theorems, and the document itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from citewhy.drafts.latex.arguments import Arguments
from citewhy.drafts.latex.characters import RawText
from citewhy.drafts.latex.commands import (
    ENVIRONMENT_ARGUMENTS,
    FLOATS,
    INLINE_ENVIRONMENTS,
    MATH_ENVIRONMENTS,
    SECTIONS,
    TABLES,
)
from citewhy.drafts.latex.files import Inclusions
from citewhy.drafts.latex.gather import MARK, Gatherer
from citewhy.drafts.latex.groups import Group
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import FileInput, Token

_AFTER_NUMBER = ":.,;–— "
"""Matches what a heading begins with once its reference is gone: ``\\section*{\\autoref{ch:one}: The
Model}``."""


class Structure:
    """Divides the text that is gathered."""

    def __init__(self, stream: TokenStream, gatherer: Gatherer, arguments: Arguments) -> None:
        self._stream = stream
        self._gatherer = gatherer
        self._arguments = arguments

    def commands(self) -> dict[str, Callable[[Token], None]]:
        """The handlers of structural commands."""
        return {
            **dict.fromkeys(SECTIONS, self._heading),
            "item": self._item,
            **dict.fromkeys(("par", "newpage", "clearpage", "cleardoublepage", "endgraf"), self._break),
            **dict.fromkeys(
                ("footnote", "footnotetext", "tablefootnote", "endnote", "sidenote", "blfootnote"), self._note
            ),
            **dict.fromkeys(("thanks", "todo", "marginpar", "marginnote", "tnote"), self._remark),
            **dict.fromkeys(("fixme", "fxnote", "fxwarning", "fxerror", "fxfatal"), self._remark),
            **dict.fromkeys(("pdfcomment", "pdfmargincomment", "missingfigure"), self._remark),
            **dict.fromkeys(("caption", "captionof", "subcaption"), self._caption),
            **dict.fromkeys(("subfigure", "subfloat", "subtable"), self._part_of_figure),
            "twocolumn": self._wide,
            "xspace": self._space_if_needed,
            **dict.fromkeys(("makefirstuc", "xmakefirstuc"), self._capital),
            "ensuremath": self._formula,
        }

    def _heading(self, token: Token) -> None:
        self._gatherer.flush()
        if self._gatherer.kind == "ignored":
            return
        self._stream.take("*")
        self._arguments.drop("o")
        if not self._arguments.as_flow(token, "heading", self._end_heading):
            self._stream.problems.at(token, f"\\{token.text} has no title")

    def _end_heading(self) -> None:
        gatherer = self._gatherer
        passage = gatherer.take_flow().take("", is_one_sentence=True)
        gatherer.section = passage.text.strip().lstrip(_AFTER_NUMBER) if passage is not None else ""
        if passage is not None:
            gatherer.keep(replace(passage, section=gatherer.section))

    def _item(self, token: Token) -> None:
        self._gatherer.flush()
        label = self._stream.option()
        if label is not None:
            self._stream.put_back([*label.tokens, token._replace(kind="space", text=" ")])

    def _break(self, token: Token) -> None:
        self._gatherer.paragraph()

    # Notes, captions, boxes --------------------------------------------------------------------------------

    def _note(self, token: Token) -> None:
        self._stream.option()
        self._mark_author()
        self._arguments.as_flow(token, self._gatherer.kind_of_note)

    def _remark(self, token: Token) -> None:
        """``\\thanks`` and ``\\todo``: not part of the text, but their citations are kept."""
        self._stream.option()
        self._mark_author()
        self._arguments.as_flow(token, "discarded")

    def _mark_author(self) -> None:
        if self._gatherer.kind == "author":
            self._gatherer.flow.separate(MARK)

    def _caption(self, token: Token) -> None:
        self._stream.take("*")
        self._arguments.drop("mo" if token.text == "captionof" else "o")
        self._arguments.as_flow(token, self._gatherer.kind_of_note)

    def _part_of_figure(self, token: Token) -> None:
        """``\\subfigure[caption]{…}``."""
        caption = self._stream.option()
        if caption is not None:
            brace = token._replace(kind="{", text="{")
            closing = brace._replace(kind="}", text="}")
            self._stream.put_back([token._replace(text="caption"), brace, *caption.tokens, closing])

    def _wide(self, token: Token) -> None:
        """``\\twocolumn[…]``: the brackets contain the title page."""
        bracket = self._stream.take("[")
        if bracket is not None:
            self._gatherer.groups.open(Group("[", bracket, close=self._gatherer.flush))

    # Inline commands ---------------------------------------------------------------------------------------

    def _space_if_needed(self, token: Token) -> None:
        """``\\xspace``."""
        following = self._stream.peek(skip_space=False)
        if following is None or following.kind in {"space", "~", "par", "}", "end", "sign", ")", "]", "&"}:
            return
        if following.kind != "text" or following.text[0].isalnum() or following.text[0] in "`“":
            self._gatherer.space()

    def _capital(self, token: Token) -> None:
        """mfirstuc's ``\\makefirstuc{arora}``."""
        argument = self._stream.argument()
        tokens = list(argument.tokens) if argument is not None else []
        if tokens and tokens[0].kind == "text":
            tokens[0] = tokens[0]._replace(text=tokens[0].text[:1].upper() + tokens[0].text[1:])
        self._stream.put_back(tokens)

    def _formula(self, token: Token) -> None:
        """``\\ensuremath{…}``."""
        opening = self._stream.take("{")
        if opening is not None:
            self._gatherer.groups.open_formula("{", opening)


# Environments -------------------------------------------------------------------------------------------


class Environments:
    """Begins and ends environments. `known` has the handlers of those that other parts begin."""

    def __init__(
        self,
        stream: TokenStream,
        inclusions: Inclusions,
        gatherer: Gatherer,
        arguments: Arguments,
        raw: RawText,
        known: Mapping[str, Callable[[Token], None]],
    ) -> None:
        self._stream = stream
        self._inclusions = inclusions
        self._gatherer = gatherer
        self._groups = gatherer.groups
        self._arguments = arguments
        self._raw = raw
        self._known = known
        self._has_begun = False
        self._subfiles: list[FileInput] = []
        """Included files that are complete documents (package subfiles) and have not ended."""
        self.document_has_ended = False

    def begin(self, token: Token) -> None:
        name, base = token.text, token.text.rstrip("*")
        if name == "document":
            self._begin_document(token)
            return
        if self._raw.environment(token):
            return
        self._arguments.drop(ENVIRONMENT_ARGUMENTS.get(name) or ENVIRONMENT_ARGUMENTS.get(base, ""))
        if base in MATH_ENVIRONMENTS:
            self._groups.open_formula(name, token)
        elif base in INLINE_ENVIRONMENTS:
            self._groups.open(Group(name, token))
        elif base in FLOATS or base in TABLES:
            around = self._gatherer.kind
            kind = "ignored" if around == "ignored" else "row" if base in TABLES else "aside"
            self._gatherer.begin_flow(kind)
            self._groups.open(Group(name, token, close=self._gatherer.end_flow))
        elif name in self._known:
            self._known[name](token)
        else:
            self._begin_block(name, token)

    def _begin_block(self, name: str, token: Token) -> None:
        self._gatherer.flush()
        if name not in ENVIRONMENT_ARGUMENTS and (title := self._stream.option(skip_space=False)):
            self._stream.put_back(title.tokens)  # \begin{theorem}[Smith]
        self._groups.open(Group(name, token, close=self._gatherer.flush))

    def end(self, token: Token) -> None:
        if token.text == "document":
            self._end_document()
        else:
            self._groups.closing_environment(token)

    def _begin_document(self, token: Token) -> None:
        file = self._stream.files[-1] if self._stream.files else None
        if file is not None and file is self._inclusions.main_file:
            file.position = len(file.source.text)  # only the preamble of this file is read
            if self._inclusions.root_is_part:
                self._gatherer.begin_body()
            return
        if not self._has_begun:
            self._has_begun = True
            self._gatherer.begin_body()
            self._groups.open(Group("document", token))
        elif file is not None:
            self._subfiles.append(file)

    def _end_document(self) -> None:
        if self._subfiles and self._stream.files and self._subfiles[-1] is self._stream.files[-1]:
            file = self._subfiles.pop()
            file.position = len(file.source.text)
        else:
            self.document_has_ended = True
