"""A LaTeX draft's front matter: title, authors, date, abstract."""

from __future__ import annotations

from collections.abc import Callable

from citewhy.manuscript.latex.expand import Expander
from citewhy.manuscript.latex.people import AUTHOR, MARK
from citewhy.manuscript.latex.tokens import Token
from citewhy.manuscript.latex.walk import Walker

__all__ = ["ABSTRACT", "FRONT_PAGE", "FrontPage"]

ABSTRACT = "Abstract"


class FrontPage(Walker):
    """What stands before a draft's text."""

    def __init__(self, stream: Expander) -> None:
        super().__init__(stream)
        self.title = ""
        self.authors = ""
        """The texts of all ``\\author``, as `latex_people.names` reads them."""
        self.date = ""

    def _title(self, token: Token) -> None:
        self.stream.option()
        self.in_braces(token, "title", self._end_title)

    def _end_title(self) -> None:
        flow = self.flows.pop()
        self.title = self.title or flow.text().strip()
        if flow.cites:
            self.keep(flow.take(self.section, is_one_sentence=True))

    def _author(self, token: Token) -> None:
        self.stream.take("*")
        self.stream.option()

        def end() -> None:
            flow = self.flows.pop()
            self.authors += AUTHOR + flow.text()
            if flow.cites:
                self.keep(flow.take(self.section, is_one_sentence=True))
            if token.text.startswith("icml"):
                self.drop("m")  # the address

        self.in_braces(token, "author", end)

    def _next_author(self, token: Token) -> None:
        if self.flows[-1].kind == "author":
            self.flow.separate(AUTHOR)

    def _raised(self, token: Token) -> None:
        """``\\textsuperscript``: a mark of an address among authors, else text."""
        if self.flows[-1].kind == "author":
            self.flow.separate(MARK)
            self.in_braces(token, "ignored", self._drop_flow)

    def _date(self, token: Token) -> None:
        def end() -> None:
            self.date = self.flows.pop().text()

        self.in_braces(token, "date", end)

    def begin_abstract(self, token: Token) -> None:
        self.flush()
        before, self.section = self.section, ABSTRACT

        def end() -> None:
            self.flush()
            self.section = before

        self.open_group(token.text, token, end)

    def _abstract(self, token: Token) -> None:
        before, self.section = self.section, ABSTRACT

        def end() -> None:
            self.end_flow()
            self.section = before

        if not self.in_braces(token, "body", end):
            self.section = before

    def _drop_flow(self) -> None:
        self.flows.pop()


FRONT_PAGE: dict[str, Callable[[FrontPage, Token], None]] = {
    **dict.fromkeys(("title", "icmltitle"), FrontPage._title),
    **dict.fromkeys(("author", "icmlauthor"), FrontPage._author),
    **dict.fromkeys(("And", "AND", "and", "IEEEauthorblockN"), FrontPage._next_author),
    "textsuperscript": FrontPage._raised,
    "date": FrontPage._date,
    "abstract": FrontPage._abstract,
}
"""Commands of the front matter."""
