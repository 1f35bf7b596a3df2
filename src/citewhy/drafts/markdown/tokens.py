"""Parsing Markdown with `markdown-it` and Pandoc's extensions, with positions in the source.

The parser records the lines of a block but no positions in them. Its state is extended to record where each
inline token begins (`State`); the lines of a block are then located in the source (`Content`).
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, link
from markdown_it.token import Token

from citewhy.drafts.flow import FoundCitation, Source
from citewhy.drafts.latex.commands import is_citation, is_in_text
from citewhy.drafts.markdown.pandoc import Citations, CrossReference

COMMENT = "comment"


class Content:
    """The text of a block, with the positions of its characters. `tag` is ``h1`` … for headings; or
    `COMMENT`."""

    def __init__(self, text: str, lines: list[int], tag: str = "") -> None:
        """`lines` are the offsets in the source at which the lines of `text` begin."""
        self.text = text
        self.tag = tag
        self._lines = lines
        self._starts = [0, *(newline.end() for newline in re.finditer("\n", text))]

    def offset(self, position: int) -> int:
        """The offset in the source of the character at `position`."""
        line = bisect.bisect_right(self._starts, position) - 1
        return self._lines[line] + position - self._starts[line]

    def part(self, start: int, text: str) -> Content:
        """The part of the content that begins at `start` and has the text `text`."""
        starts = [0, *(newline.end() for newline in re.finditer("\n", text))]
        return Content(text, [self.offset(start + line) for line in starts])

    def end(self, position: int) -> int:
        """The offset in the source of the end of a span that ends at `position`."""
        return self.offset(position - 1) + 1 if position > 0 else self.offset(position)


def find_lines(source: Source, text: str, first: int, last: int) -> list[int]:
    """The offsets at which the lines of a block begin, whose text is in source lines ``[first, last)``."""
    offsets: list[int] = []
    line = first
    for part in text.split("\n"):
        columns = ((number, _column(source.lines[number], part)) for number in range(line, last))
        number, column = next(((n, c) for n, c in columns if c is not None), (min(line, last - 1), 0))
        offsets.append(source.starts[number] + column)
        line = number + 1
    return offsets


def _column(line: str, part: str) -> int | None:
    """The column at which `part`, a line of a block, begins in its source line, after any block markup."""
    line = line.replace("\0", "\ufffd")
    bare = part.rstrip()
    if line.rstrip().endswith(bare):
        return len(line.rstrip()) - len(bare)
    bare = part.strip()  # the parser replaced leading tabs by spaces
    column = line.rfind(bare)
    return column - (len(part) - len(part.lstrip())) if column >= 0 else None


def find_cell(line: str, cell: str, column: int) -> tuple[str, int]:
    """A table cell as written (the parser removes the backslash from ``\\|``), and its column."""
    written = cell.replace("|", "\\|")
    at = line.replace("\0", "\ufffd").find(written, column)
    return (written, at) if at >= 0 else ("", column)


# Inside a line: citations, mathematics, notes, attributes -----------------------------------------------

AT = "at"
"""The key in `Token.meta` of a token's offset in the content of its block."""

_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,200}\]")
_ATTRIBUTES = re.compile(r"\{[#.=a-zA-Z-][^{}\n]{0,500}\}")
_CLOSING_DOLLAR = re.compile(r"(?<=[^\s\\])\$(?!\d)")


