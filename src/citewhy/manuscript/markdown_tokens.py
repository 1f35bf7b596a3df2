"""Markdown as `markdown-it` reads it, with pandoc's additions, and a place in the source for all text.

The parser keeps lines of blocks but no places inside them. Its state is extended here to note where each
inline token begins; lines of a block's content are then found again in the source.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Collection, Iterator
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, link
from markdown_it.token import Token

from citewhy.manuscript.flow import Source
from citewhy.manuscript.pandoc import Citations

__all__ = ["Content", "contents", "inline_tokens"]

_INLINE_NESTING = 20
"""Brackets in brackets that are followed; the parser's time grows with it."""
_BLOCK_NESTING = 100
_AT = "at"
"""Name of a token's place in its block's content, in `Token.meta`."""

_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,200})\]:[ \t]*")
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,200}\]")
_ATTRIBUTES = re.compile(r"\{[#.=a-zA-Z-][^{}\n]{0,500}\}")
_DIV = re.compile(r"[ ]{0,3}:{3,}[^\n]*")
_RAW_LATEX = re.compile(r"[ ]{0,3}\\begin\{([A-Za-z]+\*?)\}")
_LONGEST_BLOCK = 500
"""Lines of a display formula or LaTeX environment that are looked through for its end."""


class Content:
    """A block's text, and where its characters stand in the source. `heading` is ``h1`` … for headings."""

    def __init__(self, text: str, lines: list[int], heading: str = "") -> None:
        """`lines` are the places in the source where the lines of `text` begin."""
        self.text = text
        self.heading = heading
        self._places = lines
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(self, position: int) -> int:
        """Where the character at `position` of the content stands in the source."""
        line = bisect.bisect_right(self._starts, position) - 1
        return self._places[line] + position - self._starts[line]

    def part(self, start: int, text: str) -> Content:
        """A part of the content, `text`, that begins at `start`."""
        starts = [0, *(found.end() for found in re.finditer("\n", text))]
        return Content(text, [self.place(start + line) for line in starts])

    def end(self, position: int) -> int:
        """As `place`, for the end of something."""
        return self.place(position - 1) + 1 if position > 0 else self.place(position)


def _find_lines(source: Source, text: str, first: int, last: int) -> list[int]:
    """Where the lines of a block's text begin, which is in source lines ``[first, last)``."""
    places: list[int] = []
    line = first
    for part in text.split("\n"):
        columns = ((number, _column(source.lines[number], part)) for number in range(line, last))
        number, column = next(((n, c) for n, c in columns if c is not None), (min(line, last - 1), 0))
        places.append(source.starts[number] + column)
        line = number + 1
    return places


def _column(line: str, part: str) -> int | None:
    """Where `part`, a line of a block, begins in its source line: the source may have marks before it."""
    line = line.replace("\0", "\ufffd")
    bare = part.rstrip()
    if line.rstrip().endswith(bare):
        return len(line.rstrip()) - len(bare)
    bare = part.strip()  # tabs before it were made spaces
    found = line.rfind(bare)
    return found - (len(part) - len(part.lstrip())) if found >= 0 else None


def _find_cell(line: str, cell: str, column: int) -> tuple[str, int]:
    """A table's cell as it is written (the parser takes the backslash from ``\\|``), and its column."""
    written = cell.replace("|", "\\|")
    found = line.replace("\0", "\ufffd").find(written, column)
    return (written, found) if found >= 0 else ("", column)


