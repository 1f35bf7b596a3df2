"""Typst's markup: running text, headings, citations, and the content of calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from citewhy.base.records import Paragraph
from citewhy.drafts.flow import Flow, FoundCitation, Source, marked
from citewhy.drafts.typst import code
from citewhy.text.placeholders import is_placeholder, open_call, open_comment, open_mark

_REFERENCE = re.compile(r"@(?:[\w.:-]*[\w-]|\?+)")
_LABEL = re.compile(r"<[\w.:-]+>")
_CITED = re.compile(r'\s*(?:<(?P<label>[^<>\s]*)>|label\(\s*"(?P<name>[^"]*)"\s*\))')
_ARGUMENT = re.compile(r'<(?P<label>[^<>\s]+)>|"(?P<name>[\w.:-]+)"')
_OWN_FUNCTION = re.compile(r"\s+(?P<name>[A-Za-z_][\w-]*)\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)?=")
_PROSE = re.compile(r'form\s*:\s*"(?:prose|author)"')
_CROSS_REFERENCE = re.compile(r"(?i:fig|tbl|tab|eqt?|sec|lst|thm|lem|def|app|alg)(?:ure|le)?[:-].")
_HEADING = re.compile(r"(={1,6})[ \t]+(?=\S)")
_ITEM = re.compile(r"(?:[-+/]|\d{1,3}\.)[ \t]+")
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"`]+")
_PLAIN = re.compile(r"(?:[^\\`$@<#\[(*_~\t\r\n/h]|h(?!ttps?://))+")
"""Characters that mean themselves wherever they are in a line."""
_BLANK = re.compile(r"\n(?:[ \t\r]*+\n)+")
_BEFORE_BLOCK = re.compile(r"[^\[{\n]{0,500}+(?=[\[{])")
_FILE_NAME = re.compile(r'\s*"([^"\n]+)"')
_NAME = re.compile(r"#(?P<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)?")
_STATEMENTS = frozenset({"let", "set", "show", "import", "include", "return"})
_DEEPEST = 60
"""Maximum depth of content in content."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys and labels that ``@key`` may refer to."""

    defined: Collection[str]
    """A bibliography defines these."""
    labels: Collection[str]
    """Labels in the text."""
    unread: bool
    """Whether others may be defined, too."""
    citing: Mapping[str, bool] = field(default_factory=dict)
    """The draft's own functions that cite their arguments: whether as a part of the sentence."""

    def is_label(self, key: str) -> bool:
        """Whether the key is that of a figure or a section rather than of a paper."""
        return key not in self.defined and (key in self.labels or _CROSS_REFERENCE.match(key) is not None)

    def is_open(self, key: str) -> bool:
        """Whether the paper is still to be found."""
        return key not in self.defined and (is_placeholder(key) or not self.unread)


def _calls_cite(body: str) -> bool:
    """Whether the body of a function cites what it is given: ``cite(key, …)`` or ``cite.with(…)``, not a key
    of its own."""
    return re.search(r"(?<![\w-])cite(?:\.with)?\s*\((?!\s*<)", body) is not None


@dataclass(slots=True)
class Collected:
    """Collects the content of the files of a draft, in reading order."""

    paragraphs: list[Paragraph] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    """Level and text."""
    names_only: bool = False
    """Whether only labels and statements are wanted."""
    labels: set[str] = field(default_factory=set)
    citing: dict[str, bool] = field(default_factory=dict)
    """See `Keys`."""
    statements: list[tuple[Source, int, int]] = field(default_factory=list)
    """``#set``, ``#show`` and ``#bibliography``, which may hold metadata."""
    section: str = ""


