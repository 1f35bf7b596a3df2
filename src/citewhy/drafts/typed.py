r"""A citation key that is being typed: ``\citep{fou|``, ``[@fou|``, ``#cite(<fou|``, ``[cite:@fou|``.

The readers of drafts read what is finished. While one writes, brackets are still open; so the place of the
key is found here by what is before the position, within its paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from citewhy.drafts.latex.commands import cites_in_language, cites_volume, is_citation, is_multicite
from citewhy.drafts.markdown.format import braced

_FARTHEST = 2000
"""Characters before the position in which a citation begins, at most."""

_GROUP = r"\[[^\][]*\]|\([^()]*\)|<[^<>]*>|\{[^{}]*\}"


@dataclass(frozen=True, slots=True)
class TypedKey:
    """A key that is being typed, in characters of its file."""

    start: int
    """Where the key begins."""
    end: int
    """Where it ends, at the position or after it."""
    letters: str
    """What of it is before the position; may be empty."""
    beside: tuple[str, ...]
    """The other keys of the same citation."""
    citation: tuple[int, int]
    """Begin and end of the whole citation, as far as it is written."""
    bare: bool = False
    """Whether nothing but an ``@`` says that it is a citation."""


def typed_key(format_name: str, text: str, offset: int) -> TypedKey | None:
    """The key that is typed at an offset of a file in a format of drafts; None if it is in no citation. In
    plain text, and in formats of other packages, citations of LaTeX and Markdown are seen."""
    for find in _FINDERS.get(format_name, (_latex, _markdown)):
        if (typed := find(text, offset)) is not None:
            return typed
    return None


def _before(text: str, offset: int) -> int:
    """Where the paragraph that the offset is in begins, or the part of it that is looked at."""
    start = max(0, offset - _FARTHEST)
    blank = text.rfind("\n\n", start, offset)
    return start if blank < 0 else blank + 2


# LaTeX ----------------------------------------------------------------------------------------------------

_COMMAND = re.compile(
    rf"\\(?P<name>[A-Za-z@]+)\*?(?P<groups>(?:\s*(?:{_GROUP}))*)\s*\{{(?P<keys>[^{{}}\\]*)\Z"
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\Z")


def _latex(text: str, offset: int) -> TypedKey | None:
    begin = _before(text, offset)
    head = text[begin:offset]
    opened = head.rfind("{")
    if opened < 0 or _COMMENT.search(head):
        return None
    found = (_COMMAND.match(head, start) for start in _commands(head[:opened]))
    command = next((match for match in found if match), None)
    if command is None or not _takes_keys(command["name"], command["groups"].count("{")):
        return None
    return _listed(text, offset, begin + command.start(), begin + command.start("keys"), ",}\n%", "}")


def _commands(head: str) -> list[int]:
    """Where the last commands before a position begin, the nearest first; one may be in the other's notes."""
    return [match.start() for match in re.finditer(r"\\[A-Za-z@]", head)][::-1][:3]


def _takes_keys(name: str, groups: int) -> bool:
    """Whether the next group in braces after so many others holds keys."""
    if name in ("nocite", "nocites"):
        return True
    if not is_citation(name):
        return False
    if is_multicite(name):
        return not cites_volume(name) or groups % 2 == 1
    return groups == int(cites_volume(name) or cites_in_language(name))


# Markdown -------------------------------------------------------------------------------------------------

_KEY_MARK = re.compile(r"(?<![\w\\@./])-?@\{?(?P<key>(?:\w[\w:.#$%&+?~/-]*)?)\Z")
_MYST = re.compile(r"\{cite(?::\w+)?\}`(?P<keys>[^`]*)\Z")
_CROSS_REFERENCE = re.compile(r"(?:fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|tip|nte|wrn)[-:]")
"""Quarto's and pandoc-crossref's references to figures etc. look like citations."""


def _markdown(text: str, offset: int) -> TypedKey | None:
    begin = _before(text, offset)
    head = text[begin:offset]
    if command := _MYST.search(head):
        return _listed(text, offset, begin + command.start(), begin + command.start("keys"), ",`\n", "`")
    return _at_sign(text, offset, begin, re.compile(r"[\w:.#$%&+?~/-]*"))


