"""Arguments of commands: read as text of their own, or left out."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewhy.drafts.latex.commands import has_citation
from citewhy.drafts.latex.gather import Gatherer
from citewhy.drafts.latex.groups import Group
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token

_LENGTH = re.compile(
    r"""\s*+(?:=\s*+)?[-+]?(?:\d++(?:\.\d++)?|\.\d++)\s*+(?:true\s*+)?(?:pt|em|ex|in|cm|mm|bp|pc|dd|cc|sp|\\[A-Za-z@]+)?
        (?:\s*+(?:plus|minus)\s*+[-+]?[\d.]++\s*+[a-z]*+)*
      | \s*+=\s*+[-+]?\\[A-Za-z@]+""",
    re.VERBOSE,
)


class Arguments:
    """Takes the arguments of commands that the text is gathered from."""

    def __init__(self, stream: TokenStream, gatherer: Gatherer) -> None:
        self._stream = stream
        self._gatherer = gatherer

    def as_flow(self, token: Token, kind: str, close: Callable[[], None] | None = None) -> bool:
        """Starts a flow of kind `kind` for the argument of `token`; False if it has no argument.

        At the end of the argument `close` is called, which must end the flow; by default its text is kept.
        """
        opening = self._stream.take("{")
        if opening is None:
            argument = self._stream.argument()
            if argument is None:
                return False
            brace = token._replace(kind="{", text="{")
            self._stream.put_back([*argument.tokens, brace._replace(kind="}", text="}")])
            opening = brace
        self._gatherer.begin_flow(kind)
        group = Group("{", opening, is_text=True, close=close or self._gatherer.end_flow)
        self._gatherer.groups.open(group)
        return True

    def drop(self, spec: str) -> None:
        """Takes arguments that are not text (see `commands.ARGUMENTS`), but keeps their citations."""
        cited: list[Token] = []
        for kind in spec:
            if kind == "s":
                self._stream.take("*", skip_space=False)
            elif kind == "=":
                self._drop_length()
            else:
                brackets = {"o": ("[", "]"), "p": ("(", ")")}.get(kind)
                taken = self._stream.argument() if brackets is None else self._stream.option(*brackets)
                if taken is not None and has_citation(taken.tokens):
                    cited += taken.tokens
        self._stream.put_back(cited)

    def _drop_length(self) -> None:
        file = self._stream.raw_file()
        if file is not None:
            if length := _LENGTH.match(file.source.text, file.position):
                file.position = length.end()
            return
        self._stream.take("=")  # in the body of a macro
        following = self._stream.peek()
        if following is not None and following.kind == "text" and _LENGTH.fullmatch(following.text):
            self._stream.next_in_file()
