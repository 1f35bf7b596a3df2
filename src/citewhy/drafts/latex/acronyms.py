"""Acronyms and glossary entries of the packages glossaries, acronym and acro, read as what is printed: at
first the long form with the short one behind it, then the short form alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from citewhy.drafts.latex.commands import has_citation
from citewhy.drafts.latex.define import Definitions, Macro
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token, plain_text

_FORMS = {
    "first": "gls ac acu iac",  # the full form where it is used first, later the short one
    "short": "acs acsu acrshort glsxtrshort glsentryshort glstext glsentrytext glsname glsentryname",
    "long": "acl aclu acrlong glsxtrlong glsentrylong",
    "full": "acf acfi acrfull glsxtrfull glsfirst",
}
_PLURALS = {"gls": "glspl", "glsentryname": "glsentryplural", "glstext": "glsplural", "acu": "acup"}
_PACKAGES = ("gls", "acr", "iac")
"""How commands begin whose plural ends in "pl"; it ends in "p" otherwise."""


def _uses() -> dict[str, tuple[str, bool]]:
    """By command: its form, and whether it is a plural."""
    uses: dict[str, tuple[str, bool]] = {}
    for form, names in _FORMS.items():
        for name in names.split():
            plural = _PLURALS.get(name, f"{name}pl" if name.startswith(_PACKAGES) else f"{name}p")
            uses |= {name: (form, False), plural: (form, True)}
    return uses | {name.capitalize(): use for name, use in uses.items()}


_USES = _uses()
_COMMA = re.compile(r"(,)")


class _Entry(NamedTuple):
    """What is printed for a label."""

    short: Sequence[Token]
    long: Sequence[Token] = ()
    """Empty for an entry that is always printed as it is."""


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
            **dict.fromkeys(("DeclareAcronym", "newglossaryentry"), self._define_fields),
            **dict.fromkeys(_USES, self._use),
            **dict.fromkeys(("glsresetall", "acresetall"), self._forget),
        }

    def _define(self, token: Token) -> None:
        """``\\newacronym[options]{label}{short}{long}``."""
        self._stream.option()
        self._keep(self._label(), self._taken(), self._taken())

    def _define_acro(self, token: Token) -> None:
        """``\\acro{label}[short]{long}``; without the short form, it is the label. Of another
        package, where no long form follows, the command prints its argument."""
        label, before = self._stream.argument(), self._stream.take("space", skip_space=False)
        short, after = self._stream.option(), self._stream.take("space", skip_space=False)
        tokens = [] if label is None else label.tokens
        following = self._stream.peek()
        if following is not None and following.kind == "{":
            self._keep(plain_text(tokens).strip(), tokens if short is None else short.tokens, self._taken())
            return
        opening, closing = (token._replace(kind="text", text=text) for text in "[]")
        option = [opening, *short.tokens, closing] if short else []
        self._stream.put_back([one for one in (*tokens, before, *option, after) if one is not None])

    def _define_fields(self, token: Token) -> None:
        """``\\DeclareAcronym{label}{short = …, long = …}``, ``\\newglossaryentry{label}{name = …, …}``."""
        label, fields = self._label(), _fields(self._taken())
        self._keep(label, fields.get("short") or fields.get("name", []), fields.get("long", []))

    def _keep(self, label: str, short: Sequence[Token], long: Sequence[Token]) -> None:
        """Keeps an entry. A citation in the long form stands where it is defined."""
        cites = has_citation(long)
        self._entries[label] = _Entry(short, () if cites else long)
        self._stream.put_back(long if cites else ())

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
        form, plural = _USES[token.text]
        if form == "first":
            form = "short" if label in self._used else "full"
            self._used.add(label)
        more = [token._replace(kind="text", text="s")] if plural else []
        body = _printed(entry, form, more) or list(argument.tokens if argument else ())
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


def _printed(entry: _Entry, form: str, more: Sequence[Token]) -> list[Token]:
    """The tokens of an entry in a form, with the ending `more`."""
    short, long = [*entry.short, *more], [*entry.long, *more]
    if form == "short" or not entry.long:
        return short
    if form == "long":
        return long
    opening, closing = (entry.long[0]._replace(kind="text", text=text) for text in (" (", ")"))
    return [*long, opening, *short, closing]


def _fields(tokens: Iterable[Token]) -> dict[str, list[Token]]:
    """The values of ``short = SVM, long = {support vector machine}``, by name."""
    fields: dict[str, list[Token]] = {}
    name, value, depth = "", list[Token](), 0
    for token in _at_commas(tokens):
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


def _at_commas(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens, with commas apart from the text around them."""
    for token in tokens:
        pieces = _COMMA.split(token.text) if token.kind == "text" else [token.text]
        yield from (token._replace(text=piece) for piece in pieces if piece)


def _bare(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without space and line ends around them."""
    kept = [number for number, token in enumerate(tokens) if token.kind not in {"space", "par"}]
    return list(tokens[kept[0] : kept[-1] + 1]) if kept else []
