"""What LaTeX's commands do to a draft's text: front matter, headings, notes, lists, bibliographies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from citewhy.manuscript import latex_references
from citewhy.manuscript.latex_cite import split_keys
from citewhy.manuscript.latex_commands import ARGUMENTS, SECTIONS
from citewhy.manuscript.latex_expand import Expander
from citewhy.manuscript.latex_people import AUTHOR, MARK
from citewhy.manuscript.latex_tokens import Token, plain_text, span
from citewhy.manuscript.latex_walk import Walker
from citewhy.records import Place, Reference

__all__ = ["ABSTRACT", "Document"]

ABSTRACT = "Abstract"

_NAMED_BIBLIOGRAPHY = re.compile(r"\\(bibliography|addbibresource)\s*(?:\[[^\]]*\]\s*)?\{([^{}]*)\}")
_LONGEST_VERBATIM = 1_000
_SHOWN_COMMAND = re.compile(r"\\[A-Za-z@]")
_COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")


class Document(Walker):
    """A draft's text with all that it says about itself."""

    def __init__(self, stream: Expander) -> None:
        super().__init__(stream)
        stream.known = frozenset(_COMMANDS) | frozenset(ARGUMENTS)
        self.title = ""
        self.authors = ""
        """The texts of all ``\\author``, as `latex_people.names` reads them."""
        self.date = ""
        self.nocite: dict[str, None] = {}
        self.bibliographies: list[tuple[str, Token]] = []
        """Names of ``.bib`` files as written, with the command that names them."""
        self.printed: dict[str, Reference] = {}
        """Entries of reference lists that the draft writes itself."""
        self._item: tuple[str, Token] | None = None

    def command(self, token: Token) -> bool:
        step = _COMMANDS.get(token.text)
        if step is not None:
            step(self, token)
        return step is not None

    def environment(self, token: Token) -> bool:
        if token.text == "abstract":
            self._begin_abstract(token)
        elif token.text == "thebibliography":
            self._begin_references(token)
        else:
            return False
        return True

    # Front matter ------------------------------------------------------------------------------------------

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

    def _begin_abstract(self, token: Token) -> None:
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

    def _address(self, token: Token) -> None:
        self.raw_argument()
        self.flows[-1].gap()

    def _link(self, token: Token) -> None:
        self.stream.option()
        self.raw_argument()

    def _verbatim(self, token: Token) -> None:
        """``\\verb|x|``: the characters up to the next of the first. Commands among them are shown, not used,
        and no words of the sentence."""
        if token.text == "mintinline":
            self.stream.option(skip_space=False)
            self.stream.argument()
        self.stream.take("*", skip_space=False)
        if token.text in {"lstinline", "Verb"}:
            self.stream.option(skip_space=False)
        following = self.stream.peek(skip_space=False)
        if following is not None and following.kind == "{":
            self._verbatim_group()
            return
        file = self.stream.raw_file()
        if file is None:
            return
        text, start = file.source.text, file.position
        end = text.find(text[start], start + 1, start + _LONGEST_VERBATIM) if start < len(text) else -1
        if end < 0 or re.search(r"[\r\n]", text[start:end]):
            self.stream.problems.at(token, f"\\{token.text} has no end in its line")
            return
        file.position = end + 1
        shown = text[start + 1 : end].strip()
        if _SHOWN_COMMAND.search(shown):
            self.flows[-1].gap()
        else:
            self.emit(shown, token._replace(end=end + 1))

    def _verbatim_group(self) -> None:
        """``\\lstinline{x}``."""
        argument = self.stream.argument()
        if argument is not None and any(part.kind in {"word", "begin", "end"} for part in argument.tokens):
            self.flows[-1].gap()
        elif argument is not None:
            self.stream.put_back(argument.tokens)

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

    def _drop_flow(self) -> None:
        self.flows.pop()

    # Bibliographies ----------------------------------------------------------------------------------------

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

    def _begin_references(self, token: Token) -> None:
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


_Step = Callable[[Document, Token], None]

_COMMANDS: dict[str, _Step] = {
    **dict.fromkeys(("title", "icmltitle"), Document._title),
    **dict.fromkeys(("author", "icmlauthor"), Document._author),
    **dict.fromkeys(("And", "AND", "and", "IEEEauthorblockN"), Document._next_author),
    "textsuperscript": Document._raised,
    "date": Document._date,
    "abstract": Document._abstract,
    **dict.fromkeys(SECTIONS, Document._heading),
    "item": Document._item_of_list,
    **dict.fromkeys(("par", "newpage", "clearpage", "cleardoublepage", "endgraf"), Document._break),
    **dict.fromkeys(
        ("footnote", "footnotetext", "tablefootnote", "endnote", "sidenote", "blfootnote"), Document._note
    ),
    **dict.fromkeys(("thanks", "todo", "marginpar", "marginnote", "tnote"), Document._remark),
    **dict.fromkeys(("caption", "captionof", "subcaption"), Document._caption),
    **dict.fromkeys(("subfigure", "subfloat", "subtable"), Document._part_of_figure),
    **dict.fromkeys(("url", "nolinkurl", "path"), Document._address),
    "href": Document._link,
    **dict.fromkeys(("verb", "Verb", "lstinline", "mintinline"), Document._verbatim),
    "twocolumn": Document._wide,
    "xspace": Document._space_if_needed,
    **dict.fromkeys(("makefirstuc", "xmakefirstuc"), Document._capital),
    "ensuremath": Document._formula,
    **dict.fromkeys(
        ("excludecomment", "includecomment", "excludeversion", "includeversion"), Document._exclude
    ),
    **dict.fromkeys(
        ("bibliography", "nobibliography", "addbibresource", "addglobalbib", "addsectionbib"),
        Document._bibliography,
    ),
    **dict.fromkeys(("nocite", "nocites"), Document._nocite),
    "bibitem": Document._bib_item,
    "newblock": Document._new_block,
}