def _at_sign(text: str, offset: int, begin: int, rest: re.Pattern[str]) -> TypedKey | None:
    """A key after ``@``, alone or in brackets."""
    head = text[begin:offset]
    mark = _KEY_MARK.search(head)
    if mark is None or _CROSS_REFERENCE.match(mark["key"]):
        return None
    start = begin + mark.start("key")
    tail = rest.match(text, offset)
    end = offset if tail is None else tail.end()
    opened = head.rfind("[")
    inside = opened >= 0 and "]" not in head[opened:] and not head[opened:].startswith("[^")
    if not inside:
        return TypedKey(start, end, text[start:offset], (), (begin + mark.start(), end), bare=True)
    closed = re.compile(r"[^\[\]\n]*(?:\n(?!\n)[^\[\]\n]*)*\]").match(text, end)
    last = end if closed is None else closed.end()
    first = begin + opened
    others = re.findall(
        r"@\{?(\w[\w:.#$%&+?~/-]*\w|\w)", text[first : begin + mark.start()] + " " + text[end:last]
    )
    return TypedKey(start, end, text[start:offset], tuple(dict.fromkeys(others)), (first, last))


# Typst and Org --------------------------------------------------------------------------------------------

_CITE_CALL = re.compile(r"#?cite\(\s*(?:<(?P<label>[\w.:-]*)|label\(\"(?P<quoted>[^\"\n]*))\Z")


def _typst(text: str, offset: int) -> TypedKey | None:
    begin = _before(text, offset)
    if call := _CITE_CALL.search(text, begin, offset):
        start = call.start("label") if call["label"] is not None else call.start("quoted")
        end = _end(text, offset, r"[\w.:-]*")
        closed = re.compile(r">?[^()\n]*\)").match(text, end)
        return TypedKey(start, end, text[start:offset], (), (call.start(), closed.end() if closed else end))
    return _at_sign(text, offset, begin, re.compile(r"[\w:-]*"))


_ORG = re.compile(r"\[cite(?:/[\w/-]*)?:[^\[\]]*@(?P<key>[\w:.#$%&+?<>~/-]*)\Z")
_ORG_REF = re.compile(r"(?<![\w\[])(?:[a-zA-Z]{0,20}cite[a-z]{0,20}):(?P<keys>[&\w:.,;/-]*)\Z")


def _org(text: str, offset: int) -> TypedKey | None:
    begin = _before(text, offset)
    if _ORG.search(text, begin, offset):
        return _at_sign(text, offset, begin, re.compile(r"[\w:.#$%&+?~/-]*"))
    if link := _ORG_REF.search(text, begin, offset):
        return _listed(text, offset, link.start(), link.start("keys"), ",; \n]&", "")
    return _latex(text, offset)


# Lists ----------------------------------------------------------------------------------------------------


def _listed(text: str, offset: int, begin: int, keys: int, stops: str, closing: str) -> TypedKey:
    """The key at `offset` of a list that begins at `keys`; each of `stops` ends a key, `closing` the list."""
    start = max([keys, *(text.rfind(stop, keys, offset) + 1 for stop in ",;&")])
    start += len(text[start:offset]) - len(text[start:offset].lstrip())
    end = _end(text, offset, rf"[^{re.escape(stops)}\s\\]*")
    last = _end(text, end, rf"[^{re.escape(closing)}{{}}\n\\]*{re.escape(closing)}") if closing else end
    listed = text[keys:start] + " , " + text[end : last - len(closing) if last > end else end]
    beside = [key for part in re.split(r"[,;&]", listed) if (key := part.strip())]
    return TypedKey(start, end, text[start:offset], tuple(dict.fromkeys(beside)), (begin, last))


def _end(text: str, offset: int, pattern: str) -> int:
    found = re.compile(pattern).match(text, offset)
    return offset if found is None else found.end()


_FINDERS: dict[str, tuple[Callable[[str, int], TypedKey | None], ...]] = {
    "latex": (_latex,),
    "markdown": (_markdown, _latex),
    "typst": (_typst,),
    "org": (_org,),
}


def written_key(format_name: str, key: str) -> str:
    """A key as it is written where `typed_key` found one: Markdown needs braces around an unusual one."""
    return braced(key) if format_name == "markdown" else key
