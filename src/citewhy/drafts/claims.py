"""The sentences of a draft or a full text that may need a citation: those of its body that `text.claims` does
not rule out, without captions, notes and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citewhy.base.records import DraftSentence, Manuscript, Paragraph, SentenceInContext
from citewhy.drafts.sentences import with_citations
from citewhy.text.claims import is_of_body, may_need_citation, needs_none
from citewhy.text.markers import CITED
from citewhy.text.surroundings import Stated, surroundings


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a draft that may need a citation, with its paragraph, as a classifier reads it."""

    sentence: DraftSentence
    paragraph: Paragraph
    in_context: SentenceInContext


def claims(manuscript: Manuscript) -> Iterator[Claim]:
    """The sentences of the draft that carry no citation and may need one, in reading order: not those of
    which `text.claims.needs_none` tells why they need none."""
    asked: dict[int, str] = {}
    before: DraftSentence | None = None
    for number, paragraph, sentence in numbered(manuscript):
        if not sentence.markers and is_read(paragraph) and may_need_citation(sentence.text):
            begins = sentence is paragraph.sentences[0]
            after_citation = not begins and before is not None and bool(before.markers)
            if not needs_none(sentence.text, paragraph.section, after_citation=after_citation):
                asked[number] = sentence.text
        before = sentence
    contexts = in_document(manuscript, asked)
    for number, paragraph, sentence in numbered(manuscript):
        if number in asked:
            yield Claim(sentence, paragraph, contexts[number])


def numbered(manuscript: Manuscript) -> Iterator[tuple[int, Paragraph, DraftSentence]]:
    """Every sentence with its number in the draft, from 0, and its paragraph."""
    sentences = (
        (paragraph, sentence) for paragraph in manuscript.paragraphs for sentence in paragraph.sentences
    )
    for number, (paragraph, sentence) in enumerate(sentences):
        yield number, paragraph, sentence


def in_document(manuscript: Manuscript, asked: Mapping[int, str]) -> Mapping[int, SentenceInContext]:
    """Sentences of a draft as the classifier reads them, by number; `asked` are their texts without
    citations."""
    stated = [
        Stated(
            asked.get(number, with_citations(sentence, CITED)),
            bool(sentence.markers),
            part=id(paragraph),
            body=is_read(paragraph),
        )
        for number, paragraph, sentence in numbered(manuscript)
    ]
    surrounded = surroundings(stated, asked)
    in_context: dict[int, SentenceInContext] = {}
    first = 0
    for paragraph in manuscript.paragraphs:
        for position in range(len(paragraph.sentences)):
            if (number := first + position) in asked:
                in_context[number] = SentenceInContext(
                    asked[number],
                    *neighbours(paragraph, position),
                    paragraph.section,
                    number / len(stated),
                    surroundings=surrounded.get(number),
                )
        first += len(paragraph.sentences)
    return in_context


def is_read(paragraph: Paragraph) -> bool:
    """Whether a paragraph is one of the body, no caption or note."""
    return not paragraph.aside and is_of_body(paragraph.section)


def neighbours(paragraph: Paragraph, position: int) -> tuple[str, str]:
    """The sentences before and after one of a paragraph, with their citations as `text.markers.CITED`; empty
    where there is none."""
    before, after = (
        paragraph.sentences[max(position - 1, 0) : position],
        paragraph.sentences[position + 1 : position + 2],
    )
    return " ".join(with_citations(sentence, CITED) for sentence in before), " ".join(
        with_citations(sentence, CITED) for sentence in after
    )
