"""Pandoc's citations, ``[see @a, pp. 3-4; @b]``, ``@a [p. 3]``, ``[-@a]``, and placeholders for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from citewhy.drafts.flow import FoundCitation
from citewhy.text.placeholders import is_placeholder, open_mark

_KEY = r"https?://[^\s\[\]{}<>;,]*[\w/]|\w(?:\w|[:.#$%&+?<>~/-](?=\w))*"
"""A key may be the address of a page."""
_AT = re.compile(rf"(?<![\w\\])@(?:\{{(?P<braced>[^{{}}\s][^{{}}\n]*)\}}|(?P<key>{_KEY})|(?P<nothing>\?*))")
_CROSS_REFERENCE = re.compile(
    r"(?:[Ff]ig|[Tt]bl|[Tt]ab|[Ee]q|[Ss]ec|[Ll]st|[Tt]hm|[Ll]em|[Cc]or|[Pp]rp|[Cc]nj|[Dd]ef|[Ee]xm|[Ee]xr|[Ss]ol|[Rr]em"
    r"|[Aa]lgo?|[Nn]te|[Tt]ip|[Ww]rn|[Ii]mp|[Cc]au)[:-]."
)
"""Ids of pandoc-crossref (``@fig:one``, ``@Eq:two``), Quarto (``@nte-one`` is a callout), bookdown."""
_CROSS_WORDS = {
    **{"fig": "Figure", "tbl": "Table", "tab": "Table", "eq": "Equation", "sec": "Section"},
    **{"nte": "Note", "tip": "Tip", "wrn": "Warning", "imp": "Important", "cau": "Caution"},
}
_EXAMPLE = re.compile(r"(?:\A|(?<=\n))[ ]{0,3}\(@(?P<label>[\w-]+)\)(?=[ \t\n])")
_LABELS = (
    re.compile(r"\{[^{}\n]*?#([\w:.-]+)[^{}\n]*\}"),  # {#sec-one .class}: Pandoc, Quarto
    re.compile(r"^[ \t]*\(([\w:.-]+)\)=[ \t]*$", re.MULTILINE),  # (one)=: MyST
    re.compile(r"^[ \t]*(?:#\|[ \t]*|:)(?:label|name|lst-label)[ \t]*:[ \t]*[\"']?([\w:.-]+)", re.MULTILINE),
)
_WIKILINK = re.compile(r"\[\[@(?P<key>[^\[\]|#^\s]+)(?:[ \t]*[#^][^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
"""A link of Obsidian to a note about a paper, or to a part of it: ``[[@key#Methods|there]]``."""
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
    `unread`: others may be defined, too. `labels` are those of parts of the draft (`labels_in`)."""

    def __init__(
        self, text: str, defined: Collection[str], *, unread: bool = False, labels: Collection[str] = ()
    ) -> None:
        self._unread = unread
        self._labels = labels
        self._text = text
        self._defined = defined
        self._closing = _closing_brackets(text)

    def bracket(self, position: int) -> FoundCitation | CrossReference | None:
        """The citation in the bracket that opens at `position`; None if there is none."""
        text = self._text
        if placeholder := open_mark(text, position):
            return FoundCitation(
                *placeholder.span(),
                (),
                open=True,
                command="@",
                slot=(position + 1, placeholder.end() - 1),
                note=placeholder[0],
            )
        if link := _WIKILINK.match(text, position):
            return self._wikilink(link)
        end = self._closing.get(position)
        if end is None or end - position > _LONGEST_BRACKET or "@" not in text[position:end]:
            return None
        items = self._items(position + 1, end - 1)
        if not items:
            return None
        if all(self._is_cross_reference(item.key) for item in items):
            return CrossReference(end, ", ".join(_cross_word(item.key) for item in items))
        cited = [item for item in items if not self._is_cross_reference(item.key)]
        opened, slot = any(item.open for item in cited), self._slot(cited, alone=len(cited) == len(items))
        return FoundCitation(position, end, self._keys(cited), opened, "@", slot, note=_note(cited))

    def _wikilink(self, link: re.Match[str]) -> FoundCitation:
        key, slot = link["key"], (link.start("key") - 1, link.end("key"))
        items = [_Item(*slot, *slot, key, self._is_open(key))]
        return FoundCitation(*link.span(), self._keys(items), items[0].open, "@", slot, note=_note(items))

    def in_text(self, position: int) -> FoundCitation | CrossReference | None:
        """The citation that begins at `position` with ``@`` or ``-@``; None if there is none."""
        text = self._text
        at = position + 1 if text[position] == "-" else position
        match = _AT.match(text, at)
        if match is None or (position > 0 and (text[position - 1].isalnum() or text[position - 1] in "_/\\")):
            return None
        key = match["braced"] or match["key"] or ""
        if not key and not match["nothing"]:
            return None  # a lone "@"
        if self._is_cross_reference(key):
            return CrossReference(match.end(), _cross_word(key))
        items = [_Item(at, match.end(), at, match.end(), key, self._is_open(key))]
        end = match.end()
        behind = _LOCATOR_BEHIND.match(text, end)
        if (
            behind
            and (close := self._closing.get(behind.end() - 1))
            and self._is_locator(behind.end(), close)
        ):
            items += self._items(behind.end(), close - 1)
            end = close
        opened = any(item.open for item in items)
        slot = (at, match.end())
        return FoundCitation(
            position, end, self._keys(items), opened, "@", slot, in_text=True, note=_note(items)
        )

    def named(
        self, span: tuple[int, int], written: str, command: str, slot: tuple[int, int] | None, in_text: bool
    ) -> FoundCitation:
        """The citation at `span` by a `command` of another language; `written` are its keys, with commas."""
        names = [name.strip() for name in written.split(",")]
        keys = tuple(name for name in names if name in self._defined or not is_placeholder(name))
        opened = any(map(self._is_open, names))
        note = " ".join(name for name in names if name and name not in keys)
        return FoundCitation(*span, keys, opened, command, slot, in_text, note=note)

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
        return "@" not in inside.partition(";")[0] and open_mark(self._text, start - 1) is None

    def _items(self, start: int, end: int) -> list[_Item]:
        hidden = _CODE.sub(lambda code: " " * len(code[0]), self._text[start:end])
        items: list[_Item] = []
        part_start = start
        for part in hidden.split(";"):
            part_end = part_start + len(part)
            matches = [
                at for at in _AT.finditer(hidden, part_start - start, part_end - start) if _is_item(at, part)
            ]
            for number, at in enumerate(matches):
                key = at["braced"] or at["key"] or ""
                first = _skip_space(hidden, part_start - start, at.start()) if number == 0 else at.start()
                last = part_start - start + len(part.rstrip()) if at is matches[-1] else at.end()
                span = (start + first, start + last, start + at.start(), start + at.end())
                items.append(_Item(*span, key, self._is_open(key)))
            part_start = part_end + 1
        return items

    def _slot(self, items: list[_Item], *, alone: bool = True) -> tuple[int, int] | None:
        """The span that an edit may replace: all of a list that has only keys. Otherwise, so that no note is
        lost, it is a placeholder with its note, an undefined key, or the last item. The items are `alone` if
        no cross-references stand between them."""
        if alone and all(
            item.plain or (is_placeholder(item.key) and item.start == item.at) for item in items
        ):
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
        if key in self._defined:
            return False
        return _CROSS_REFERENCE.match(key) is not None or key in self._labels


def labels_in(text: str) -> set[str]:
    """Returns what parts of a draft are called in it, so that ``@name`` refers to them: figures, sections and
    callouts with an id, MyST's targets, and Pandoc's numbered examples ``(@name)``, which begin a block."""
    labels = {name for pattern in _LABELS for name in pattern.findall(text)}
    after_example = False
    for example in _EXAMPLE.finditer(text):
        end = max(example.start() - 1, 0)
        before = text[text.rfind("\n", 0, end) + 1 : end]
        after_example = not before.strip() or (after_example and _EXAMPLE.match(before + "\n") is not None)
        if after_example:
            labels.add(example["label"])
    return labels


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
    for match in _NOT_BRACKETS.finditer(text):
        if match[0] == "[":
            stack.append(match.start())
        elif match[0] == "]" and stack:
            ends[stack.pop()] = match.end()
    return ends