def contents(source: Source, skipped_lines: int, environment: dict[str, Any]) -> Iterator[Content]:
    """The blocks of text of a file, its first lines left out. `environment` takes the link definitions."""
    parser = _parser()
    parser.options["maxNesting"] = _BLOCK_NESTING
    text = "\n".join([""] * skipped_lines + source.lines[skipped_lines:]).replace("\0", "\ufffd")
    tokens: list[Token] = []
    parser.block.parse(text, parser, environment, tokens)
    container, column = "", 0
    for token in tokens:
        if token.type in {"heading_open", "th_open", "td_open", "paragraph_open", "tr_open"}:
            container = token.tag
            column = 0 if token.type == "tr_open" else column
        elif token.type == "inline" and token.map:
            first, last = token.map
            if container in {"th", "td"}:
                written, column = _find_cell(source.lines[first], token.content, column)
                yield Content(written, [source.starts[first] + column])
                column += len(written)
            else:
                yield Content(token.content, _find_lines(source, token.content, first, last), container)


def inline_tokens(
    text: str, defined: Collection[str], environment: dict[str, Any]
) -> Iterator[tuple[Token, int]]:
    """The inline tokens of a block's content, each with its place there.

    Besides the parser's own: ``cited`` (``meta["found"]`` is a CitedAt or CrossReference), ``math`` (its end
    is ``meta["end"]``) and ``note``, a footnote or an image's caption: `Token.content` from its place on.
    """
    parser = _parser()
    parser.options["maxNesting"] = _INLINE_NESTING
    state = _State(text, parser, {**environment, "defined": defined}, [])
    parser.inline.tokenize(state)
    for rule in parser.inline.ruler2.getRules(""):
        rule(state)
    for token in state.tokens:
        if token.type == "image":
            token.type = "note"
            token.meta[_AT] += len("![")
        yield token, token.meta[_AT]


