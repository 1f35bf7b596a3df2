"""The sentences of a draft as a classifier reads them."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.records import DraftSentence, Manuscript, SentenceInContext
from citewhy.text.markers import OTHER

__all__ = ["in_context", "with_citations"]


def in_context(manuscript: Manuscript) -> Iterator[tuple[DraftSentence, SentenceInContext]]:
    """Every sentence of the draft, in reading order, with its neighbours in the paragraph, its heading and
    its place in the document. Citations are ``OTHERCIT``: none of them is asked about."""
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
    """The text of a sentence, which does not contain its citations, with `mark` for each place that cites."""
    text = sentence.text
    for offset in sorted({marker.offset for marker in sentence.markers}, reverse=True):
        text = f"{text[:offset].rstrip()} {mark} {text[offset:].lstrip()}"
    return text.strip()
