"""Gathers a draft's text while its tokens go by: flows of text, and the formulas in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from citewhy.manuscript.flow import Source
from citewhy.manuscript.latex.cite import open_bracket
from citewhy.manuscript.latex.expand import Expander
from citewhy.manuscript.latex.groups import Group, Groups
from citewhy.manuscript.latex.people import BREAK, MARK
from citewhy.manuscript.latex.text import Cited, Passage, TextFlow
from citewhy.manuscript.latex.tokens import Token, plain_text, span
from citewhy.text.accents import ACCENTS, SYMBOLS

__all__ = ["Gatherer"]

_TYPOGRAPHY = {"``": "“", "''": "”", "`": "‘", "'": "’", "---": "—", "--": "–"}
_LIGATURE = re.compile(r"``|''|`|'|---?")
_SIMPLE_FORMULA = re.compile(r"\$\{?(\w{1,3})\}?\$")
_KEEPS_ITS_LINES = frozenset({"heading", "title", "author", "date", "reference"})
"""Flows in which a blank line ends nothing."""


class Gatherer(Groups):
    """Text and formulas as they come; `passages` in the order of their ends."""

    def __init__(self, stream: Expander) -> None:
        super().__init__(stream)
        self.passages: list[Passage] = []
        self.section = ""
        self.flows = [TextFlow("ignored")]
        self._count = 0
        self._last_slot: tuple[Source, int, int] | None = None

    def begin_body(self) -> None:
        """From here on, text counts."""
        self.flows = [TextFlow("body")]
        self.forget_groups()

    # Flows -------------------------------------------------------------------------------------------------

    @property
    def flow(self) -> TextFlow:
        flow = self.flows[-1]
        if flow.number is None:
            flow.number = self._count
            self._count += 1
        return flow

    @property
    def is_quiet(self) -> bool:
        return self.silent > 0 or self.flows[-1].kind == "ignored"

    def begin_flow(self, kind: str) -> None:
        self.flows.append(TextFlow(kind))

    def end_flow(self) -> None:
        """Keeps what the flow has and returns to the one around it."""
        self.flush()
        self.flows.pop()

    def flush(self) -> None:
        """Ends a paragraph, or a row of a table."""
        flow = self.flows[-1]
        if flow.kind in {"row", "discarded"} and not flow.cites:
            flow.take(self.section)
        elif flow.kind not in {"ignored", *_KEEPS_ITS_LINES}:
            self.keep(flow.take(self.section, is_one_sentence=flow.kind == "row"))

    def keep(self, passage: Passage | None) -> None:
        if passage is not None:
            self.passages.append(passage)

    # Text --------------------------------------------------------------------------------------------------

    def cite(self, cited: Cited) -> None:
        """A citation at the current place.

        What one call of a macro cites twice (``\\citeauthor{a}'s (\\citeyear{a})``) is one for its writer.
        """
        if self.flows[-1].kind == "ignored" or (cited.slot is not None and cited.slot == self._last_slot):
            return
        self._last_slot = cited.slot
        self.flow.cite(cited)

    def emit(self, text: str, token: Token) -> None:
        """Text that stands where the token stands."""
        if self.in_math:
            self.math_end = text[-1:]
        elif not self.is_quiet:
            self.flow.add(text, *span(token))

    def on_text(self, token: Token) -> None:
        text = token.text
        if "'" in text or "`" in text or "--" in text:
            text = _LIGATURE.sub(lambda found: _TYPOGRAPHY.get(found[0], found[0]), text)
        self.emit(text, token)

    def space(self, token: Token | None = None) -> None:
        if not self.in_math:
            self.flows[-1].space()

    def paragraph(self, token: Token | None = None) -> None:
        if self.groups and self.groups[-1].kind == "$":
            self.stream.problems.at(self.groups[-1].token, "a formula is not closed in its paragraph")
            self.close_group()
        if self.flows[-1].kind in _KEEPS_ITS_LINES:
            self.space()
        elif not self.in_math:
            self.flush()

    def new_line(self) -> None:
        """``\\\\`` with what may follow it."""
        self.stream.take("*", skip_space=False)
        self.stream.option(skip_space=False)
        if self.in_math:
            return
        kind = self.flows[-1].kind
        if kind == "row":
            self.flush()
        elif kind == "author":
            self.flow.separate(BREAK)
        else:
            self.space()

    def symbol(self, text: str, token: Token) -> None:
        if text.isspace():
            self.separate()
        elif text:
            self.emit(text, token)

    def separate(self) -> None:
        """Wide space: between words, and between authors."""
        if self.flows[-1].kind == "author":
            self.flow.separate("  ")
        else:
            self.space()

    def on_nothing(self, token: Token) -> None:
        return None

    def on_cell(self, token: Token) -> None:
        if self.in_math:
            return
        if self.flows[-1].kind in {"row", "author"}:
            self.separate()
        else:
            self.emit("&", token)

    def accent(self, token: Token) -> None:
        """``\\'e``, ``\\"{o}``, ``\\c c``: the mark goes on the first letter."""
        if self.in_math:
            return
        argument = self.stream.argument()
        base = "" if argument is None else plain_text(argument.tokens)
        base = {"\\i": "i", "\\j": "j"}.get(base.strip(), base)
        if argument is None or not base.strip() or "\\" in base:
            self.stream.put_back(argument.tokens if argument else [])
            return
        source, start, end = span(token)
        if token.call is None and argument.place.source is source:
            braces = (
                argument.place.end - argument.place.start == 0 or source.text[argument.place.start - 1] == "{"
            )
            end = max(end, argument.place.end + (1 if braces else 0))
        text = unicodedata.normalize("NFC", base[0] + ACCENTS[token.text]) + base[1:]
        if not self.is_quiet:
            self.flow.add(text.strip(), source, start, min(end, len(source.text)))

    def on_sign(self, token: Token) -> None:
        sign = token.text
        if sign == "\\":
            self.new_line()
        elif sign in {"(", "["}:
            self.open_math(f"\\{sign}", token)
        elif sign in {")", "]"}:
            self.close_formula("\\(" if sign == ")" else "\\[", token)
        elif sign in ACCENTS:
            self.accent(token)
        elif sign.isspace():
            self.space()
        else:
            self.symbol(SYMBOLS.get(sign, ""), token)

    # Arguments, brackets, formulas --------------------------------------------------------------------------

    def in_braces(self, token: Token, kind: str, close: Callable[[], None] | None = None) -> bool:
        """Reads the argument of `token` as a flow of its own; False where there is none."""
        opening = self.stream.take("{")
        if opening is None:
            argument = self.stream.argument()
            if argument is None:
                return False
            brace = token._replace(kind="{", text="{")
            self.stream.put_back([*argument.tokens, brace._replace(kind="}", text="}")])
            opening = brace
        self.begin_flow(kind)
        self.open(Group("{", opening, is_text=True, close=close or self.end_flow))
        return True

    def on_open_bracket(self, token: Token) -> None:
        cited = open_bracket(token, self.stream) if not (self.in_math or self.is_quiet) else None
        if cited is None:
            self.emit("[", token)
        else:
            self.flow.cite(cited)

    def on_close_bracket(self, token: Token) -> None:
        if self.groups and self.groups[-1].kind == "[":
            self.close_group()
        else:
            self.emit("]", token)

    def end_formula(self, group: Group) -> None:
        if self.in_math or self.is_quiet:
            return
        source, start, end = span(group.token)
        last = self.stream.last
        if last is not None and last.call is None and last.source is source:
            end = max(end, last.end)
        stop = self.math_end if group.kind not in {"$", "\\("} and self.math_end in {".", ",", ";"} else ""
        if self.flows[-1].kind == "author":
            self.flow.separate(MARK)
        elif self.flows[-1].kind == "title" and (simple := _SIMPLE_FORMULA.fullmatch(source.text[start:end])):
            self.flow.add(simple[1], source, start, end)
        else:
            self.flow.add_formula(f"MATH{stop}", source, start, end)
