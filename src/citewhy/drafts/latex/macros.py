"""Macros and environments, and parsing their definitions by ``\\newcommand``, ``\\def`` and xparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewhy.drafts.latex.stream import Argument, TokenStream, characters
from citewhy.drafts.latex.tokens import Call, Token, plain_text
from citewhy.text.numbers import small_number

__all__ = [
    "Environment",
    "Macro",
    "Parameter",
    "read_definition",
    "read_delimited_definition",
    "read_environment",
    "read_name",
    "read_xparse",
]

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
