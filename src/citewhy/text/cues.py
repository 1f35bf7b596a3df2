"""Cues tell what a sentence does, by a word or two that usually do it: "we", "propose", "however"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from citewhy.text.tokens import words

_WORD_CUES: Mapping[str, str] = {
    "we": r"we|our|us",
    "paper": r"(?:this|the|present) (?:paper|article|work|study|section)",
    "propose": r"(?:propos|present|introduc|describ|develop|novel|new)\w*",
    "show": r"(?:show|demonstrat|find|found|result|achiev|outperform|improv|accura|precision|recall|percent"
    r"|better|best)\w*",
    "use": r"uses?|used|using|appl\w+|employ\w*|based on",
    "is": r"is an?|(?:is|are) the|defined|consists? of|refers to",
    "pointer": r"section|fig(?:ure)?|table",
    "but": r"however|although|but",
}
_CUE = {name: re.compile(pattern) for name, pattern in _WORD_CUES.items()}
CUES = tuple(_CUE)
"""Names of the cues."""

_BEGIN_PAIRS = frozenset(["this", "the", "present", "based", "is", "are", "consist", "consists", "refers"])
"""First words of the pairs above."""

_COUNTED = 3


def cues(text: str) -> list[float]:
    """Returns [len(CUES)] how often each cue stands in `text`, at most `_COUNTED` times."""
    counts = [0] * len(CUES)
    before = ""
    for word in words(text):
        for cue in _CUES_OF[word]:
            counts[cue] += 1
        if before in _BEGIN_PAIRS:
            for cue in _CUES_OF[f"{before} {word}"]:
                counts[cue] += 1
        before = word
    return [float(min(_COUNTED, count)) for count in counts]


class _CuesOf(dict[str, tuple[int, ...]]):
    """Maps a word, or two, to the positions of the cues that it gives; it is filled as words are met."""

    _LIMIT = 200_000

    def __missing__(self, part: str) -> tuple[int, ...]:
        positions = tuple(position for position, cue in enumerate(_CUE.values()) if cue.fullmatch(part))
        if len(self) < self._LIMIT:
            self[part] = positions
        return positions


_CUES_OF = _CuesOf()