class _State(StateInline):
    """The parser's state, noting where tokens begin."""

    def __init__(self, src: str, md: MarkdownIt, env: Any, out: list[Token]) -> None:
        super().__init__(src, md, env, out)
        self.citations = Citations(src, env["defined"])
        self.dollars: list[int] = [found.end() for found in _CLOSING_DOLLAR.finditer(src)]
        self.last_closing = src.rfind("]")
        self._pending_at = 0
        self._delimiters_at = (-1, 0)

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_at = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802 (the parser's name)
        token = super().pushPending()
        token.meta = {_AT: self._pending_at}
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        at = self.pos
        if ttype == "text":  # "***" becomes three tokens before the parser moves on
            at, count = self._delimiters_at
            count = count + 1 if at == self.pos else 0
            self._delimiters_at = (self.pos, count)
            at = self.pos + count
        token.meta = {_AT: at}
        return token


_CLOSING_DOLLAR = re.compile(r"(?<=[^\s\\])\$(?!\d)")


def _cited(state: StateInline, silent: bool) -> bool:
    """``@key``, ``-@key``, ``[@key; …]``, and brackets that ask for a citation."""
    assert isinstance(state, _State)
    place, first = state.pos, state.src[state.pos]
    if first == "[" and (mark := _FOOTNOTE_MARK.match(state.src, place)):
        return _skip(state, mark.end(), silent)
    if first == "[":
        found = state.citations.bracket(place)
        if found and state.src[found.end : found.end + 1] in {"(", "["} and _is_link(state):
            return False
    elif first == "@" or (first == "-" and state.src[place + 1 : place + 2] == "@"):
        if _in_address(state.src, place):
            return False
        found = state.citations.in_text(place)
    else:
        return False
    if found is None or found.end > state.posMax:
        return False
    if not silent:
        state.push("cited", "", 0).meta["found"] = found
    state.pos = found.end
    return True


def _lone_bracket(state: StateInline, silent: bool) -> bool:
    """A bracket that nothing closes is text. The parser would look for its end to the end of the block."""
    assert isinstance(state, _State)
    if state.src[state.pos] != "[" or state.pos < state.last_closing:
        return False
    if not silent:
        state.append_pending("[")
    state.pos += 1
    return True


def _is_link(state: StateInline) -> bool:
    place = state.pos
    found = link(state, True)
    state.pos = place
    return found


def _in_address(text: str, place: int) -> bool:
    """Whether an ``@`` stands in a web address: https://example.org/@name."""
    word = re.search(r"\S*$", text[max(0, place - 200) : place])
    return word is not None and "://" in word[0]


def _math(state: StateInline, silent: bool) -> bool:
    """``$x$`` as pandoc has it (no space inside, no digit after), and ``$$x$$``."""
    assert isinstance(state, _State)
    text, place = state.src, state.pos
    if text[place] != "$":
        return False
    if text.startswith("$$", place):
        end = text.find("$$", place + 2, state.posMax) + 2
        if end < place + 5:
            return False
    else:
        if text[place + 1 : place + 2].strip() == "":
            return False
        number = bisect.bisect_right(state.dollars, place + 2)
        if number == len(state.dollars) or state.dollars[number] > state.posMax:
            return False
        end = state.dollars[number]
    if not silent:
        state.push("math", "", 0).meta["end"] = end
    state.pos = end
    return True


def _note(state: StateInline, silent: bool) -> bool:
    """A footnote in place: ``^[text]``."""
    assert isinstance(state, _State)
    if not state.src.startswith("^[", state.pos):
        return False
    end = state.citations.closing(state.pos + 1)
    if end is None or end > state.posMax:
        return False
    if not silent:
        token = state.push("note", "", 0)
        token.content = state.src[state.pos + 2 : end - 1]
        token.meta[_AT] = state.pos + 2
    state.pos = end
    return True


def _attributes(state: StateInline, silent: bool) -> bool:
    """``{#id .class}`` behind a bracket or code."""
    place = state.pos
    if state.src[place] != "{" or place == 0 or state.src[place - 1] not in ")]`":
        return False
    found = _ATTRIBUTES.match(state.src, place)
    return found is not None and _skip(state, found.end(), silent)


def _skip(state: StateInline, end: int, silent: bool) -> bool:
    """Leaves out what is no text. A token marks the gap: text before and after it is not in one piece."""
    if not silent:
        state.push("skipped", "", 0)
    state.pos = end
    return True


# Blocks ---------------------------------------------------------------------------------------------------


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _div(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A line of colons opens or closes a div; what is inside is text like any other."""
    if state.is_code_block(start) or not _DIV.fullmatch(_line(state, start)):
        return False
    state.line = start if silent else start + 1
    return True


def _unread(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Display formulas and LaTeX environments that stand by themselves: they may hold anything."""
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
                return False  # text goes on in the same paragraph
            state.line = state.line if silent else line + 1
            return True
        rest = _line(state, line + 1) if line + 1 < end else ""
    return False


def _ends_block(line: str, closing: str) -> bool:
    behind = line.rpartition(closing)[2].strip()
    return not behind or (behind.startswith("{#") and behind.endswith("}"))


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``[^1]: text``, going on with indented blocks as a list's item does."""
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    found = _FOOTNOTE.match(state.src, begin, state.eMarks[start])
    if found is None:
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
    state.bMarks[start], state.tShift[start] = found.end(), 0
    state.blkIndent += 4
    state.sCount[start] = state.blkIndent
    state.parentType = "footnote"
    state.push("footnote_open", "", 1)
    if found.end() < state.eMarks[start]:
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


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        """Nothing: an image's caption is read where it is needed, with its place."""
        return tokens


@functools.lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    others = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("table", "div", _div, {"alt": others})
    parser.block.ruler.before("table", "unread", _unread)
    parser.block.ruler.before("reference", "footnote", _footnote, {"alt": others})
    parser.inline = _Inline()
    parser.inline.ruler.disable(["linkify", "strikethrough"])
    parser.inline.ruler2.enableOnly(["balance_pairs", "emphasis"])  # joining would lose places
    for name, rule in (
        ("lone", _lone_bracket),
        ("cited", _cited),
        ("math", _math),
        ("note", _note),
        ("attributes", _attributes),
    ):
        parser.inline.ruler.before("emphasis", name, rule)
    return parser
