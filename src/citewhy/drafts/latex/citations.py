"""Citation commands and placeholders: their keys, and the part of them that an edit may replace."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewhy.drafts.flow import Source
from citewhy.drafts.latex.commands import (
    cites_field,
    cites_in_language,
    cites_quotation,
    cites_volume,
    has_citation,
    is_citation,
    is_in_text,
    is_multicite,
)
from citewhy.drafts.latex.expand import Expander
from citewhy.drafts.latex.gather import Gatherer
from citewhy.drafts.latex.groups import Group
from citewhy.drafts.latex.stream import Argument, TokenStream, characters
from citewhy.drafts.latex.text import WrittenCitation
from citewhy.drafts.latex.tokens import Token, plain_text, span
from citewhy.text.placeholders import (
    is_open_command,
    is_placeholder,
    may_be_remark,
    open_mark,
    open_remark,
)

_COMMAND = re.compile(r"\\([A-Za-z@]+|.)", re.DOTALL)


def split_keys(tokens: Sequence[Token]) -> list[str]:
    """The keys in a comma-separated list, as written, including empty ones."""
    return [" ".join(piece.split()) for piece in plain_text(tokens).split(",")]


def _without_last_comma(keys: list[str]) -> list[str]:
    """A comma behind the last key is no request for another one."""
    return keys[:-1] if len(keys) > 1 and not keys[-1] else keys


class Citations:
    """Adds citations to the text that is gathered."""

    def __init__(self, expander: Expander, gatherer: Gatherer) -> None:
        self._expander = expander
        self._gatherer = gatherer

    def remark(self, token: Token) -> bool:
        """Handles ``\\todo{cite Papineni}``, ``\\hl{(ref)}``, and the draft's own commands for such remarks;
        False for any other command."""
        is_own = self._expander.is_own(token.text)
        if token.call is not None or not (is_own or may_be_remark(token.text)):
            return False
        remark = open_remark(token.source.text, token.start, is_own=is_own)
        if remark is None:
            return False
        _take_until(remark.end(), self._expander.stream)
        whole = (token.source, *remark.span())
        self._gatherer.cite(WrittenCitation(*whole, (), token.text, whole, is_open=True, note=remark["note"]))
        return True

    def step(self, token: Token) -> bool:
        """Handles a citation command or placeholder; False for any other command."""
        if is_open_command(token.text):
            self._gatherer.cite(_open_command(token, self._expander.stream))
        elif is_citation(token.text):
            self._cite(token)
        else:
            return False
        return True

    def _cite(self, token: Token) -> None:
        stream = self._expander.stream
        cited, notes = _citation(token, self._expander)
        if cited is not None:
            self._gatherer.cite(cited)
        elif not self._gatherer.is_quiet:
            stream.problems.at(token, f"\\{token.text} has no keys")
        if notes:
            brace = token._replace(kind="{", text="{")
            self._gatherer.groups.open(Group("{", brace, is_silent=True))
            stream.put_back([*notes, brace._replace(kind="}", text="}")])


def _citation(command: Token, expander: Expander) -> tuple[WrittenCitation | None, list[Token]]:
    """Takes the arguments of a citation command: the citation, and the tokens of notes that cite in turn.

    The citation is None if there are no keys; then only the star and notes are taken.
    """
    stream = expander.stream
    stream.take("*", skip_space=False)
    notes = _angle_note(stream)
    several = is_multicite(command.text)
    if cites_in_language(command.text):
        expander.expanded_argument()
    if several:
        for _ in range(2):
            notes += _note(stream, "(", ")")
    arguments: list[Argument] = []
    while not arguments or several:
        if cites_volume(command.text):
            notes += _note(stream, "[", "]")
            expander.expanded_argument()
        for _ in range(2):
            notes += _note(stream, "[", "]")
        argument = expander.expanded_argument()
        if argument is None:
            break
        arguments.append(argument)
        following = stream.peek(skip_space=False)
        if following is None or following.kind not in {"[", "{"}:
            break
    if not arguments:
        return None, notes
    cited = _cited(command, arguments)
    notes += _starred_note(stream)
    if cites_quotation(command.text):
        stream.option(skip_space=False)  # the punctuation; the quotation is text
    if cites_field(command.text):
        stream.option(skip_space=False)
        if stream.peek(skip_space=False) == _brace(stream):
            stream.argument()
    return cited, notes


def _note(stream: TokenStream, opening: str, closing: str) -> list[Token]:
    note = stream.option(opening, closing)
    return note.tokens if note is not None and has_citation(note.tokens) else []


def _starred_note(stream: TokenStream) -> list[Token]:
    """Takes amsrefs' note behind the key: ``\\cite{key}*{Theorem 2}``."""
    star = stream.take("*", skip_space=False)
    if star is None:
        return []
    note = stream.argument() if stream.peek(skip_space=False) == _brace(stream) else None
    if note is None:
        stream.put_back([star])
        return []
    return note.tokens if has_citation(note.tokens) else []


