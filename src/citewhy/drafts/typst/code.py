"""The extent of Typst's code: calls, blocks, strings, comments."""

from __future__ import annotations

import re

_CALL = re.compile(r"#[\w.-]*(?=\()")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_MATH = re.compile(r"\$(?:[^$\\]|\\.)*\$", re.DOTALL)
_WORD = re.compile(r"[\w.]+\([^()]*\)|[^,)\s]+")
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
    string = _STRING.match(text, at)
    return len(text) if string is None else string.end()


def math_end(text: str, at: int) -> int:
    """The end of the formula whose dollar sign is at `at`."""
    formula = _MATH.match(text, at)
    return at + 1 if formula is None else formula.end()


class Extents:
    """The extent of brackets and of what contains them. Each bracket of the text is visited once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: dict[int, int] = {}
        """The ends of brackets by their starts."""

    def group_end(self, at: int) -> int:
        """The end of the bracket that opens at `at`: after its closing bracket, or the end of the text."""
        if at not in self._ends:
            self._find_ends(at)
        return self._ends[at]

    def _find_ends(self, at: int) -> None:
        """The ends of the bracket at `at` and of all those in it: what is in a bracket is read in the same
        way whatever surrounds it."""
        text = self._text
        opened: list[int] = []
        i = at
        while i < len(text):
            character = text[i]
            in_markup = bool(opened) and text[opened[-1]] == "["
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
                    opened.append(i)
                    i += 1
                elif text[i : i + 1] == '"':
                    i = string_end(text, i)
            elif character == '"' and not in_markup:
                i = string_end(text, i)
            elif character == "[" or (character in "({" and not in_markup):
                opened.append(i)
                i += 1
            elif opened and character == _CLOSING[text[opened[-1]]]:
                i += 1
                self._ends[opened.pop()] = i
                if not opened:
                    return
            else:
                i += 1
        self._ends.update(dict.fromkeys([at, *opened], len(text)))

    def statement_end(self, at: int) -> int:
        """The end of a statement such as ``#set …``: of its line, where all brackets are closed."""
        text, i = self._text, at
        while i < len(text) and text[i] not in "\n;]":
            if (end := comment_end(text, i)) is not None:
                i = end
            elif text[i] in "([{":
                i = self.group_end(i)
            elif text[i] == '"':
                i = string_end(text, i)
            elif text[i] == "$":
                i = math_end(text, i)
            elif text[i] == "`":
                i = raw_end(text, i)
            else:
                i += 1
        return i + 1 if text[i : i + 1] == ";" else i

    def named_argument(self, name: str, start: int, end: int) -> tuple[int, int] | None:
        """The span of the value of a named argument between `start` and `end`: a string, a group, or a
        word."""
        text = self._text
        for argument in re.compile(rf"(?<![\w-]){name}\s*:\s*").finditer(text, start, end):
            at = argument.end()
            if text[at : at + 1] == '"':
                return at, string_end(text, at)
            if text[at : at + 1] in {"(", "[", "{"}:
                return at, self.group_end(at)
            word = _WORD.match(text, at)
            if word is not None:
                return word.span()
        return None
