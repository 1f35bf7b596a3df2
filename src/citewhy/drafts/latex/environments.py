"""``\\begin`` and ``\\end``: floats, tables, formulas, theorems, and the document itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from citewhy.drafts.latex.arguments import Arguments
from citewhy.drafts.latex.commands import (
    ENVIRONMENT_ARGUMENTS,
    FLOATS,
    INLINE_ENVIRONMENTS,
    MATH_ENVIRONMENTS,
    TABLES,
)
from citewhy.drafts.latex.gather import Gatherer
from citewhy.drafts.latex.groups import Group
from citewhy.drafts.latex.include import Inclusions
from citewhy.drafts.latex.raw import RawText
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import FileInput, Token

__all__ = ["Environments"]


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
