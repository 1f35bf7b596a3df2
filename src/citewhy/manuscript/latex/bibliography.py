"""The bibliographies that a LaTeX draft names, and the reference lists that it writes itself."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewhy.manuscript.latex import references as latex_references
from citewhy.manuscript.latex.cite import split_keys
from citewhy.manuscript.latex.expand import Expander
from citewhy.manuscript.latex.tokens import Token, plain_text, span
from citewhy.manuscript.latex.walk import Walker
from citewhy.records import Place, Reference

__all__ = ["BIBLIOGRAPHIES", "Bibliographies"]

_NAMED_BIBLIOGRAPHY = re.compile(r"\\(bibliography|addbibresource)\s*(?:\[[^\]]*\]\s*)?\{([^{}]*)\}")
_COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")


class Bibliographies(Walker):
    """What a draft says about the papers behind its keys."""

    def __init__(self, stream: Expander) -> None:
        super().__init__(stream)
        self.nocite: dict[str, None] = {}
        self.bibliographies: list[tuple[str, Token]] = []
        """Names of ``.bib`` files as written, with the command that names them."""
        self.printed: dict[str, Reference] = {}
        """Entries of reference lists that the draft writes itself."""
        self._item: tuple[str, Token] | None = None

    def _bibliography(self, token: Token) -> None:
        self.stream.take("*")
        self.stream.option()
        argument = self.stream.expanded_argument()
        if argument is None:
            return
        text = plain_text(argument.tokens)
        names = [text] if token.text.startswith("add") else text.split(",")
        self.bibliographies += [(name.strip(), token) for name in names if name.strip()]
        if not token.text.startswith("add") and not any(self.stream.find(name, ".bib") for name in names):
            self._read_compiled(token)

    def _read_compiled(self, token: Token) -> None:
        """What BibTeX made of the bibliography when it was there: archives have only this."""
        compiled = f"{self.stream.root.stem}.bbl"
        if self.stream.find(compiled, ".bbl") is not None:
            self.stream.include(token, compiled, suffix=".bbl")

    def _nocite(self, token: Token) -> None:
        argument = self.stream.expanded_argument()
        if argument is not None:
            self.nocite |= dict.fromkeys(key for key in split_keys(argument.tokens) if key)

    def begin_references(self, token: Token) -> None:
        self.flush()
        self.begin_flow("reference")

        def end() -> None:
            self._end_item()
            self.flows.pop()

        self.open_group(token.text, token, end)

    def _bib_item(self, token: Token) -> None:
        self._end_item()
        self.stream.option()
        argument = self.stream.expanded_argument()
        if argument is not None and self.flows[-1].kind == "reference":
            self._item = (plain_text(argument.tokens).strip(), token)

    def _new_block(self, token: Token) -> None:
        if self.flows[-1].kind == "reference":
            self.flow.separate(latex_references.BLOCK)

    def _end_item(self) -> None:
        """Keeps the reference whose text ends here; `stream.last` is the command that ends it."""
        flow = self.flows[-1]
        if self._item is None or flow.kind != "reference":
            return
        key, token = self._item
        source, start, end = span(token)
        passage = flow.take("")
        text = ""
        if passage is not None:
            text = passage.text
            end = max([end, *(piece.end for piece in passage.pieces if piece.source is source)])
        place = Place(source.path, start, end, source.line_of(start))
        self.printed.setdefault(key, Reference(key, latex_references.paper(key, text), place))
        self._item = None

    def cited_keys(self) -> frozenset[str]:
        """Every key that the draft writes."""
        cited = {key for passage in self.passages for _, one in passage.cited for key in one.keys}
        return frozenset(cited | set(self.nocite))

    def read_borrowed(self) -> None:
        """Bibliographies that the main file of a subfile names after its preamble."""
        borrowed = self.stream.borrowed
        if borrowed is not None and not self.bibliographies:
            shown = _COMMENT.sub("", borrowed.source.text)
            here = Token("word", "", borrowed.source, 0, 0)
            for command, names in _NAMED_BIBLIOGRAPHY.findall(shown):
                listed = names.split(",") if command == "bibliography" else [names]
                self.bibliographies += [(name.strip(), here) for name in listed if name.strip()]


BIBLIOGRAPHIES: dict[str, Callable[[Bibliographies, Token], None]] = {
    **dict.fromkeys(
        ("bibliography", "nobibliography", "addbibresource", "addglobalbib", "addsectionbib"),
        Bibliographies._bibliography,
    ),
    **dict.fromkeys(("nocite", "nocites"), Bibliographies._nocite),
    "bibitem": Bibliographies._bib_item,
    "newblock": Bibliographies._new_block,
}
"""Commands that name or hold references."""
