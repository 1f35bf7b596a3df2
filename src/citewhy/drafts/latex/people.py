"""Names in ``\\author{…}``, which also contains affiliations and footnotes."""

from __future__ import annotations

import itertools
import re

AUTHOR, BREAK, MARK = "\x1d", "\x1e", "\x1f"
"""Characters that represent ``\\and``, the end of a line, and a superscript or footnote."""

_WORD = r"(?:[^\W\d_][\w.'’‘-]*)"
_NAME = re.compile(rf"{_WORD}(?: {_WORD}){{1,5}}")
_ADDRESS = re.compile(
    r"\b(?:Universit\w*|Univ|Institut\w*|Department|Dept|School|College|Laborator\w+|Labs?|Center|Centre|"
    r"Research|Faculty|Science\w*|Engineering|Computing|Technolog\w+|Inc|Ltd|GmbH|Corp\w*|Group|Academy|"
    r"Google|Microsoft|Facebook|Amazon|Anonymous|Submission|Linguistics|Informatics|National|Street|USA|"
    r"UK|China|Germany)\b"
)
_SUFFIXES = re.compile(r"(?<!\s)\s*+,\s*+(?=(?:Jr|Sr|II|III|IV|PhD|Ph\.D)\b)")


def names(text: str) -> list[str]:
    """The names in the text of an ``\\author``, in order, as "First Last"."""
    found: list[str] = []
    for group in text.split(AUTHOR):
        for number, line in enumerate(part for part in group.split(BREAK) if part.strip(f" {MARK},")):
            # Names come first; later lines have names only if marks follow them ("Ann Lee¹ Bo Li²").
            if number > 0 and not re.search(rf"\w ?,? ?{MARK}", line):
                break
            people = _people(line)
            if not people:
                break
            found += people
    return list(dict.fromkeys(found))


def _people(line: str) -> list[str]:
    line = re.sub(r"(?<!\S)\S*@\S*+", " ", _SUFFIXES.sub(" ", line))
    parts = re.split(rf"[{MARK},;&]|\band\b|\s{{2,}}", line)
    people = itertools.takewhile(lambda part: not _ADDRESS.search(part), (" ".join(p.split()) for p in parts))
    return [person for person in people if _NAME.fullmatch(person)]
