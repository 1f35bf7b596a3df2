"""Pandoc's citations, ``[see @a, pp. 3-4; @b]``, ``@a [p. 3]``, ``[-@a]``, and placeholders for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from citewhy.drafts.flow import FoundCitation
from citewhy.drafts.placeholders import OPEN_BRACKET, is_placeholder

_KEY = r"\w(?:\w|[:.#$%&+?<>~/-](?=\w))*"
_AT = re.compile(rf"(?<![\w\\])@(?:\{{(?P<braced>[^{{}}\s][^{{}}\n]*)\}}|(?P<key>{_KEY})|(?P<nothing>\?*))")
_CROSS_REFERENCE = re.compile(
    r"(?:[Ff]ig|[Tt]bl|[Tt]ab|[Ee]q|[Ss]ec|[Ll]st|[Tt]hm|[Ll]em|[Cc]or|[Pp]rp|[Cc]nj|[Dd]ef|[Ee]xm|[Ee]xr|[Ss]ol|[Rr]em"
    r"|[Aa]lgo?)[:-]."
)
"""Ids of pandoc-crossref (``@fig:one``, ``@Eq:two``), Quarto and bookdown."""
_CROSS_WORDS = {"fig": "Figure", "tbl": "Table", "tab": "Table", "eq": "Equation", "sec": "Section"}
_LOCATOR_BEHIND = re.compile(r"[ \t]*+(?:\n[ \t]*+)?\[(?!\^)")
_NOT_BRACKETS = re.compile(r"\\.|`[^`\n]*`|[\[\]]", re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`|\\.")
_LONGEST_BRACKET = 2000


@dataclass(frozen=True, slots=True)
class CrossReference:
    """A cross-reference that looks like a citation: ``@fig:one``. `text` is what replaces it ("Figure")."""

    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Item:
    """One ``@key`` in a bracket: offsets of its part between semicolons, offsets of ``@key``, and the key."""

    start: int
    end: int
    at: int
    key_end: int
    key: str
    open: bool

    @property
    def plain(self) -> bool:
        return (self.start, self.end) == (self.at, self.key_end)

    @property
    def placeholder(self) -> bool:
        return self.open and is_placeholder(self.key)


class Citations:
    """Finds the citations in the text of one block. `defined` are the keys that a bibliography defines;
    `unread`: others may be defined, too."""

    def __init__(self, text: str, defined: Collection[str], *, unread: bool = False) -> None:
        self._unread = unread
        self._text = text
        self._defined = defined
        self._closing = _closing_brackets(text)

    def bracket(self, position: int) -> FoundCitation | CrossReference | None:
        """The citation in the bracket that opens at `position`; None if there is none."""
        text = self._text
        if found := OPEN_BRACKET.match(text, position):
            return FoundCitation(
                *found.span(), (), open=True, command="@", slot=(position + 1, found.end() - 1), note=found[0]
            )
        end = self._closing.get(position)
        if end is None or end - position > _LONGEST_BRACKET or "@" not in text[position:end]:
            return None
        items = self._items(position + 1, end - 1)
        if not items:
            return None
        if all(self._is_cross_reference(item.key) for item in items):
            return CrossReference(end, ", ".join(_cross_word(item.key) for item in items))
        opened = any(item.open for item in items)
        return FoundCitation(
            position, end, self._keys(items), opened, "@", self._slot(items), note=_note(items)
        )

    def in_text(self, position: int) -> FoundCitation | CrossReference | None:
        """The citation that begins at `position` with ``@`` or ``-@``; None if there is none."""
        text = self._text
        at = position + 1 if text[position] == "-" else position
        found = _AT.match(text, at)
        if found is None or (position > 0 and (text[position - 1].isalnum() or text[position - 1] in "_/\\")):
            return None
        key = found["braced"] or found["key"] or ""
        if not key and not found["nothing"]:
            return None  # a lone "@"
        if self._is_cross_reference(key):
            return CrossReference(found.end(), _cross_word(key))
        items = [_Item(at, found.end(), at, found.end(), key, self._is_open(key))]
        end = found.end()
        behind = _LOCATOR_BEHIND.match(text, end)
        if (
            behind
            and (close := self._closing.get(behind.end() - 1))
            and self._is_locator(behind.end(), close)
        ):
            items += self._items(behind.end(), close - 1)
            end = close
        opened = any(item.open for item in items)
        slot = (at, found.end())
        return FoundCitation(
            position, end, self._keys(items), opened, "@", slot, in_text=True, note=_note(items)
        )

    def listed(self, start: int, end: int) -> tuple[tuple[str, ...], bool, tuple[int, int] | None] | None:
        """Reads a list of items without its brackets, as in Org: the keys, whether one is open, and the slot.
        None if it has no item."""
        items = self._items(start, end)
        if not items:
            return None
        return self._keys(items), any(item.open for item in items), self._slot(items)

    def closing(self, position: int) -> int | None:
        """The end of the bracket that opens at `position`; None if it is not closed."""
        return self._closing.get(position)

    def _is_locator(self, start: int, close: int) -> bool:
        """Whether a bracket is a locator, ``[p. 3]`` or ``[p. 3; also @b]``, not a link or a citation."""
        inside = self._text[start : close - 1]
        if self._text[close : close + 1] in {"(", "[", "{", ":"} or close - start > _LONGEST_BRACKET:
            return False
        return "@" not in inside.partition(";")[0] and OPEN_BRACKET.match(self._text, start - 1) is None

    def _items(self, start: int, end: int) -> list[_Item]:
        hidden = _CODE.sub(lambda code: " " * len(code[0]), self._text[start:end])
        items: list[_Item] = []
        part_start = start
        for part in hidden.split(";"):
            part_end = part_start + len(part)
            found = [
                at for at in _AT.finditer(hidden, part_start - start, part_end - start) if _is_item(at, part)
            ]
            for number, at in enumerate(found):
                key = at["braced"] or at["key"] or ""
                first = _skip_space(hidden, part_start - start, at.start()) if number == 0 else at.start()
                last = part_start - start + len(part.rstrip()) if at is found[-1] else at.end()
                span = (start + first, start + last, start + at.start(), start + at.end())
                items.append(_Item(*span, key, self._is_open(key)))
            part_start = part_end + 1
        return items

    def _slot(self, items: list[_Item]) -> tuple[int, int] | None:
        """The span that an edit may replace: all of a list that has only keys. Otherwise, so that no note is
        lost, it is a placeholder with its note, an undefined key, or the last item."""
        if all(item.plain or (is_placeholder(item.key) and item.start == item.at) for item in items):
            return items[0].start, items[-1].end
        for item in items:
            if item.placeholder:
                return item.at, item.end
        if self._defined and (opened := [item for item in items if item.open]):
            return opened[0].at, opened[0].key_end
        last = items[-1]
        return (last.at, last.end) if last.open or last.plain else None

    def _keys(self, items: list[_Item]) -> tuple[str, ...]:
        return tuple(item.key for item in items if item.key in self._defined or not is_placeholder(item.key))

    def _is_open(self, key: str) -> bool:
        return key not in self._defined and (not self._unread or is_placeholder(key))

    def _is_cross_reference(self, key: str) -> bool:
        return key not in self._defined and _CROSS_REFERENCE.match(key) is not None


def _note(items: Iterable[_Item]) -> str:
    """The placeholders among the keys, which may say what is missing: ``@TODO-och-2003``."""
    return " ".join(item.key for item in items if item.placeholder and item.key)


def _is_item(at: re.Match[str], part: str) -> bool:
    """Whether an ``@`` has a key, or is alone in its part of the bracket."""
    return len(at[0]) > 1 or part.strip() == "@"


def _cross_word(key: str) -> str:
    return _CROSS_WORDS.get(re.split("[:-]", key)[0].lower(), "")


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _closing_brackets(text: str) -> dict[int, int]:
    """The end of each square bracket by its start, ignoring escaped brackets and code."""
    ends: dict[int, int] = {}
    stack: list[int] = []
    for found in _NOT_BRACKETS.finditer(text):
        if found[0] == "[":
            stack.append(found.start())
        elif found[0] == "]" and stack:
            ends[stack.pop()] = found.end()
    return ends
