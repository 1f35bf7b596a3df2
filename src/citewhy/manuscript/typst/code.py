"""The extent of Typst's code: calls, blocks, strings, comments."""

from __future__ import annotations

import re

__all__ = ["comment_end", "group_end", "math_end", "named_argument", "raw_end", "statement_end", "string_end"]

_CALL = re.compile(r"#[\w.-]*(?=\()")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def comment_end(text: str, at: int) -> int | None:
    """The end of the comment that begins at `at`; None if none does (``//`` in an address begins none)."""
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return len(text) if end < 0 else end + 2
    if text.startswith("//", at) and text[at - 1 : at] != ":":
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    return None


def raw_end(text: str, at: int) -> int:
    """The end of the raw text whose backticks begin at `at`."""
    count = len(text[at : at + 200]) - len(text[at : at + 200].lstrip("`"))
    if count == 2:
        return at + 2
    end = text.find("`" * count, at + count)
    return len(text) if end < 0 else end + count


def string_end(text: str, at: int) -> int:
    """The end of the string whose quotation mark is at `at`."""
    found = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL).match(text, at)
    return len(text) if found is None else found.end()


def math_end(text: str, at: int) -> int:
    """The end of the formula whose dollar sign is at `at`."""
    found = re.compile(r"\$(?:[^$\\]|\\.)*\$", re.DOTALL).match(text, at)
    return at + 1 if found is None else found.end()


def group_end(text: str, at: int) -> int:
    """The end of the bracket that opens at `at`: after its closing bracket, or the end of the text."""
    open_brackets: list[str] = []
    i = at
    while i < len(text):
        character = text[i]
        in_markup = bool(open_brackets) and open_brackets[-1] == "["
        if (end := comment_end(text, i)) is not None:
            i = end
        elif character == "`":
            i = raw_end(text, i)
        elif character == "$":
            i = math_end(text, i)
        elif character == "\\" and in_markup:
            i += 2
        elif character == "#" and in_markup:
            call = _CALL.match(text, i)
            i = call.end() if call else i + 1
            if call or text[i : i + 1] in ("{", "("):
                open_brackets.append(text[i])
                i += 1
            elif text[i : i + 1] == '"':
                i = string_end(text, i)
        elif character == '"' and not in_markup:
            i = string_end(text, i)
        elif character == "[" or (character in "({" and not in_markup):
            open_brackets.append(character)
            i += 1
        elif open_brackets and character == _CLOSING[open_brackets[-1]]:
            open_brackets.pop()
            i += 1
            if not open_brackets:
                return i
        else:
            i += 1
    return len(text)


def statement_end(text: str, at: int) -> int:
    """The end of a statement such as ``#set …``: of its line, where all brackets are closed."""
    i = at
    while i < len(text) and text[i] not in "\n;]":
        if (end := comment_end(text, i)) is not None:
            i = end
        elif text[i] in "([{":
            i = group_end(text, i)
        elif text[i] == '"':
            i = string_end(text, i)
        elif text[i] == "$":
            i = math_end(text, i)
        elif text[i] == "`":
            i = raw_end(text, i)
        else:
            i += 1
    return i + 1 if text[i : i + 1] == ";" else i


def named_argument(text: str, name: str, start: int, end: int) -> tuple[int, int] | None:
    """The span of the value of a named argument between `start` and `end`: a string, a group, or a word."""
    for found in re.compile(rf"(?<![\w-]){name}\s*:\s*").finditer(text, start, end):
        at = found.end()
        if text[at : at + 1] == '"':
            return at, string_end(text, at)
        if text[at : at + 1] in {"(", "[", "{"}:
            return at, group_end(text, at)
        word = re.compile(r"[\w.]+\([^()]*\)|[^,)\s]+").match(text, at)
        if word is not None:
            return word.span()
    return None
