"""A stack of files and token lists that is read as one stream, and taking arguments from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from citewhy.drafts.latex.tokens import FileInput, ListInput, Problems, Token

UNCLOSED = "the brace of this argument is never closed; what follows is read as text"

_LONGEST_ARGUMENT = 50_000
"""Maximum number of tokens in an argument in braces."""

_LONGEST_OPTION = 1_000
"""Maximum number of tokens in ``[…]``: an unmatched bracket must not take the rest of the draft."""

_LONGEST_AFTER_WASTE = ((1_000_000, 5), (200_000, 50))
"""An argument that is never closed is read up to a limit and put back. After too many such tokens the limit
becomes small, and smaller, so that the time for a broken draft stays linear in its length."""


class Argument(NamedTuple):
    """The tokens of an argument without its braces, and its position."""

    tokens: list[Token]
    place: Token
    """A ``mark`` token from the end of the opening brace to the start of the closing one. In a macro it is
    that of the call."""


class TokenStream:
    """Tokens of the current file, the files that it includes, and tokens that were put back."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self._inputs: list[FileInput | ListInput] = []
        self.files: list[FileInput] = []
        """The open files, the root first."""
        self._wasted = 0
        self.last: Token | None = None
        """The token that was taken last."""

    # Single tokens -----------------------------------------------------------------------------------------

    def next_raw(self) -> Token | None:
        """The next token, not expanded; None at the end of the draft."""
        while self._inputs:
            token = self._inputs[-1].read()
            if token is not None:
                self.last = token
                return token
            if isinstance(self._inputs.pop(), FileInput):
                self.files.pop()
        return None

    def next_in_file(self) -> Token | None:
        """Returns what `next_raw` does, but None at the end of the current file, where arguments end, too."""
        while self._inputs:
            top = self._inputs[-1]
            token = top.read()
            if token is not None:
                self.last = token
                return token
            if isinstance(top, FileInput):
                return None
            self._inputs.pop()
        return None

    def put_back(self, tokens: Sequence[Token]) -> None:
        """Puts tokens back, to be read next, in order."""
        if tokens:
            self._drop_done_lists()
            self._inputs.append(ListInput(tokens))

    def enter(self, file: FileInput) -> None:
        self._drop_done_lists()
        if self.files:
            file.at_is_letter |= self.files[-1].at_is_letter
        self._inputs.append(file)
        self.files.append(file)

    def leave(self) -> None:
        """Ends the file that was entered last, and what was put back in it."""
        while not isinstance(self._inputs.pop(), FileInput):
            pass
        self.files.pop()

    def raw_file(self) -> FileInput | None:
        """The file whose characters come next, to read them directly (``verbatim``).

        None if tokens that were put back come first.
        """
        self._drop_done_lists()
        top = self._inputs[-1] if self._inputs else None
        return top if isinstance(top, FileInput) else None

    def _drop_done_lists(self) -> None:
        while self._inputs and isinstance(top := self._inputs[-1], ListInput) and top.is_done:
            self._inputs.pop()

    def give_up(self, tokens: Sequence[Token]) -> None:
        """Puts back tokens after an unsuccessful search for the end of an argument."""
        self._wasted += len(tokens)
        self.put_back(tokens)

    def at_most(self, limit: int) -> int:
        """How many tokens may be read in search of the end of an argument."""
        for wasted, longest in _LONGEST_AFTER_WASTE:
            if self._wasted >= wasted:
                return min(limit, longest)
        return limit

    # Arguments ---------------------------------------------------------------------------------------------

    def peek(self, *, skip_space: bool = True) -> Token | None:
        """The next token, which is not taken; white space before it (except a blank line) is."""
        last = self.last
        while True:
            file = self.raw_file()
            state = None if file is None else file.state
            token = self.next_in_file()
            if token is None:
                break
            if token.kind != "mark" and not (skip_space and token.kind == "space"):
                if file is None or state is None:
                    self.put_back([token])
                else:
                    file.state = state  # its characters can still be read directly, as a URL or verbatim text
                break
        self.last = last
        return token

    def take(self, kind: str, *, skip_space: bool = True) -> Token | None:
        """Takes the next token if it is of that kind."""
        token = self.peek(skip_space=skip_space)
        return self.next_in_file() if token is not None and token.kind == kind else None

    def argument(self) -> Argument | None:
        """Takes an argument in braces, or the next character or command; None if there is none."""
        token = self.peek()
        if token is None or token.kind in {"}", "par", "begin", "end"}:
            return None
        token = self.next_in_file()
        assert token is not None
        if token.kind == "{":
            return self._in_braces(token)
        if token.kind == "text" and len(token.text) > 1:
            self.put_back([token._replace(text=token.text[1:], start=token.start + 1)])
            token = token._replace(text=token.text[0], end=token.start + 1)
            self.last = token
        return Argument([token], _between(token, token.start, token.end))

    def option(self, opening: str = "[", closing: str = "]", *, skip_space: bool = True) -> Argument | None:
        """Takes an argument in brackets; None if there is none."""
        first = self.peek(skip_space=skip_space)
        if first is None or first.kind != opening:
            return None
        last = self.last
        self.next_in_file()
        taken: list[Token] = []
        depth, longest = 0, self.at_most(_LONGEST_OPTION)
        while (token := self.next_in_file()) is not None:
            if token.kind == closing and depth == 0:
                return Argument(taken, _between(first, first.end, token.start))
            depth += {"{": 1, "}": -1}.get(token.kind, 0)
            taken.append(token)
            if depth < 0 or token.kind == "par" or len(taken) > longest:
                break
        # The bracket is text; as a ``text`` token it is not taken for an optional argument again.
        self.give_up([first._replace(kind="text"), *taken])
        self.last = last
        return None

    def _in_braces(self, opening: Token) -> Argument | None:
        taken: list[Token] = []
        depth = 1
        longest = self.at_most(_LONGEST_ARGUMENT)
        while len(taken) < longest and (token := self.next_in_file()) is not None:
            depth += {"{": 1, "}": -1}.get(token.kind, 0)
            if depth == 0:
                return Argument(taken, _between(opening, opening.end, token.start))
            taken.append(token)
        self.problems.at(opening, UNCLOSED)
        self.give_up(taken)
        self.last = opening
        return None

    def up_to(self, delimiter: Sequence[Token]) -> list[Token] | None:
        """Takes the tokens before `delimiter`, and the delimiter; None, taking nothing, if it is not near.

        They are compared character by character: see `characters`.
        """
        last = self.last
        taken: list[Token] = []
        depth, longest = 0, self.at_most(_LONGEST_OPTION)
        while (token := self.next_in_file()) is not None:
            first, *rest = characters([token])
            self.put_back(rest)
            taken.append(first)
            depth += {"{": 1, "}": -1}.get(first.kind, 0)
            if depth == 0 and _same(taken[-len(delimiter) :], delimiter):
                return taken[: -len(delimiter)]
            if depth < 0 or len(taken) > longest:
                break
        self.give_up(taken)
        self.last = last
        return None


def characters(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, with runs of text split into characters."""
    apart: list[Token] = []
    for token in tokens:
        if token.kind == "text" and len(token.text) > 1:
            apart += [
                token._replace(text=c, start=token.start + at, end=token.start + at + 1)
                for at, c in enumerate(token.text)
            ]
        else:
            apart.append(token)
    return apart


def _between(token: Token, start: int, end: int) -> Token:
    return token._replace(kind="mark", text="", start=start, end=max(start, end))


def _same(tokens: Sequence[Token], wanted: Sequence[Token]) -> bool:
    return len(tokens) == len(wanted) and all(
        one.kind == other.kind and (one.text == other.text or one.kind == "space")
        for one, other in zip(tokens, wanted, strict=True)
    )
