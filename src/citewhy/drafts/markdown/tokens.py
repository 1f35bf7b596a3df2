"""Parsing Markdown with `markdown-it` and Pandoc's extensions, with positions in the source.

The parser records the lines of a block but no positions in them. Its state is extended to record where each
inline token begins (`inline`); the lines of a block are then located in the source (`content`).
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.token import Token

from citewhy.drafts.flow import Source
from citewhy.drafts.markdown.blocks import div, footnote, formula
from citewhy.drafts.markdown.content import Content, find_cell, find_lines
from citewhy.drafts.markdown.inline import AT, INLINE_RULES, State

__all__ = ["contents", "inline_tokens"]

_INLINE_NESTING = 20
"""Maximum nesting of brackets; the parser's time grows with it."""
_BLOCK_NESTING = 100


def contents(source: Source, first: int, last: int, environment: dict[str, Any]) -> Iterator[Content]:
    """The blocks of text in lines ``[first, last)`` of a file. `environment` collects link definitions."""
    parser = _parser()
    parser.options["maxNesting"] = _BLOCK_NESTING
    text = "\n".join([""] * first + source.lines[first:last]).replace("\0", "\ufffd")
    tokens: list[Token] = []
    parser.block.parse(text, parser, environment, tokens)
    container, column = "", 0
    for token in tokens:
        if token.type in {"heading_open", "th_open", "td_open", "paragraph_open", "tr_open"}:
            container = token.tag
            column = 0 if token.type == "tr_open" else column
        elif token.type == "inline" and token.map:
            start, end = token.map
            if container in {"th", "td"}:
                written, column = find_cell(source.lines[start], token.content, column)
                yield Content(written, [source.starts[start] + column])
                column += len(written)
            else:
                yield Content(token.content, find_lines(source, token.content, start, end), container)


def inline_tokens(
    text: str, defined: Collection[str], environment: dict[str, Any]
) -> Iterator[tuple[Token, int]]:
    """The inline tokens of a block's content, each with its offset there.

    Besides the parser's own types: ``cited`` (``meta["found"]`` is a FoundCitation or a CrossReference),
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
    parser.block.ruler.before("table", "formula", formula)
    parser.block.ruler.before("reference", "footnote", footnote, {"alt": others})
    parser.inline = _Inline()
    parser.inline.ruler.disable(["linkify", "strikethrough"])
    parser.inline.ruler2.enableOnly(["balance_pairs", "emphasis"])  # joining tokens would lose positions
    for name, rule in INLINE_RULES:
        parser.inline.ruler.before("emphasis", name, rule)
    return parser
