"""Block rules for Pandoc's Markdown: divs, footnotes, display formulas and LaTeX environments."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

__all__ = ["div", "footnote", "formula"]

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
