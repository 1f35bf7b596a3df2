"""Sentences of a draft as people read them.

The text of a sentence has no citations: of "the maps of \\citet{a} and \\citet{b}" it is "the maps of and".
"""

from __future__ import annotations

from collections.abc import Iterable

from citewhy.base.records import DraftSentence, Marker

__all__ = ["shown", "with_marks"]

_CITATION, _GAP = "[…]", "[?]"
_OPENING = frozenset("([{“‘")
_CLOSING = frozenset(".,;:!?)]}”’")


def shown(sentence: DraftSentence, gap: Marker | None = None) -> str:
    """The sentence with ``[?]`` where the citation `gap` is missing, and ``[…]`` for each other citation that
    has keys or is complete; other missing ones are not shown."""
    others = [each for each in sentence.markers if each != gap and (each.keys or not each.open)]
    missing = [] if gap is None else [(gap.offset, _GAP)]
    return with_marks(sentence.text, [*((each.offset, _CITATION) for each in others), *missing])


def with_marks(text: str, marks: Iterable[tuple[int, str]]) -> str:
    """`text` with each mark at its offset: one space before it unless a bracket opens there, none between it
    and punctuation. Of equal marks at one place, one is shown.

    >>> with_marks("the maps of, and, which agree.", [(11, "[…]"), (16, "[?]")])
    'the maps of […], and [?], which agree.'
    """
    result, done = "", 0
    for offset, mark in sorted(marks, key=lambda each: each[0]):
        between = text[done:offset]
        if not between.strip() and result.rstrip().endswith(mark):
            continue
        result = (result + between).rstrip()
        following = text[max(done, offset) :].lstrip()
        done = len(text) - len(following)
        space = " " if result and result[-1] not in _OPENING else ""
        result += f"{space}{mark}{' ' if following and following[0] not in _CLOSING else ''}"
    return (result + text[done:]).strip()
