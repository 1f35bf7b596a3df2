"""The bibliographies that a LaTeX draft names, and the reference lists that it contains."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewhy.base.records import Place, Reference
from citewhy.drafts.latex.citations import split_keys
from citewhy.drafts.latex.expand import NAMED_BIBLIOGRAPHY, Expander
from citewhy.drafts.latex.gather import Gatherer
from citewhy.drafts.latex.groups import Group
from citewhy.drafts.latex.tokens import Token, plain_text, span
from citewhy.papers.formats import bibitems, compiled_references

_COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")


class Bibliography:
    """Collects a draft's bibliographies, printed references, and ``\\nocite`` keys."""

    def __init__(self, expander: Expander, gatherer: Gatherer) -> None:
        self._expander = expander
        self._stream = expander.stream
        self._inclusions = expander.inclusions
        self._gatherer = gatherer
        self.nocite: dict[str, None] = {}
        """Keys that are cited without a position in the text, in order."""
        self.named: list[tuple[str, Token]] = []
        """Names of ``.bib`` files as written, each with the command that names it."""
        self.printed: dict[str, Reference] = {}
        """Entries of reference lists in the draft, by key."""
        self._item: tuple[str, Token] | None = None

    def commands(self) -> dict[str, Callable[[Token], None]]:
        """Commands that name bibliographies or are part of reference lists."""
        return {
            **dict.fromkeys(
                (
                    *("bibliography", "nobibliography", "defaultbibliography"),
                    *("addbibresource", "addglobalbib", "addsectionbib"),
                ),
                self._bibliography,
            ),
            "putbib": self._bibliography_of_unit,
            "newrefsection": self._bibliography_of_section,
            **dict.fromkeys(("nocite", "nocites"), self._nocite),
            "bibitem": self._bib_item,
            "newblock": self._new_block,
        }

    @property
    def is_biblatex(self) -> bool:
        """Whether the bibliography is processed by biblatex rather than BibTeX."""
        return any(token.text.startswith("add") for _, token in self.named)

    def _bibliography(self, token: Token) -> None:
        self._stream.take("*")
        self._stream.option()
        argument = self._expander.expanded_argument()
        if argument is None:
            return
        text = plain_text(argument.tokens)
        names = [text] if token.text.startswith("add") else text.split(",")
        self.named += [(name.strip(), token) for name in names if name.strip()]
        if not any(self._inclusions.find(name, ".bib") for name in names):
            self._read_compiled(token)

    def _bibliography_of_unit(self, token: Token) -> None:
        """bibunits' ``\\putbib[names]``."""
        option = self._stream.option(skip_space=False)
        names = plain_text(option.tokens).split(",") if option else []
        self.named += [(name.strip(), token) for name in names if name.strip()]

    def _bibliography_of_section(self, token: Token) -> None:
        """biblatex's ``\\newrefsection[names]``: names of files, or labels of files named elsewhere."""
        option = self._stream.option(skip_space=False)
        for name in plain_text(option.tokens).split(",") if option else ():
            if self._inclusions.find(name, ".bib") is not None:
                self.named.append((name.strip(), token))

    def begin_section(self, token: Token) -> None:
        """``\\begin{refsection}[names]``."""
        self._bibliography_of_section(token)
        self._gatherer.flush()
        self._gatherer.groups.open(Group(token.text, token, close=self._gatherer.flush))

    def _read_compiled(self, token: Token) -> None:
        """Reads the ``.bbl`` file, the output of BibTeX or biber: archives often have only that."""
        compiled = f"{self._inclusions.root.stem}.bbl"
        source = self._inclusions.open_aside(compiled, ".bbl")
        if source is None:
            return
        if compiled_references.IS_BIBER.search(source.text):
            for key, start, end, paper in compiled_references.papers_of_biber(source.text):
                self.printed.setdefault(key, Reference(key, paper, source.place(start, end)))
        elif not token.text.startswith("add"):
            self._inclusions.include(token, compiled, suffix=".bbl")

    def _nocite(self, token: Token) -> None:
        argument = self._expander.expanded_argument()
        if argument is not None:
            self.nocite |= dict.fromkeys(key for key in split_keys(argument.tokens) if key)

    def begin_references(self, token: Token) -> None:
        """``\\begin{thebibliography}``."""
        self._gatherer.flush()
        self._gatherer.begin_flow("reference")

        def end() -> None:
            self._end_item()
            self._gatherer.take_flow()

        self._gatherer.groups.open(Group(token.text, token, close=end))

    def _bib_item(self, token: Token) -> None:
        self._end_item()
        self._stream.option()
        argument = self._expander.expanded_argument()
        if argument is not None and self._gatherer.kind == "reference":
            self._item = (plain_text(argument.tokens).strip(), token)

    def _new_block(self, token: Token) -> None:
        if self._gatherer.kind == "reference":
            self._gatherer.flow.separate(bibitems.BLOCK)

    def _end_item(self) -> None:
        """Stores the reference whose text ends here."""
        if self._item is None or self._gatherer.kind != "reference":
            return
        key, token = self._item
        source, start, end = span(token)
        passage = self._gatherer.flow.take("")
        text = ""
        if passage is not None:
            text = passage.text
            end = max([end, *(piece.end for piece in passage.pieces if piece.source is source)])
        place = Place(source.path, start, end, source.line_of(start))
        marked = compiled_references.paper_of_bibinfo(key, source.text[start:end])
        paper = marked or bibitems.paper_of_item(key, text)
        self.printed.setdefault(key, Reference(key, paper, place))
        self._item = None

    def cited_keys(self) -> frozenset[str]:
        """All keys that the draft cites."""
        passages = self._gatherer.passages
        cited = {key for passage in passages for _, one in passage.cited for key in one.keys}
        return frozenset(cited | set(self.nocite))

    def read_unnamed(self) -> None:
        """The bibliographies that the draft itself does not name: those of its class, and for a subfile those
        that its main file names after the preamble."""
        known = dict(self.named)
        self.named += [(name, token) for name, token in self._expander.classes.named if name not in known]
        main_file = self._inclusions.main_file
        if main_file is not None and not self.named:
            code = _COMMENT.sub("", main_file.source.text)
            beginning = Token("word", "", main_file.source, 0, 0)
            for command, names in NAMED_BIBLIOGRAPHY.findall(code):
                listed = [names] if command.startswith("add") else names.split(",")
                self.named += [(name.strip(), beginning) for name in listed if name.strip()]
