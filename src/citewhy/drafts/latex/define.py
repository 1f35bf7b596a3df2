"""Macros and environments: how ``\\newcommand``, ``\\def`` and xparse define them, the definitions of a
draft, and the expansion of macro calls.

A definition holds until the end of the draft, even if it is made inside a group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from citewhy.drafts.latex.commands import family
from citewhy.drafts.latex.conditions import Conditions
from citewhy.drafts.latex.stream import Argument, TokenStream, characters
from citewhy.drafts.latex.tokens import Call, Token, plain_text
from citewhy.text.numbers import small_number

_MOST_PARAMETERS = 9


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its `kind` is ``braces``, ``brackets`` (with a default), ``delimited`` or ``star``."""

    kind: str = "braces"
    default: tuple[Token, ...] = ()
    delimiter: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: its parameters and its body."""

    parameters: tuple[Parameter, ...]
    body: tuple[Token, ...]
    prefix: tuple[Token, ...] = ()
    """Tokens that must precede the first argument (``\\def\\a(#1){…}``)."""

    def take_arguments(self, stream: TokenStream) -> list[Argument]:
        """Takes the macro's arguments; missing ones are empty."""
        nowhere = stream.last
        assert nowhere is not None
        if self.prefix:
            stream.up_to(self.prefix)
        return [_take(parameter, stream) or _missing(stream.last or nowhere) for parameter in self.parameters]

    def expand(self, arguments: Sequence[Argument], call: Call) -> list[Token]:
        """The macro's expansion. Tokens of its body have the position of the call, arguments their own."""
        expanded: list[Token] = []
        for token in self.body:
            if token.kind != "parameter":
                expanded.append(token._replace(call=call))
            elif len(token.text) > 2:  # ##1 is #1 of a nested definition
                expanded.append(token._replace(text=token.text[1:], call=call))
            elif (number := small_number(token.text[1:])) and number <= len(arguments):
                argument = arguments[number - 1]
                expanded += argument.tokens or [argument.place]
        return expanded


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment that a draft defines: macros for its ``\\begin`` and ``\\end``."""

    begin: Macro
    end: Macro


def _take(parameter: Parameter, stream: TokenStream) -> Argument | None:
    if parameter.kind == "brackets":
        return stream.option() or _given(parameter.default, stream)
    if parameter.kind == "star":
        star = stream.take("*")
        return None if star is None else Argument([star], star)
    if parameter.kind == "delimited":
        last = stream.last
        tokens = stream.up_to(parameter.delimiter)
        return None if tokens is None or last is None else Argument(tokens, _mark(last))
    return stream.argument()


def _given(tokens: Sequence[Token], stream: TokenStream) -> Argument | None:
    return Argument(list(tokens), _mark(stream.last)) if stream.last is not None else None


def _missing(last: Token) -> Argument:
    return Argument([], _mark(last))


def _mark(token: Token) -> Token:
    return token._replace(kind="mark", text="", start=token.end)


# Parsing definitions --------------------------------------------------------------------------------------


def read_name(stream: TokenStream) -> str | None:
    """``{\\name}`` or ``\\name``: the name that is defined; None if there is none."""
    argument = stream.argument()
    if argument is None:
        return None
    names = [token for token in argument.tokens if token.kind not in {"space", "par", "mark"}]
    if len(names) == 1 and names[0].kind in {"word", "sign"}:
        return names[0].text
    return None


def read_definition(stream: TokenStream) -> Macro | None:
    """The definition after the name in ``\\newcommand``: ``[2][default]{body}``."""
    parameters = _parameters(stream)
    body = stream.argument()
    return None if body is None else Macro(parameters, tuple(body.tokens))


def read_environment(stream: TokenStream) -> Environment | None:
    """The definition after the name in ``\\newenvironment``: ``[2][default]{begin}{end}``."""
    parameters = _parameters(stream)
    begin, end = stream.argument(), stream.argument()
    if begin is None or end is None:
        return None
    return Environment(Macro(parameters, tuple(begin.tokens)), Macro((), tuple(end.tokens)))


def _parameters(stream: TokenStream) -> tuple[Parameter, ...]:
    count = _number(stream.option())
    if count == 0:
        return ()
    default = stream.option()
    first = Parameter() if default is None else Parameter("brackets", tuple(default.tokens))
    return (first, *(Parameter() for _ in range(count - 1)))


def _number(option: Argument | None) -> int:
    text = "" if option is None else plain_text(option.tokens).strip()
    return min(small_number(text) or 0, _MOST_PARAMETERS)


def read_delimited_definition(stream: TokenStream) -> Macro | None:
    """The definition after the name in ``\\def``: ``#1,#2;{body}``."""
    pieces: list[list[Token]] = [[]]
    while (token := stream.next_in_file()) is not None and token.kind not in {"{", "}", "par"}:
        if token.kind == "parameter":
            pieces.append([])
        elif token.kind != "space" or pieces[-1]:
            pieces[-1] += characters([token])
    if token is None:
        return None
    stream.put_back([token])
    if token.kind != "{":
        return None
    body = stream.argument()
    prefix, *delimiters = (tuple(piece) for piece in pieces)
    parameters = tuple(Parameter("delimited", delimiter=d) if d else Parameter() for d in delimiters)
    return None if body is None else Macro(parameters, tuple(body.tokens), prefix)


def read_xparse(stream: TokenStream) -> Macro | None:
    """The definition after the name in ``\\NewDocumentCommand``: ``{s o m O{x}}{body}``.

    None for argument types other than ``s``, ``o``, ``m`` and ``O``.
    """
    signature = stream.argument()
    body = stream.argument()
    if signature is None or body is None:
        return None
    parameters: list[Parameter] = []
    pending = [t for t in characters(signature.tokens) if t.kind not in {"space", "par", "mark"}]
    while pending:
        letter = pending.pop(0).text
        if letter == "m":
            parameters.append(Parameter())
        elif letter in {"o", "s"}:
            parameters.append(Parameter("brackets" if letter == "o" else "star"))
        elif letter == "O" and pending and pending[0].kind == "{":
            closing = next((at for at, token in enumerate(pending) if token.kind == "}"), None)
            if closing is None:
                return None
            parameters.append(Parameter("brackets", tuple(pending[1:closing])))
            pending = pending[closing + 1 :]
        elif letter not in {"+", "!"}:
            return None
    return Macro(tuple(parameters[:_MOST_PARAMETERS]), tuple(body.tokens))


# The definitions of a draft -----------------------------------------------------------------------------

_DEEPEST_CALL = 200
_MOST_EXPANDED = 300_000
"""Maximum number of tokens from macros in a draft; a paper has some thousands."""

_CONTENT = frozenset({"input", "bibliography", "citation"})
"""Families of commands that are content, even in the macro of a class."""

_LINKS = frozenset({"csname", "hyperlink", "ref", "bibentry", "printbibliography"})
"""Commands with which a macro may cite by itself."""

_NOTE = re.compile(
    r"(?i:todo|fixme|comment)|(?<![a-z])(?:(?!key|end|de|con)[a-z]{1,3})?note|N(?:ote|OTE)"
    r"|(?:(?<![a-z])r|R)emarks?(?![a-z])"
)
"""Whole words, or parts of one that a capital begins; before "note" the initials of an author."""

_SET_APART = frozenset({"color", "textcolor", "fcolorbox", "marginpar", "todo"})
"""Commands with which a macro of such a name shows a note for the authors alone."""

_DEFINE = (
    *("newcommand", "renewcommand", "providecommand"),
    *("newrobustcmd", "renewrobustcmd", "providerobustcmd", "DeclareRobustCommand"),
)
_DEFINE_XPARSE = tuple(
    f"{verb}{kind}DocumentCommand"
    for verb in ("New", "Renew", "Provide", "Declare")
    for kind in ("", "Expandable")
)


class Definitions:
    """The definitions up to the current position."""

    def __init__(self, stream: TokenStream, conditions: Conditions) -> None:
        self._stream = stream
        self._conditions = conditions
        self.macros: dict[str, Macro] = {}
        self.aliases: dict[str, str] = {}
        """Commands defined by ``\\let`` as names of other commands."""
        self.environments: dict[str, Environment] = {}
        self._expanded = 0
        self.content_only = False
        """Whether only macros with content are defined, in a package: those that cite or include files."""
        self.known: frozenset[str] = frozenset()
        """Commands that have a handler: how a package defines them is irrelevant."""

    def commands(self) -> dict[str, Callable[[Token], None]]:
        """The handlers of commands that define."""
        return {
            **dict.fromkeys(_DEFINE, self._define),
            **dict.fromkeys(("def", "gdef", "edef", "xdef"), self._define_delimited),
            **dict.fromkeys(_DEFINE_XPARSE, self._define_xparse),
            "DeclareFixedFootnote": self._define_footnote,
            **dict.fromkeys(("newenvironment", "renewenvironment"), self._define_environment),
            "let": self._let,
        }

    def call(self, token: Token, macro: Macro) -> None:
        """Replaces `token`, a macro call, and its arguments by the macro's expansion."""
        depth = 1 if token.call is None else token.call.depth + 1
        if depth > _DEEPEST_CALL:
            self._stream.problems.at(token, f"\\{token.text} calls itself endlessly and is skipped")
            return
        arguments = macro.take_arguments(self._stream)
        call = token.call._replace(depth=depth) if token.call else self._new_call(token)
        expanded = macro.expand(arguments, call)
        self._expanded += len(expanded)
        if self._expanded > _MOST_EXPANDED:
            self._stream.problems.at(
                token, "the draft's macros expand to too much text; further ones are skipped"
            )
            return
        self._stream.put_back(expanded)

    def _new_call(self, token: Token) -> Call:
        """The span of a call and its arguments, as far as they are in the same file."""
        end, last = token.end, self._stream.last
        if last is not None and last.call is None and last.source is token.source:
            end = max(end, last.end)
        return Call(token.source, token.start, end, 1)

    def define(self, name: str | None, macro: Macro | None) -> None:
        """Stores a definition. A standard command is redefined only in terms of a command of its family.

        ``\\renewcommand{\\cite}[1]{\\citep{#1}}`` is followed; the ``\\section`` of a class is not.
        """
        if name is None or macro is None or self._is_internal(name, macro):
            return
        group = family(name)
        if group and not _uses(macro, group, name, self.aliases) and not _is_no_citation(group, macro):
            return
        self.aliases.pop(name, None)
        self.macros[name] = _no_text(macro) if _is_note(name, macro) else macro

    def _is_internal(self, name: str, macro: Macro) -> bool:
        """Whether a package defines layout rather than content."""
        if not (self._stream.files and self._stream.files[-1].is_package):
            return False
        words = [token.text for token in macro.body if token.kind == "word"]
        if self.content_only:
            return name in self.known or not any(family(word) in _CONTENT for word in words)
        return name in self.known or any("@" in word for word in words)

    def _define(self, token: Token) -> None:
        self._stream.take("*")
        name = read_name(self._stream)
        macro = read_definition(self._stream)
        if not (token.text.startswith("provide") and name is not None and self.is_known(name)):
            self.define(name, macro)

    def _define_delimited(self, token: Token) -> None:
        name = read_name(self._stream)
        self.define(name, read_delimited_definition(self._stream))

    def _define_xparse(self, token: Token) -> None:
        name = read_name(self._stream)
        macro = read_xparse(self._stream)
        if not (token.text.startswith("Provide") and name is not None and self.is_known(name)):
            self.define(name, macro)

    def _define_footnote(self, token: Token) -> None:
        """``\\DeclareFixedFootnote{\\note}{text}``."""
        self._stream.take("*")
        name, text = read_name(self._stream), self._stream.argument()
        if text is not None:
            footnote = token._replace(text="footnote")
            braces = (token._replace(kind="{", text="{"), token._replace(kind="}", text="}"))
            self.define(name, Macro((), (footnote, braces[0], *text.tokens, braces[1])))

    def _define_environment(self, token: Token) -> None:
        self._stream.take("*")
        name = self._stream.argument()
        environment = read_environment(self._stream)
        if name is not None and environment is not None:
            known = plain_text(name.tokens)
            if not family(f"begin {known}"):
                self.environments[known] = environment

    def _let(self, token: Token) -> None:
        name = read_name(self._stream)
        self._stream.take("=")
        target = self._stream.peek()
        if name is None or target is None or target.kind in {"{", "}", "par"}:
            return
        self._stream.next_in_file()
        if target.kind != "word":
            self.define(name, Macro((), (target,)))
        elif self._conditions.alias(name, target.text):
            pass
        elif target.text in self.macros:
            self.define(name, self.macros[target.text])
        elif not family(name) or family(name) == family(target.text):
            self.macros.pop(name, None)
            self.aliases[name] = self.aliases.get(target.text, target.text)

    def is_known(self, name: str) -> bool:
        """Whether the draft or LaTeX itself defines the command."""
        return name in self.macros or name in self.aliases or bool(family(name))


def _uses(macro: Macro, group: str, name: str, aliases: Mapping[str, str]) -> bool:
    """Whether the body contains a command, other than `name`, of the family `group`."""
    return any(
        token.kind == "word" and token.text != name and family(aliases.get(token.text, token.text)) == group
        for token in macro.body
    )


def _is_note(name: str, macro: Macro) -> bool:
    """Whether a macro shows notes of authors: ``\\newcommand{\\note}[1]{\\textcolor{red}{#1}}``."""
    words = {token.text for token in macro.body if token.kind == "word"}
    return bool(macro.parameters and _NOTE.search(name) and words & _SET_APART) and not family(name)


def _no_text(macro: Macro) -> Macro:
    """The macro, with its text read as that of a ``\\todo``: left out but for citations."""
    first = macro.body[0]
    todo, opening, closing = (
        first._replace(kind=kind, text=text) for kind, text in (("word", "todo"), ("{", "{"), ("}", "}"))
    )
    return replace(macro, body=(todo, opening, *macro.body, closing))


def _is_no_citation(group: str, macro: Macro) -> bool:
    """Whether a macro is merely named like a citation: ``\\newcommand{\\citework}[2]{#1. \\emph{#2}}``."""
    several = sum(parameter.kind == "braces" for parameter in macro.parameters) > 1
    links = any(token.kind == "word" and ("@" in token.text or token.text in _LINKS) for token in macro.body)
    return group == "citation" and several and not links
