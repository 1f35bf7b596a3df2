"""What LaTeX's commands do to a draft's text: headings, lists, notes, captions, boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from citewhy.manuscript.latex.bibliography import BIBLIOGRAPHIES, Bibliographies
from citewhy.manuscript.latex.commands import ARGUMENTS, SECTIONS
from citewhy.manuscript.latex.expand import Expander
from citewhy.manuscript.latex.front import FRONT_PAGE, FrontPage
from citewhy.manuscript.latex.people import MARK
from citewhy.manuscript.latex.tokens import Token, plain_text

__all__ = ["Document"]


class Document(FrontPage, Bibliographies):
    """A draft's text with all that it says about itself."""

    def __init__(self, stream: Expander) -> None:
        super().__init__(stream)
        stream.known = frozenset(_COMMANDS) | frozenset(ARGUMENTS)

    def command(self, token: Token) -> bool:
        step = _COMMANDS.get(token.text)
        if step is not None:
            step(self, token)
        return step is not None

    def environment(self, token: Token) -> bool:
        if token.text == "abstract":
            self.begin_abstract(token)
        elif token.text == "thebibliography":
            self.begin_references(token)
        else:
            return False
        return True

    # Headings and lists ------------------------------------------------------------------------------------

    def _heading(self, token: Token) -> None:
        self.flush()
        if self.flows[-1].kind == "ignored":
            return
        self.stream.take("*")
        self.drop("o")
        if not self.in_braces(token, "heading", self._end_heading):
            self.stream.problems.at(token, f"\\{token.text} has no heading")

    def _end_heading(self) -> None:
        passage = self.flows.pop().take("", is_one_sentence=True)
        self.section = passage.text.strip() if passage is not None else ""
        if passage is not None:
            self.keep(replace(passage, section=self.section))

    def _item_of_list(self, token: Token) -> None:
        self.flush()
        label = self.stream.option()
        if label is not None:
            self.stream.put_back([*label.tokens, token._replace(kind="space", text=" ")])

    def _break(self, token: Token) -> None:
        self.paragraph()

    # Notes, captions, boxes --------------------------------------------------------------------------------

    def _note(self, token: Token) -> None:
        self.stream.option()
        if self.flows[-1].kind == "author":
            self.flow.separate(MARK)
        self.in_braces(token, "ignored" if self.flows[-1].kind == "ignored" else "body")

    def _remark(self, token: Token) -> None:
        """``\\thanks`` and ``\\todo``: no part of the text, but what it cites counts."""
        self.stream.option()
        if self.flows[-1].kind == "author":
            self.flow.separate(MARK)
        self.in_braces(token, "discarded")

    def _caption(self, token: Token) -> None:
        self.stream.take("*")
        self.drop("mo" if token.text == "captionof" else "o")
        self.in_braces(token, "ignored" if self.flows[-1].kind == "ignored" else "body")

    def _part_of_figure(self, token: Token) -> None:
        """``\\subfigure[caption]{…}``."""
        caption = self.stream.option()
        if caption is not None:
            brace = token._replace(kind="{", text="{")
            closing = brace._replace(kind="}", text="}")
            self.stream.put_back([token._replace(text="caption"), brace, *caption.tokens, closing])

    def _wide(self, token: Token) -> None:
        """``\\twocolumn[…]``: the bracket holds a whole front page."""
        bracket = self.stream.take("[")
        if bracket is not None:
            self.open_group("[", bracket, self.flush)

    def _space_if_needed(self, token: Token) -> None:
        """``\\xspace``."""
        following = self.stream.peek(skip_space=False)
        if following is None or following.kind in {"space", "~", "par", "}", "end", "sign", ")", "]", "&"}:
            return
        if following.kind != "text" or following.text[0].isalnum() or following.text[0] in "`“":
            self.space()

    def _capital(self, token: Token) -> None:
        """mfirstuc's ``\\makefirstuc{arora}``."""
        argument = self.stream.argument()
        tokens = list(argument.tokens) if argument is not None else []
        if tokens and tokens[0].kind == "text":
            tokens[0] = tokens[0]._replace(text=tokens[0].text[:1].upper() + tokens[0].text[1:])
        self.stream.put_back(tokens)

    def _formula(self, token: Token) -> None:
        opening = self.stream.take("{")
        if opening is not None:
            self.open_math("{", opening)

    def _exclude(self, token: Token) -> None:
        name = self.stream.argument()
        if name is not None:
            self.exclude(plain_text(name.tokens).strip(), is_excluded=token.text.startswith("exclude"))


_Step = Callable[[Document, Token], None]

_COMMANDS: dict[str, _Step] = {
    **FRONT_PAGE,
    **BIBLIOGRAPHIES,
    **dict.fromkeys(SECTIONS, Document._heading),
    "item": Document._item_of_list,
    **dict.fromkeys(("par", "newpage", "clearpage", "cleardoublepage", "endgraf"), Document._break),
    **dict.fromkeys(
        ("footnote", "footnotetext", "tablefootnote", "endnote", "sidenote", "blfootnote"), Document._note
    ),
    **dict.fromkeys(("thanks", "todo", "marginpar", "marginnote", "tnote"), Document._remark),
    **dict.fromkeys(("caption", "captionof", "subcaption"), Document._caption),
    **dict.fromkeys(("subfigure", "subfloat", "subtable"), Document._part_of_figure),
    **dict.fromkeys(("url", "nolinkurl", "path"), Document.address),
    "href": Document.link,
    **dict.fromkeys(("verb", "Verb", "lstinline", "mintinline"), Document.verbatim),
    "twocolumn": Document._wide,
    "xspace": Document._space_if_needed,
    **dict.fromkeys(("makefirstuc", "xmakefirstuc"), Document._capital),
    "ensuremath": Document._formula,
    **dict.fromkeys(
        ("excludecomment", "includecomment", "excludeversion", "includeversion"), Document._exclude
    ),
}
