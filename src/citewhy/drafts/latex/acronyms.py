"""Acronyms and glossary entries of the packages glossaries, acronym and acro, read as what is printed: at
first the long form with the short one behind it, then the short form alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from citewhy.drafts.latex.commands import has_citation
from citewhy.drafts.latex.define import Definitions, Macro
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token, plain_text
from citewhy.text.acronym_commands import USES


class _Entry(NamedTuple):
    """What is printed for a label."""

    short: Sequence[Token]
    long: Sequence[Token] = ()
    """Empty for an entry that is always printed as it is."""
    shorts: Sequence[Token] = ()
    """The plural; empty if it ends in "s"."""
    longs: Sequence[Token] = ()

    def plural(self, ending: Token) -> _Entry:
        """What is printed in the plural, with the `ending` if it has no other."""
        long = self.longs or [*self.long, ending]
        return _Entry(self.shorts or [*self.short, ending], long if self.long else ())


class Acronyms:
    """The acronyms that a draft has defined up to the current position, and which of them it has used."""

    def __init__(self, stream: TokenStream, definitions: Definitions) -> None:
        self._stream = stream
        self._definitions = definitions
        self._entries: dict[str, _Entry] = {}
        self._used: set[str] = set()

    def commands(self) -> dict[str, Callable[[Token], None]]:
        """The handlers of commands that define and use acronyms."""
        return {
            **dict.fromkeys(("newacronym", "newabbreviation"), self._define),
            **dict.fromkeys(("acro", "acrodef", "newacro"), self._define_acro),
            **dict.fromkeys(("acroplural", "acrodefplural", "newacroplural"), self._define_plural),
            **dict.fromkeys(("DeclareAcronym", "newglossaryentry"), self._define_fields),
            **dict.fromkeys(USES, self._use),
            **dict.fromkeys(("glsresetall", "acresetall"), self._forget),
        }

    def _define(self, token: Token) -> None:
        """``\\newacronym[options]{label}{short}{long}``."""
        option = self._stream.option()
        fields = {} if option is None else _fields(option.tokens)
        self._keep(self._label(), self._taken(), self._taken(), fields)

    def _define_acro(self, token: Token) -> None:
        """``\\acro{label}[short]{long}``; without the short form, it is the label. Of another
        package, where no long form follows, the command prints its argument."""
        label, before = self._stream.argument(), self._stream.take("space", skip_space=False)
        short, after = self._stream.option(), self._stream.take("space", skip_space=False)
        tokens = [] if label is None else label.tokens
        following = self._stream.peek()
        if following is not None and following.kind == "{":
            self._keep(
                plain_text(tokens).strip(), tokens if short is None else short.tokens, self._taken(), {}
            )
            return
        opening, closing = (token._replace(kind="text", text=text) for text in "[]")
        option = [opening, *short.tokens, closing] if short else []
        self._stream.put_back([one for one in (*tokens, before, *option, after) if one is not None])

    def _define_fields(self, token: Token) -> None:
        """``\\DeclareAcronym{label}{short = …, long = …}``, ``\\newglossaryentry{label}{name = …, …}``."""
        label, fields = self._label(), _fields(self._taken())
        name = fields.pop("name", [])
        self._keep(label, fields.pop("short", name), fields.pop("long", []), fields)

    def _define_plural(self, token: Token) -> None:
        """``\\acroplural{label}[shorts]{longs}``."""
        label, shorts, longs = self._label(), self._stream.option(), self._taken()
        if entry := self._entries.get(label):
            fields = {"shortplural": [] if shorts is None else shorts.tokens, "longplural": longs}
            self._keep(label, entry.short, entry.long, fields)

    def _keep(
        self, label: str, short: Sequence[Token], long: Sequence[Token], fields: Mapping[str, list[Token]]
    ) -> None:
        """Keeps an entry, without its citations: what has one stands where it is defined, too."""
        shorts = fields.get("shortplural") or fields.get("plural") or fields.get("short-plural-form", [])
        longs = fields.get("longplural") or fields.get("long-plural-form", [])
        self._entries[label] = _Entry(*map(_uncited, (short, long, shorts, longs)))
        cited = [value for value in (short, long, *fields.values()) if has_citation(value)]
        self._stream.put_back(
            [one for value in cited for one in (*value, value[-1]._replace(kind="space", text=" "))]
        )

    def _use(self, token: Token) -> None:
        """Replaces ``\\gls[options]{label}[behind]`` by what is printed: of an unknown label, itself."""
        self._stream.take("*", skip_space=False)
        self._stream.option(skip_space=False)
        argument = self._stream.argument()
        label = "" if argument is None else plain_text(argument.tokens).strip()
        entry = self._entries.get(label)
        if entry is None:
            self._stream.put_back([] if argument is None else argument.tokens)
            return
        behind = self._stream.option(skip_space=False) if token.text.lower().startswith("gls") else None
        form, plural = USES[token.text]
        if form == "first":
            form = "short" if label in self._used else "full"
            self._used.add(label)
        entry = entry.plural(token._replace(kind="text", text="s")) if plural else entry
        body = _printed(entry, form) or list(argument.tokens if argument else ())
        first = next((at for at, one in enumerate(body) if one.kind == "text"), None)
        if token.text[0].isupper() and first is not None:
            word = body[first].text
            body[first] = body[first]._replace(text=word[:1].upper() + word[1:])
        self._stream.put_back([] if behind is None else behind.tokens)
        self._definitions.call(token, Macro((), tuple(body)))

    def _forget(self, token: Token) -> None:
        self._used.clear()

    def _label(self) -> str:
        return plain_text(self._taken()).strip()

    def _taken(self) -> list[Token]:
        """Takes an argument, without the space around it."""
        argument = self._stream.argument()
        return [] if argument is None else _bare(argument.tokens)


def _printed(entry: _Entry, form: str) -> list[Token]:
    """The tokens of an entry in a form."""
    if form == "short" or not entry.long:
        return [*entry.short]
    if form == "long":
        return [*entry.long]
    opening, closing = (entry.long[0]._replace(kind="text", text=text) for text in (" (", ")"))
    return [*entry.long, opening, *entry.short, closing]


def _uncited(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without citations and their arguments, and without space around them."""
    kept: list[Token] = []
    cites, depth = False, 0
    for token in tokens:
        if depth == 0:
            cites = has_citation([token]) or (cites and token.kind in {"{", "[", "*"})
        if cites:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token.kind, 0)
        else:
            kept.append(token)
    return _bare(kept)


def _fields(tokens: Sequence[Token]) -> dict[str, list[Token]]:
    """The values of ``short = SVM, long = {support vector machine}``, by name."""
    fields: dict[str, list[Token]] = {}
    name, value, depth = "", list[Token](), 0
    for token in (one._replace(text=piece) for one in tokens for piece in re.split("(,)", one.text) if piece):
        depth += {"{": 1, "}": -1}.get(token.kind, 0)
        if depth == 0 and token.kind == "=" and not name:
            name, value = plain_text(value).strip(), []
        elif depth == 0 and token.text == ",":
            name, value = "", []
        else:
            value.append(token)
            if name:
                fields[name] = value
    return {each: _bare(value) for each, value in fields.items()}


def _bare(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without space and line ends around them."""
    kept = [number for number, token in enumerate(tokens) if token.kind not in {"space", "par"}]
    return list(tokens[kept[0] : kept[-1] + 1]) if kept else []
