"""What authors write where a citation is still missing."""

from __future__ import annotations

import re

__all__ = ["OPEN_BRACKET", "is_open_command", "is_placeholder", "reads_as_a_word"]

_KEY = re.compile(r"\?*|(?:TODO|FIXME|XXX|TBD)(?![a-z]).*|(?:todo|fixme|xxx+|tbd)(?![a-z]).*", re.DOTALL)
_KEY_WORD = re.compile(r"(?:cite|citation|citation[-_ ]?needed|ref|missing)\?*", re.IGNORECASE)

_COMMAND = re.compile(
    r"(?:cite|citation)s?(?:needed|need|missing|todo|here|me)|"
    r"(?:need|needs|needed|todo|missing|add|to|tbd|find)(?:s|a)?(?:cite|citation)s?",
    re.IGNORECASE,
)

OPEN_BRACKET = re.compile(
    r"\[\s*(?:\?{1,3}|(?:cite|citation|ref|reference)s?(?:\s+(?:needed|missing|here))?\s*\??|"
    r"(?:CITE|CITATION)\b[^\[\]{}\\$%\n]{0,200}|"
    r"(?:TODO|FIXME)\b[^\[\]{}\\$%\n]{0,200}\b(?:cite|citation|ref|reference)s?\b[^\[\]{}\\$%\n]{0,200})\s*\]",
    re.IGNORECASE,
)
"""``[CITE]``, ``[?]``, ``[citation needed]``, ``[TODO: cite Smith]`` in running text."""


def is_placeholder(key: str) -> bool:
    """Whether a key stands for a missing one: empty, ``?``, ``TODO``, ``todo-bleu``, ``TODO:parser``.

    A key that merely starts like one (``todorov2002``) is not.
    """
    return _KEY.fullmatch(key) is not None or _KEY_WORD.fullmatch(key) is not None


def is_open_command(name: str) -> bool:
    """Whether a command marks a missing citation: ``citeneeded``, ``citationneeded``, ``todocite``, …"""
    return _COMMAND.fullmatch(name) is not None


_LEADING_WORDS = frozenset("by of in from to with following than per using".split())  # noqa: SIM905
"""Words after which a citation is a part of the sentence ("as shown by [CITE]")."""

_ENDS = (".", "?", "!")


def reads_as_a_word(before: str, after: str) -> bool:
    """Whether a citation between these parts of a text is a part of its sentence: "[CITE] introduced …", "as
    shown by [CITE]".

    >>> reads_as_a_word("It works. ", " introduced it."), reads_as_a_word("It works ", " and more.")
    (True, False)
    """
    words = before.rsplit(None, 1)[-1:]
    begins = not words or words[0].endswith(_ENDS)
    return (begins and after.lstrip()[:1].islower()) or (bool(words) and words[0].lower() in _LEADING_WORDS)