def _angle_note(stream: TokenStream) -> list[Token]:
    """Takes apacite's ``<e.g.>`` or beamer's ``<2->`` in front of the other arguments."""
    first = stream.peek()
    if first is None or first.kind != "text" or not first.text.startswith("<"):
        return []
    stream.next_in_file()
    stream.put_back(characters([first])[1:])
    closing = first._replace(text=">", start=first.start, end=first.start + 1)
    note = stream.up_to([closing])
    if note is None:
        stream.put_back([first._replace(text="<", end=first.start + 1)])
        return []
    return note if has_citation(note) else []


def _cited(command: Token, arguments: Sequence[Argument]) -> WrittenCitation:
    keys = [_without_last_comma(split_keys(argument.tokens)) for argument in arguments]
    unanswered = [
        argument
        for argument, some in zip(arguments, keys, strict=True)
        if any(is_placeholder(key) for key in some)
    ]
    source, start, end = span(command)
    last = arguments[-1].place
    if (
        last.call is None and last.source is source
    ):  # also for a macro that is just another name of the command
        end = max(end, last.end + 1)
    return WrittenCitation(
        source=source,
        start=start,
        end=end,
        keys=tuple(key for some in keys for key in some),
        command=_written_command(source, start, end),
        slot=_slot(source, (unanswered or arguments)[-1]),
        in_text=is_in_text(command.text),
    )


def _written_command(source: Source, start: int, end: int) -> str:
    command = _COMMAND.match(source.text, start, end)
    return command[1] if command else ""


def _slot(source: Source, argument: Argument) -> tuple[Source, int, int] | None:
    """The position of the keys in a file; None if a macro produces a part of them."""
    place = argument.place
    if any(token.call is not None for token in argument.tokens):
        return None
    if place.call is None:  # the braces are in the file
        return (place.source, place.start, place.end) if place.source is source else None
    # The braces are in a macro, but everything between them is one argument of its call.
    tokens = argument.tokens
    if not tokens or any(token.source is not tokens[0].source for token in tokens):
        return None
    start, end = tokens[0].start, tokens[-1].end
    written = tokens[0].source.text[start:end]
    return None if end < start or "{" in written or "}" in written else (tokens[0].source, start, end)


def _open_command(command: Token, stream: TokenStream) -> WrittenCitation:
    """``\\citeneeded`` with the notes that may directly follow it, or a comment ``% cite Kripke``; an edit
    replaces all of it."""
    source, start, end = span(command)
    if command.call is None and source.text.startswith("%", start):
        whole = (source, start, end)
        return WrittenCitation(*whole, (), "open", whole, is_open=True, note=source.text[start + 1 : end])
    following = stream.peek(skip_space=False)
    if command.call is None and following is not None and following.start == end:
        notes = stream.option(skip_space=False), stream.option(skip_space=False)
        argument = stream.argument() if stream.peek(skip_space=False) == _brace(stream) else None
        for taken in (*notes, argument):
            end = end if taken is None else max(end, taken.place.end + 1)
    whole = (source, start, end)
    slot = whole if command.call is None else None
    name = _written_command(source, start, end)
    written = "" if slot is None else source.text[start + 1 + len(name) : end]
    return WrittenCitation(source, start, end, (), name, slot, is_open=True, note=written)


def _brace(stream: TokenStream) -> Token | None:
    following = stream.peek(skip_space=False)
    return following if following is not None and following.kind == "{" else None


def open_bracket(bracket: Token, stream: TokenStream, *, in_table: bool) -> WrittenCitation | None:
    """``[CITE]``, ``[?]``, ``(CITE)`` and the like, if they are in a file; takes their tokens."""
    if bracket.call is not None:
        return None
    placeholder = open_mark(bracket.source.text, bracket.start, in_table=in_table)
    if placeholder is None:
        return None
    _take_until(placeholder.end(), stream)
    whole = (bracket.source, *placeholder.span())
    return WrittenCitation(*whole, (), "open", whole, is_open=True, note=placeholder[0])


def _take_until(end: int, stream: TokenStream) -> None:
    while (token := stream.next_in_file()) is not None and token.end < end:
        pass