class State(StateInline):
    """The parser's state, extended to record where tokens begin. ``env["defined"]`` has the defined keys."""

    def __init__(self, src: str, md: MarkdownIt, env: Any, out: list[Token]) -> None:
        super().__init__(src, md, env, out)
        self.citations = Citations(
            src, env["defined"], unread=env.get("unread", False), labels=env.get("labels", ())
        )
        self.dollars: list[int] = [dollar.end() for dollar in _CLOSING_DOLLAR.finditer(src)]
        self.last_closing = src.rfind("]")
        self._pending_at = 0
        self._delimiters_at = (-1, 0)

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_at = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802 (the parser's name)
        token = super().pushPending()
        token.meta = {AT: self._pending_at}
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        at = self.pos
        if ttype == "text":  # "***" becomes three tokens at one position of the parser
            at, count = self._delimiters_at
            count = count + 1 if at == self.pos else 0
            self._delimiters_at = (self.pos, count)
            at = self.pos + count
        token.meta = {AT: at}
        return token


def _cited(state: StateInline, silent: bool) -> bool:
    """``@key``, ``-@key``, ``[@key; …]``, and placeholders for citations in brackets."""
    assert isinstance(state, State)
    position, first = state.pos, state.src[state.pos]
    if first == "[" and (mark := _FOOTNOTE_MARK.match(state.src, position)):
        return _skip(state, mark.end(), silent)
    if first == "[":
        cited = state.citations.bracket(position)
        if cited and state.src[cited.end : cited.end + 1] in {"(", "["} and _is_link(state):
            return False
    elif first == "@" or (first == "-" and state.src[position + 1 : position + 2] == "@"):
        if _in_address(state.src, position):
            return False
        cited = state.citations.in_text(position)
    else:
        return False
    if cited is None or cited.end > state.posMax or (state.linkLevel and _is_only_linked(cited)):
        return False
    return _take(state, cited, silent)


def _take(state: StateInline, cited: FoundCitation | CrossReference, silent: bool) -> bool:
    if not silent:
        state.push("cited", "", 0).meta["cited"] = cited
    state.pos = cited.end
    return True


def _is_only_linked(cited: FoundCitation | CrossReference) -> bool:
    """Whether a key in the text of a link, which no bibliography defines, is the name of somebody who is
    linked: ``[@name](https://…)``."""
    return isinstance(cited, FoundCitation) and cited.open and bool(cited.keys)


_LATEX = re.compile(
    r"\\(?P<command>(?=[A-Za-z]*cite)[A-Za-z]+)\*?(?:\[[^\[\]\n]*\]){0,2}\{(?P<keys>[^{}\n]*)\}"
)
_ROLE = re.compile(r"\{(?P<command>(?:foot)?cite(?::[a-z]+)?)\}`(?P<keys>[^`\n]+)`")
_ROLE_NOTE = re.compile(r"\{[^{}]*\}")
_ROLE_IN_TEXT = re.compile(r"cite:(?:c?ts?|author|alp)")


def _other_command(state: StateInline, silent: bool) -> bool:
    """LaTeX's ``\\citep[p. 3]{a,b}``, which R Markdown passes on, and MyST's roles: ``{cite:p}`a,b` ``."""
    assert isinstance(state, State)
    first = state.src[state.pos]
    form = {"\\": _LATEX, "{": _ROLE}.get(first)
    match = form and form.match(state.src, state.pos, state.posMax)
    if not match or (first == "\\" and not is_citation(match["command"])):
        return False
    written, slot = match["keys"], match.span("keys")
    in_text = is_in_text(match["command"]) if first == "\\" else bool(_ROLE_IN_TEXT.match(match["command"]))
    cited = state.citations.named(
        match.span(),
        _ROLE_NOTE.sub("", written),
        match["command"],
        slot if "{" not in written else None,
        in_text,
    )
    return _take(state, cited, silent)


def _lone_bracket(state: StateInline, silent: bool) -> bool:
    """An unmatched bracket is text. The parser would search for its end up to the end of the block."""
    assert isinstance(state, State)
    if state.src[state.pos] != "[" or state.pos < state.last_closing:
        return False
    if not silent:
        state.append_pending("[")
    state.pos += 1
    return True


def _is_link(state: StateInline) -> bool:
    position = state.pos
    is_link = link(state, True)
    state.pos = position
    return is_link


def _in_address(text: str, position: int) -> bool:
    """Whether an ``@`` is part of a URL: https://example.org/@name."""
    word = re.search(r"\S*$", text[max(0, position - 200) : position])
    return word is not None and "://" in word[0]


def _math(state: StateInline, silent: bool) -> bool:
    """``$x$`` by Pandoc's rules (no space inside, no digit after), and ``$$x$$``."""
    assert isinstance(state, State)
    text, position = state.src, state.pos
    if text[position] != "$":
        return False
    if text.startswith("$$", position):
        end = text.find("$$", position + 2, state.posMax) + 2
        if end < position + 5:
            return False
    else:
        if text[position + 1 : position + 2].strip() == "":
            return False
        number = bisect.bisect_right(state.dollars, position + 2)
        if number == len(state.dollars) or state.dollars[number] > state.posMax:
            return False
        end = state.dollars[number]
    if not silent:
        state.push("math", "", 0).meta["end"] = end
    state.pos = end
    return True


def _note(state: StateInline, silent: bool) -> bool:
    """An inline footnote: ``^[text]``."""
    assert isinstance(state, State)
    if not state.src.startswith("^[", state.pos):
        return False
    end = state.citations.closing(state.pos + 1)
    if end is None or end > state.posMax:
        return False
    if not silent:
        token = state.push("note", "", 0)
        token.content = state.src[state.pos + 2 : end - 1]
        token.meta[AT] = state.pos + 2
    state.pos = end
    return True


def _attributes(state: StateInline, silent: bool) -> bool:
    """``{#id .class}`` after a bracket or code."""
    position = state.pos
    if state.src[position] != "{" or position == 0 or state.src[position - 1] not in ")]`":
        return False
    attributes = _ATTRIBUTES.match(state.src, position)
    return attributes is not None and _skip(state, attributes.end(), silent)


def _skip(state: StateInline, end: int, silent: bool) -> bool:
    """Skips what is not text. A token marks the gap, so that the text around it is not joined."""
    if not silent:
        state.push("skipped", "", 0)
    state.pos = end
    return True


INLINE_RULES: tuple[tuple[str, Callable[[StateInline, bool], bool]], ...] = (
    ("lone", _lone_bracket),
    ("cited", _cited),
    ("math", _math),
    ("note", _note),
    ("attributes", _attributes),
)
"""In the order in which they are tried."""


# Blocks: divs, footnotes, display formulas, LaTeX environments ------------------------------------------

_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,200})\]:[ \t]*")
_DIV = re.compile(r"[ ]{0,3}:{3,}[^\n]*")
_RAW_LATEX = re.compile(r"[ ]{0,3}\\begin\{([A-Za-z]+\*?)\}")
_LONGEST_BLOCK = 500
"""Number of lines in which the end of a display formula or LaTeX environment is looked for."""


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def div(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A line of colons opens or closes a div; its content is ordinary text."""
    if state.is_code_block(start) or not _DIV.fullmatch(_line(state, start)):
        return False
    state.line = start if silent else start + 1
    return True


def comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``<!-- comment --> text``: the text after a comment is read, as in Pandoc."""
    if state.is_code_block(start):
        return False
    line, position = start, state.bMarks[start] + state.tShift[start]
    while state.src.startswith("<!--", position):
        closing = state.src.find("-->", position + 4, state.eMarks[min(start + _LONGEST_BLOCK, end - 1)])
        if closing < 0:
            return False
        while state.eMarks[line] < closing:
            line += 1
        position = state.skipSpaces(closing + 3)
    if position == state.bMarks[start] + state.tShift[start] or position >= state.eMarks[line]:
        return False
    if silent:
        return True
    before = state.bMarks[line], state.tShift[line], state.sCount[line]
    state.bMarks[line], state.tShift[line], state.sCount[line] = position, 0, state.blkIndent
    for rule in state.md.block.ruler.getRules(""):
        if rule(state, line, end, False):
            break
    state.bMarks[line], state.tShift[line], state.sCount[line] = before
    return True


def formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Skips display formulas and LaTeX environments that are blocks of their own."""
    if state.is_code_block(start):
        return False
    first = _line(state, start)
    environment = _RAW_LATEX.match(first)
    if environment:
        closing, rest = f"\\end{{{environment[1]}}}", first
    elif first.startswith("$$"):
        closing, rest = "$$", first[2:]
    else:
        return False
    for line in range(start, min(end, start + _LONGEST_BLOCK)):
        if closing in rest:
            if not _ends_block(rest, closing):
                return False  # the paragraph continues after it
            state.line = state.line if silent else line + 1
            return True
        rest = _line(state, line + 1) if line + 1 < end else ""
    return False


def _ends_block(line: str, closing: str) -> bool:
    behind = line.rpartition(closing)[2].strip()
    return not behind or (behind.startswith("{#") and behind.endswith("}"))


def footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``[^1]: text``, continued by indented blocks like a list item."""
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    mark = _FOOTNOTE.match(state.src, begin, state.eMarks[start])
    if mark is None:
        return False
    if silent:
        return True
    before = (
        state.bMarks[start],
        state.tShift[start],
        state.sCount[start],
        state.blkIndent,
        state.parentType,
    )
    state.bMarks[start], state.tShift[start] = mark.end(), 0
    state.blkIndent += 4
    state.sCount[start] = state.blkIndent
    state.parentType = "footnote"
    state.push("footnote_open", "", 1)
    if mark.end() < state.eMarks[start]:
        state.md.block.tokenize(state, start, end)
    else:
        state.line = start + 1
        state.md.block.tokenize(state, start + 1, end)
    state.push("footnote_close", "", -1)
    state.line = max(state.line, start + 1)
    (state.bMarks[start], state.tShift[start], state.sCount[start], state.blkIndent, state.parentType) = (
        before
    )
    return True


# The parser ---------------------------------------------------------------------------------------------

_INLINE_NESTING = 20
"""Maximum nesting of brackets; the parser's time grows with it."""
_BLOCK_NESTING = 100


def contents(source: Source, first: int, last: int, environment: dict[str, Any]) -> Iterator[Content]:
    """The blocks of text in lines ``[first, last)`` of a file, and, as `COMMENT`, what is a comment directly
    below one. `environment` collects link definitions."""
    parser = _parser()
    parser.options["maxNesting"] = _BLOCK_NESTING
    text = "\n".join([""] * first + source.lines[first:last]).replace("\0", "\ufffd")
    tokens: list[Token] = []
    parser.block.parse(text, parser, environment, tokens)
    container, column, behind = "", 0, -1
    for token in tokens:
        if token.type in {"heading_open", "th_open", "td_open", "paragraph_open", "tr_open"}:
            container = token.tag
            column = 0 if token.type == "tr_open" else column
        elif token.type == "inline" and token.map:
            start, end = token.map
            if container in {"th", "td"}:
                written, column = find_cell(source.lines[start], token.content, column)
                yield Content(written, [source.starts[start] + column], "td")
                column += len(written)
            else:
                yield Content(token.content, find_lines(source, token.content, start, end), container)
            behind = end
        elif token.type == "html_block" and token.map and token.map[0] == behind:
            written = token.content.strip()
            yield Content(written, find_lines(source, written, *token.map), COMMENT)


def inline_tokens(
    text: str, defined: Collection[str], environment: dict[str, Any]
) -> Iterator[tuple[Token, int]]:
    """The inline tokens of a block's content, each with its offset there.

    Besides the parser's own types: ``cited`` (``meta["cited"]`` is a FoundCitation or a CrossReference),
    ``math`` (it ends at ``meta["end"]``) and ``note`` (a footnote or caption with the text `Token.content`).
    """
    parser = _parser()
    parser.options["maxNesting"] = _INLINE_NESTING
    state = State(text, parser, {**environment, "defined": defined}, [])
    parser.inline.tokenize(state)
    for rule in parser.inline.ruler2.getRules(""):
        rule(state)
    for token in state.tokens:
        if token.type == "image":
            token.type = "note"
            token.meta[AT] += len("![")
        yield token, token.meta[AT]


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        """Parses nothing: captions of images are parsed later, with their positions."""
        return tokens


@functools.lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    others = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("table", "div", div, {"alt": others})
    parser.block.ruler.before("table", "comment", comment, {"alt": others})
    parser.block.ruler.before("table", "formula", formula)
    parser.block.ruler.before("reference", "footnote", footnote, {"alt": others})
    parser.inline = _Inline()
    parser.inline.ruler.disable(["linkify", "strikethrough"])
    parser.inline.ruler2.enableOnly(["balance_pairs", "emphasis"])  # joining tokens would lose positions
    parser.inline.ruler.before("escape", "command", _other_command)
    for name, rule in INLINE_RULES:
        parser.inline.ruler.before("emphasis", name, rule)
    return parser