class Markup:
    """Reads one file into `Collected`. `include` reads the file that an ``#include`` names."""

    def __init__(self, source: Source, keys: Keys, into: Collected, include: object) -> None:
        self._source = source
        self._text = source.text
        self._extents = code.Extents(source.text)
        self._keys = keys
        self._into = into
        self._include = include
        self._flow = Flow(source)
        self._heading = 0
        self._is_aside = False
        self._aside: list[tuple[int, int]] = []
        """Footnotes and captions, which become paragraphs after the one that they interrupt."""
        self._depth = 0

    def read(self) -> None:
        """Reads the whole file."""
        self._content(0, len(self._text))
        self._end_paragraph()

    # Blocks -----------------------------------------------------------------------------------------------

    def _content(self, start: int, end: int) -> None:
        text = self._text
        at = start
        begins = True  # a line
        self._depth += 1
        while at < end:
            character = text[at]
            if begins and (heading := _HEADING.match(text, at, end)):
                self._end_paragraph()
                self._heading = len(heading[1])
                at = heading.end()
            elif begins and (item := _ITEM.match(text, at, end)):
                self._end_paragraph()
                at = item.end()
            elif character == "\n":
                at = self._line_end(at, end)
                begins = True
                continue
            elif begins and character in " \t":
                at += 1
                continue
            else:
                at = self._inline(at, end)
            begins = False
        self._depth -= 1

    def _line_end(self, at: int, end: int) -> int:
        """A heading ends with its line, a paragraph at a blank line."""
        blank = _BLANK.match(self._text, at, end)
        if blank or self._heading:
            self._end_paragraph()
            return blank.end() if blank else at + 1
        self._flow.add(" ", at)
        return at + 1

    def _end_text(self) -> None:
        flow, self._flow = self._flow, Flow(self._source)
        level, self._heading = self._heading, 0
        if not self._into.names_only:
            self._keep(flow, level)

    def _end_paragraph(self) -> None:
        """Ends the text, and reads what was put aside in it."""
        self._end_text()
        if self._depth > _DEEPEST:
            return  # what encloses it reads what is aside
        waiting, self._aside = self._aside[::-1], []
        before, self._is_aside = self._is_aside, True
        while waiting:
            self._content(*waiting.pop())
            self._end_text()
            waiting += self._aside[::-1]
            self._aside = []
        self._is_aside = before

    def _keep(self, flow: Flow, level: int) -> None:
        if level:
            self._into.section = flow.text().strip()
            self._into.headings.append((level, self._into.section))
        if not level or flow.cites:
            paragraph = flow.paragraph(self._into.section, aside=self._is_aside)
            if paragraph is not None and (
                flow.cites or any(sentence.text for sentence in paragraph.sentences)
            ):
                self._into.paragraphs.append(paragraph)

    # Inside a line ----------------------------------------------------------------------------------------

    def _inline(self, at: int, end: int) -> int:
        """Reads what begins at `at`; returns its end."""
        text = self._text
        if plain := _PLAIN.match(text, at, end):
            self._flow.add(plain[0], at)
            return plain.end()
        character = text[at]
        if (stop := code.comment_end(text, at)) is not None:
            if asked := open_comment(text, at, min(stop, end)):
                self._flow.cite(marked(asked))
            return min(stop, end)
        if character == "\\":
            escaped = text[at + 1 : at + 2]
            self._flow.add_for(" " if escaped.isspace() else escaped, at, min(at + 2, end))
            return at + 2
        if character == "`":
            return min(code.raw_end(text, at), end)
        if character == "$":
            stop = min(code.math_end(text, at), end)
            self._flow.add_for("MATH" if stop > at + 1 else "$", at, stop)
            return stop
        if character == "@" and (reference := _REFERENCE.match(text, at, end)):
            return self._reference(reference, end)
        if character == "<" and (label := _LABEL.match(text, at, end)):
            self._into.labels.add(label[0][1:-1])
            return label.end()
        if character == "#" and (remark := open_call(text, at, end)):
            self._flow.cite(replace(marked(remark), note=remark["note"]))
            return remark.end()
        if character == "#" and (call := _NAME.match(text, at, end)):
            return self._code(call, end)
        if character in "[(" and (placeholder := open_mark(text, at, end, in_table=self._is_aside)):
            self._flow.cite(marked(placeholder))
            return placeholder.end()
        if address := _ADDRESS.match(text, at, end):
            return address.end()
        if character in "*_" and not (text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum()):
            return at + 1
        self._flow.add(" " if character in "~\t\r" else character, at)
        return at + 1

    def _reference(self, reference: re.Match[str], end: int) -> int:
        """``@key[p. 3]``, or a reference to a figure."""
        key, at, stop = reference[0][1:], reference.start(), reference.end()
        whole = stop
        if self._text[stop : min(stop + 1, end)] == "[":
            whole = min(self._extents.group_end(stop), end)
        in_word = at > 0 and self._text[at - 1].isalnum()
        if self._keys.is_label(key) or (in_word and key not in self._keys.defined):
            self._flow.add_for("Figure" if not in_word else " ", at, whole)
            return whole
        self._cite(key, at, whole, "@", (at, whole))
        return whole

    def _cite(
        self, key: str, at: int, end: int, command: str, slot: tuple[int, int], prose: bool = False
    ) -> None:
        keys = () if is_placeholder(key) and key not in self._keys.defined else (key,)
        opened = self._keys.is_open(key)
        self._flow.cite(FoundCitation(at, end, keys, opened, command, slot, in_text=prose))

    # Code -------------------------------------------------------------------------------------------------

    def _code(self, call: re.Match[str], end: int) -> int:
        """``#name(…)[…]``, ``#set …``, ``#if … […]``; the content in it is read as text."""
        text, name, at = self._text, call["name"] or "", call.start()
        if name in _STATEMENTS:
            stop = min(self._extents.statement_end(call.end()), end)
            if name == "include":
                self._included(call.end(), stop)
            elif name != "let":
                self._into.statements.append((self._source, at, stop))
            elif (own := _OWN_FUNCTION.match(text, call.end(), stop)) and _calls_cite(text[own.end() : stop]):
                prose = _PROSE.search(text, own.end(), stop) is not None
                self._into.citing[own["name"]] = prose
            return max(stop, call.end())
        stop = call.end()
        if name in {"if", "for", "while", "context", "else"}:
            group = _BEFORE_BLOCK.match(text, stop, end)
            stop = group.end() if group else stop
        if not name and text[stop : stop + 1] == '"':
            return min(code.string_end(text, stop), end)
        while (
            stop < end
            and text[stop] in "([{"
            and not (text[stop] == "(" and stop > at + 1 and text[stop - 1] == "]")
        ):
            close = min(self._extents.group_end(stop), end)
            if text[stop] == "[":
                self._argument(name, stop + 1, close - 1)
            elif text[stop] == "(" and self._call(name, at, stop, close):
                return close
            stop = close
        # The semicolon that ends a call is not text.
        return (
            stop + 1
            if stop > call.end() and text[stop : stop + 1] == ";" and stop < end
            else max(stop, at + 1)
        )

    def _argument(self, name: str, start: int, end: int) -> None:
        """Content after a call."""
        if name == "footnote" or self._depth > _DEEPEST:
            self._aside.append((start, end))
        elif name == "heading":
            self._end_paragraph()
            self._heading = 1
            self._content(start, end)
            self._end_paragraph()
        elif name == "abstract":
            self._end_paragraph()
            self._into.section, before = "Abstract", self._into.section
            self._content(start, end)
            self._end_paragraph()
            self._into.section = before
        else:
            self._content(start, end)

    def _call(self, name: str, at: int, start: int, end: int) -> bool:
        """The arguments of a call. Whether it is complete: nothing that follows belongs to it."""
        text = self._text
        if name == "cite":
            if cited := _CITED.match(text, start + 1, end):
                form = self._extents.named_argument("form", cited.end(), end)
                prose = form is not None and text[slice(*form)] == '"prose"'
                key = cited["label"] if cited["label"] is not None else cited["name"]
                self._cite(key, at, end, "cite", (at, end), prose)
            return True
        if name in self._keys.citing:
            arguments = _ARGUMENT.finditer(text, start + 1, end)
            if written := [argument["label"] or argument["name"] for argument in arguments]:
                keys = tuple(k for k in written if k in self._keys.defined or not is_placeholder(k))
                opened, prose = any(map(self._keys.is_open, written)), self._keys.citing[name]
                self._flow.cite(FoundCitation(at, end, keys, opened, "cite", None, in_text=prose))
            return False
        if name in {"bibliography", "ref", "label", "image", "raw"}:
            if name == "bibliography":
                self._into.statements.append((self._source, at, end))
            return True
        if self._depth <= _DEEPEST:
            self._contents_in(start + 1, end - 1)
        return False

    def _contents_in(self, start: int, end: int) -> None:
        """The content among the arguments of a call, such as captions and cells."""
        text, at = self._text, start
        while at < end:
            if (stop := code.comment_end(text, at)) is not None:
                at = stop
            elif text[at] == '"':
                at = code.string_end(text, at)
            elif text[at] == "[":
                close = min(self._extents.group_end(at), end)
                self._aside.append((at + 1, close - 1))
                at = close
            else:
                at += 1

    def _included(self, start: int, end: int) -> None:
        file_name = _FILE_NAME.match(self._text, start, end)
        if file_name and callable(self._include):
            self._end_paragraph()
            self._include(self._source, file_name[1], file_name.start(1))
