"""Placeholders that authors write where a citation is still missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from citewhy.text.tokens import fold

_KEY = re.compile(r"\?*|(?:TODO|FIXME|XXX|TBD)(?![a-z]).*|(?:todo|fixme|xxx+|tbd)(?![a-z]).*", re.DOTALL)
_KEY_WORD = re.compile(r"(?:cite|citation|citation[-_ ]?needed|ref|missing)\?*", re.IGNORECASE)

_COMMAND = re.compile(
    r"(?:cite|citation)s?(?:needed|need|missing|todo|here|me)|"
    r"(?:need|needs|needed|todo|missing|add|to|tbd|find)(?:s|a)?(?:cite|citation)s?",
    re.IGNORECASE,
)

_NOTE = r"[^\[\]{}\\$%\n]{0,200}"
_CITATION = r"(?:cite|citation|ref|reference)s?"
_SOURCE = r"sources?(?!\s+(?:codes?|files?|of|terms?|nodes?)\b)"
_REQUEST = (
    rf"(?:add|needs?|insert|find|missing)\s+(?:an?\s+|the\s+|more\s+)?(?:{_CITATION}|{_SOURCE})\b{_NOTE}"
)
_REMARK = rf"(?:TODO|FIXME)\b{_NOTE}\b{_CITATION}\b{_NOTE}"

OPEN_BRACKET = re.compile(
    rf"\[\s*(?:\?{{1,3}}|{_CITATION}(?:\s+(?:needed|missing|here))?\s*\??|"
    rf"(?:CITE|CITATION)\b{_NOTE}|{_REQUEST}|{_REMARK})\s*\]",
    re.IGNORECASE,
)
"""``[CITE]``, ``[?]``, ``[citation needed]``, ``[add citation]``, ``[TODO: cite Smith]`` in running text."""

OPEN_ROUND = re.compile(
    r"\(\s*(?:(?:CITE|CITATION)\b[^()\[\]{}\\$%\n]{0,200}|"
    rf"(?i:citations?\s+(?:needed|missing|here)|{_REQUEST.replace(_NOTE, '[^()]{0,200}')}|"
    rf"{_REMARK.replace(_NOTE, '[^()]{0,200}')}))\s*\)"
)
"""The same in round brackets, which have many other uses: ``(CITE)``, ``(citation needed)``."""

REMARKS = frozenset({"todo", "TODO", "fixme", "FIXME"})
"""LaTeX commands for remarks of authors to themselves."""

_OPEN_REMARK = re.compile(
    rf"\\(?:{'|'.join(sorted(REMARKS))})\*?\s*(?:\[[^\[\]]*\])?\{{(?P<note>\s*(?:{_CITATION}\b{_NOTE}|{_REQUEST}))\}}",
    re.IGNORECASE,
)


def open_remark(text: str, position: int) -> re.Match[str] | None:
    """Matches the LaTeX remark at `position` that asks for nothing but a citation, ``\\todo{cite Papineni}``;
    the group ``note`` has its text."""
    return _OPEN_REMARK.match(text, position)


def is_placeholder(key: str) -> bool:
    """Whether a key stands for a missing one: empty, ``?``, ``TODO``, ``todo-bleu``, ``TODO:parser``.

    A key that merely starts like one (``todorov2002``) is not.
    """
    return _KEY.fullmatch(key) is not None or _KEY_WORD.fullmatch(key) is not None


def is_open_command(name: str) -> bool:
    """Whether a command marks a missing citation: ``citeneeded``, ``citationneeded``, ``todocite``, …"""
    return _COMMAND.fullmatch(name) is not None


_REQUESTS = """
todo fixme xxx tbd cite cites cited citation citations citationneeded citeneeded ref refs reference references
source sources
add insert find need needs needed missing here me a an the some more please et al and
"""
_REQUEST_WORDS = frozenset(_REQUESTS.split())
"""Words with which a note asks for no more than a citation."""
_FURTHER = frozenset("too also another other others else more".split())  # noqa: SIM905
_NOTE_WORD = re.compile(r"\\[A-Za-z]+|[^\W_]+")


def says_more(note: str, keys: Sequence[str]) -> bool:
    """Whether the note of a placeholder says what the citation of `keys` does not say.

    >>> says_more("[TODO: cite Foot 1967]", ["foot1967problem"]), says_more("[CITE; ask Maria]", ["foot1967"])
    (False, True)
    """
    words = {fold(word) for word in _NOTE_WORD.findall(note) if not word.startswith("\\")}
    said = " ".join(map(fold, keys))
    return any(word not in said for word in words - _REQUEST_WORDS)


_PAGE = (
    r"(?:pp?\.|pages?\b|ch(?:ap)?\.|chapters?\b|secs?\.|sections?\b|§{1,2}|figs?\.|figures?\b|tables?\b|vol\.)"
    r"[\s~]{0,3}[\w.]{1,20}(?:[\s~]{0,3}(?:--?|[–—,])[\s~]{0,3}\d[\w.]{0,20})?"
)
_BESIDE = re.compile(
    rf"(?:\\[A-Za-z]+)?(?:\[(?P<before>[^\[\]]*)\]\[(?P<after>[^\[\]]*)\]|\[(?P<page>{_PAGE})\])|"
    rf"[\[(]\s*{_CITATION}\s*[,;:]?\s+(?P<asked>{_PAGE})\s*[\])]",
    re.IGNORECASE,
)


class Notes(NamedTuple):
    """What a placeholder says beside its request: the text before the citation, and the page behind it."""

    before: str
    page: str


def notes_in(written: str) -> Notes | None:
    """The notes of a placeholder that has nothing else to say; None if it has.

    >>> notes_in("\\\\citeneeded[see][p.~3]"), notes_in("(CITE, p. 3)"), notes_in("[TODO: cite Foot 1967]")
    (Notes(before='see', page='p.~3'), Notes(before='', page='p. 3'), None)
    """
    notes = _BESIDE.fullmatch(written.strip())
    if notes is None:
        return None
    page = next(filter(None, notes.group("after", "page", "asked")), "")
    return Notes((notes["before"] or "").strip(), page.strip())


def is_answered(note: str, keys: Sequence[str], between: str) -> bool:
    """Whether a placeholder with a `note` stands where an edit leaves it, directly behind the citation of
    `keys` that answers it. `between` is the text between the two. A note that asks for a further citation is
    not answered."""
    if between != " " or not keys or not says_more(note, keys):
        return False
    return _FURTHER.isdisjoint(map(fold, _NOTE_WORD.findall(note)))


_LEADING_WORDS = frozenset("by of in from to with following than per using".split())  # noqa: SIM905
"""Words after which a citation is a part of the sentence ("as shown by [CITE]")."""

_ENDS = (".", "?", "!")


def reads_as_a_word(before: str, after: str) -> bool:
    """Whether a citation between these parts of a text is a part of its sentence: "[CITE] introduced …", "as
    shown by [CITE]".

    After "et al." it is not: the names would be there twice.

    >>> reads_as_a_word("It works. ", " introduced it."), reads_as_a_word("It works ", " and more.")
    (True, False)
    """
    words = before.rsplit(None, 1)[-1:]
    begins = not words or (words[0].endswith(_ENDS) and words[0] != "al.")
    return (begins and after.lstrip()[:1].islower()) or (bool(words) and words[0].lower() in _LEADING_WORDS)
