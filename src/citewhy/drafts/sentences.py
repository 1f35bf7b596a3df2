"""Sentences of a draft as people read them, and as a classifier does.

The text of a sentence has no citations: of "the maps of \\citet{a} and \\citet{b}" it is "the maps of and".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citewhy.base.records import DraftSentence, Manuscript, Marker, SentenceInContext
from citewhy.text.markers import OTHER

_CITATION = "[…]"
GAP = "[?]"
"""Stands where a citation is missing."""

_OPENING = frozenset("([{“‘")
_CLOSING = frozenset(".,;:!?)]}”’")


def shown(sentence: DraftSentence, gap: Marker | None = None) -> str:
    """The sentence with ``[?]`` where the citation `gap` is missing, and ``[…]`` for each other citation that
    has keys or is complete; other missing ones are not shown."""
    others = [marker for marker in sentence.markers if marker != gap and (marker.keys or not marker.open)]
    missing = [] if gap is None else [(gap.offset, GAP)]
    return with_marks(sentence.text, [*((marker.offset, _CITATION) for marker in others), *missing])


def with_marks(text: str, marks: Iterable[tuple[int, str]]) -> str:
    """`text` with each mark at its offset: one space before it unless a bracket opens there, none between it
    and punctuation. Of equal marks at one offset, one is kept.

    >>> with_marks("the maps of, and, which agree.", [(11, "[…]"), (16, "[?]")])
    'the maps of […], and [?], which agree.'
    """
    result, done = "", 0
    for offset, mark in sorted(marks, key=lambda offset_and_mark: offset_and_mark[0]):
        between = text[done:offset]
        if not between.strip() and result.rstrip().endswith(mark):
            continue
        result = (result + between).rstrip()
        following = text[max(done, offset) :].lstrip()
        done = len(text) - len(following)
        space = " " if result and result[-1] not in _OPENING else ""
        result += f"{space}{mark}{' ' if following and following[0] not in _CLOSING else ''}"
    return (result + text[done:]).strip()


def in_context(manuscript: Manuscript) -> Iterator[tuple[DraftSentence, SentenceInContext]]:
    """Every sentence of the draft, in reading order, with its neighbours in the paragraph, its heading and
    its position in the document. Citations are ``OTHERCIT``: none of them is asked about."""
    total = sum(len(paragraph.sentences) for paragraph in manuscript.paragraphs)
    before = 0
    for paragraph in manuscript.paragraphs:
        texts = ["", *map(with_citations, paragraph.sentences), ""]
        for number, sentence in enumerate(paragraph.sentences, 1):
            previous, text, following = texts[number - 1 : number + 2]
            yield (
                sentence,
                SentenceInContext(text, previous, following, paragraph.section, before / total),
            )
            before += 1


def with_citations(sentence: DraftSentence, mark: str = OTHER) -> str:
    """The text of a sentence, which does not contain its citations, with `mark` wherever it cites."""
    text = sentence.text
    for offset in sorted({marker.offset for marker in sentence.markers}, reverse=True):
        text = f"{text[:offset].rstrip()} {mark} {text[offset:].lstrip()}"
    return text.strip()
