"""Gathering the text of a draft from its tokens: nested flows of text, divided into passages."""

from __future__ import annotations

import re

from citewhy.drafts.flow import Source
from citewhy.drafts.latex.groups import Group, Groups
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.text import Passage, TextFlow, WrittenCitation
from citewhy.drafts.latex.tokens import Token, span

AUTHOR, BREAK, MARK = "\x1d", "\x1e", "\x1f"
"""Characters that represent ``\\and``, the end of a line, and a superscript or footnote."""

_SIMPLE_FORMULA = re.compile(r"\$\{?(\w{1,3})\}?\$")
_KEEPS_ITS_LINES = frozenset({"heading", "title", "author", "date", "reference"})
"""Kinds of flows that a blank line does not divide."""


class Gatherer:
    """The text of a draft up to the current token, and the groups that are open there.

    A flow is text under construction. Its kind is ``body``, ``aside`` (a note, a float), ``heading``,
    ``title``, ``author``, ``date``, ``reference``, ``row`` (of a table), ``discarded`` (kept only if it
    cites) or ``ignored``.
    """

    def __init__(self, stream: TokenStream) -> None:
        self._stream = stream
        self.groups = Groups(stream.problems, self._end_formula)
        self.passages: list[Passage] = []
        """In the order of their ends; `Passage.number` gives the order of their beginnings."""
        self.section = ""
        self._flows = [TextFlow("ignored")]
        self._count = 0
        self._last_slot: tuple[Source, int, int] | None = None

    def begin_body(self) -> None:
        """Starts the text: what came before was the preamble."""
        self._flows = [TextFlow("body")]
        self.groups.forget()

    # Flows -------------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The kind of the current flow."""
        return self._flows[-1].kind

    @property
    def kind_of_note(self) -> str:
        """The kind of a flow for a footnote or caption inside the current one."""
        return "ignored" if self.kind == "ignored" else "aside"

    @property
    def flow(self) -> TextFlow:
        """The current flow, about to receive text or a citation, which fixes its number in reading order."""
        flow = self._flows[-1]
        if flow.number is None:
            flow.number = self._count
            self._count += 1
        return flow

    @property
    def is_quiet(self) -> bool:
        """Whether text at the current position is skipped."""
        return self.groups.is_silent or self.kind == "ignored"

    def begin_flow(self, kind: str) -> None:
        self._flows.append(TextFlow(kind))

    def end_flow(self) -> None:
        """Keeps the text of the current flow and returns to the enclosing one."""
        self.flush()
        self._flows.pop()

    def take_flow(self) -> TextFlow:
        """Ends the current flow and returns it, without keeping its text."""
        return self._flows.pop()

    def end_all(self) -> None:
        """Ends all flows at the end of the draft."""
        while len(self._flows) > 1:
            self.end_flow()
        self.flush()

    def flush(self) -> None:
        """Ends a paragraph, or a row of a table."""
        flow = self._flows[-1]
        if flow.kind in {"row", "discarded"} and not flow.cites:
            flow.take(self.section)
        elif flow.kind not in {"ignored", *_KEEPS_ITS_LINES}:
            self.keep(flow.take(self.section, is_one_sentence=flow.kind == "row"))

    def keep(self, passage: Passage | None) -> None:
        if passage is not None:
            self.passages.append(passage)

    # Text --------------------------------------------------------------------------------------------------

    def emit(self, text: str, token: Token) -> None:
        """Adds text at the position of a token."""
        if self.groups.in_formula:
            self.groups.last_of_formula = text[-1:]
        elif not self.is_quiet:
            self.flow.add(text, *span(token))

    def cite(self, cited: WrittenCitation) -> None:
        """Adds a citation at the current position.

        If one macro call cites twice (``\\citeauthor{a}'s (\\citeyear{a})``), only the first one counts.
        """
        if self.kind == "ignored" or (cited.slot is not None and cited.slot == self._last_slot):
            return
        self._last_slot = cited.slot
        self.flow.cite(cited)

    def space(self) -> None:
        if not self.groups.in_formula:
            self._flows[-1].space()

    def wide_space(self) -> None:
        """Space between words, and between authors."""
        if self.kind == "author":
            self.flow.separate("  ")
        else:
            self.space()

    def gap(self) -> None:
        """Marks something without text: see `TextFlow.gap`."""
        self._flows[-1].gap()

    def paragraph(self) -> None:
        """A blank line, or ``\\par``."""
        innermost = self.groups.innermost
        if innermost is not None and innermost.kind == "$":
            self._stream.problems.at(
                innermost.token, "a formula is not closed before the end of its paragraph"
            )
            self.groups.close()
        if self.kind in _KEEPS_ITS_LINES:
            self.space()
        elif not self.groups.in_formula:
            self.flush()

    def _end_formula(self, group: Group) -> None:
        if self.groups.in_formula or self.is_quiet:
            return
        source, start, end = span(group.token)
        last = self._stream.last
        if last is not None and last.call is None and last.source is source:
            end = max(end, last.end)
        ending = self.groups.last_of_formula
        stop = ending if group.kind not in {"$", "\\("} and ending in {".", ",", ";"} else ""
        if self.kind == "author":
            self.flow.separate(MARK)
        elif self.kind == "title" and (simple := _SIMPLE_FORMULA.fullmatch(source.text[start:end])):
            self.flow.add(simple[1], source, start, end)
        else:
            self.flow.add_formula(f"MATH{stop}", source, start, end)
