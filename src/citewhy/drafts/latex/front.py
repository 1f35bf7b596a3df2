"""The front matter of a LaTeX draft: title, authors, date, abstract."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from citewhy.drafts.latex.arguments import Arguments
from citewhy.drafts.latex.gather import AUTHOR, BREAK, MARK, Gatherer
from citewhy.drafts.latex.groups import Group
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token

ABSTRACT = "Abstract"
_TITLES = "title", "icmltitle", "thesistitle", "settitle", "completetitle", "Title"
"""Commands that say the title, of classes of journals and universities, too."""


class FrontMatter:
    """Collects title, authors and date, and marks the abstract."""

    def __init__(self, stream: TokenStream, gatherer: Gatherer, arguments: Arguments) -> None:
        self._stream = stream
        self._gatherer = gatherer
        self._arguments = arguments
        self.title = ""
        self.authors = ""
        """The texts of all ``\\author`` commands, to be parsed by `names`."""
        self.date = ""

    def commands(self) -> dict[str, Callable[[Token], None]]:
        """The handlers of front-matter commands."""
        return {
            **dict.fromkeys(_TITLES, self._title),
            **dict.fromkeys(("author", "icmlauthor"), self._author),
            **dict.fromkeys(("And", "AND", "and", "IEEEauthorblockN"), self._next_author),
            "textsuperscript": self._raised,
            "date": self._date,
            "abstract": self._abstract,
        }

    def _title(self, token: Token) -> None:
        self._stream.option()
        self._arguments.as_flow(token, "title", self._end_title)

    def _end_title(self) -> None:
        flow = self._gatherer.take_flow()
        self.title = self.title or flow.text().strip()
        if flow.cites:
            self._gatherer.keep(flow.take(self._gatherer.section, is_one_sentence=True))

    def _author(self, token: Token) -> None:
        self._stream.take("*")
        self._stream.option()

        def end() -> None:
            flow = self._gatherer.take_flow()
            self.authors += AUTHOR + flow.text()
            if flow.cites:
                self._gatherer.keep(flow.take(self._gatherer.section, is_one_sentence=True))
            if token.text.startswith("icml"):
                self._arguments.drop("m")  # the address

        self._arguments.as_flow(token, "author", end)

    def _next_author(self, token: Token) -> None:
        if self._gatherer.kind == "author":
            self._gatherer.flow.separate(AUTHOR)

    def _raised(self, token: Token) -> None:
        """``\\textsuperscript``: an affiliation mark among authors, otherwise text."""
        if self._gatherer.kind == "author":
            self._gatherer.flow.separate(MARK)
            self._arguments.as_flow(token, "ignored", self._drop_flow)

    def _drop_flow(self) -> None:
        self._gatherer.take_flow()

    def _date(self, token: Token) -> None:
        def end() -> None:
            self.date = self._gatherer.take_flow().text()

        self._arguments.as_flow(token, "date", end)

    def begin_abstract(self, token: Token) -> None:
        """``\\begin{abstract}``."""
        gatherer = self._gatherer
        gatherer.flush()
        before, gatherer.section = gatherer.section, ABSTRACT

        def end() -> None:
            gatherer.flush()
            gatherer.section = before

        gatherer.groups.open(Group(token.text, token, close=end))

    def _abstract(self, token: Token) -> None:
        """``\\abstract{…}``."""
        gatherer = self._gatherer
        before, gatherer.section = gatherer.section, ABSTRACT

        def end() -> None:
            gatherer.end_flow()
            gatherer.section = before

        if not self._arguments.as_flow(token, "body", end):
            gatherer.section = before


# Names in an author command, which also contains affiliations and footnotes -----------------------------

_WORD = r"(?:[^\W\d_][\w.'’‘-]*)"
_NAME = re.compile(rf"{_WORD}(?: {_WORD}){{1,5}}")
_ADDRESS = re.compile(
    r"\b(?:Universit\w*|Univ|Institut\w*|Department|Dept|School|College|Laborator\w+|Labs?|Center|Centre|"
    r"Research|Faculty|Science\w*|Engineering|Computing|Technolog\w+|Inc|Ltd|GmbH|Corp\w*|Group|Academy|"
    r"Google|Microsoft|Facebook|Amazon|Anonymous|Submission|Linguistics|Informatics|National|Street|USA|"
    r"UK|China|Germany)\b"
)
_SUFFIXES = re.compile(r"(?<!\s)\s*+,\s*+(?=(?:Jr|Sr|II|III|IV|PhD|Ph\.D)\b)")


def names(text: str) -> list[str]:
    """The names in the text of an ``\\author``, in order, as "First Last"."""
    authors: list[str] = []
    for group in text.split(AUTHOR):
        for number, line in enumerate(part for part in group.split(BREAK) if part.strip(f" {MARK},")):
            # Names come first; later lines have names only if marks follow them ("Ann Lee¹ Bo Li²").
            if number > 0 and not re.search(rf"\w ?,? ?{MARK}", line):
                break
            people = _people(line)
            if not people:
                break
            authors += people
    return list(dict.fromkeys(authors))


def _people(line: str) -> list[str]:
    line = re.sub(r"(?<!\S)\S*@\S*+", " ", _SUFFIXES.sub(" ", line))
    parts = re.split(rf"[{MARK},;&]|\band\b|\s{{2,}}", line)
    people = itertools.takewhile(lambda part: not _ADDRESS.search(part), (" ".join(p.split()) for p in parts))
    return [person for person in people if _NAME.fullmatch(person)]
