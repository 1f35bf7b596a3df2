"""The sentences of a draft or a full text that may need a citation.

Not these: the abstract, acknowledgements and what follows them, captions, notes and tables, headings,
formulas and scraps, pointers to the paper's own tables and sections, and what the authors themselves found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citewhy.base.records import DraftSentence, Manuscript, Paragraph, SentenceInContext
from citewhy.drafts.sentences import with_citations
from citewhy.text.markers import CITED
from citewhy.text.surroundings import Stated, surroundings

_FEWEST_WORDS = 6
_LONGEST = 600
"""Characters; longer sentences are lists or broken text."""

_LEAST_LETTERS = 0.6
"""Minimum share of letters among the characters of a sentence."""

_NO_BODY = re.compile(
    r"abstract|summary of thesis|acknowl|thanks|dedicat|declar|statement of|reference|bibliograph|appendi"
    r"|content|list of|glossar|abbreviat|acronym|notation|nomenclature|funding|contribut|availability"
    r"|conflict of|competing interest|ethic|author|supplement|keyword|curriculum|preface|title",
    re.IGNORECASE,
)
"""Headings of parts in which a review expects no citations."""

_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)|tab(?:le|\.)|algorithm|listing|equation)\s*\d*[a-z]?\s*[:.]", re.IGNORECASE
)
_POINTER = re.compile(
    r"\b(?:fig(?:ure|s?\.)|tables?|tab\.|sections?|sec\.|chapters?|appendix|eqs?\.|equations?|algorithm)\s*"
    r"(?:\d|[A-Z]\b|\(|MATH|~|[IVX]+\b)|\b(?:above|below|left|right|following|next|previous|this) "
    r"(?:figure|table|section|chapter|equation)|^in\s*,|^(?:figures?|tables?|sections?) ",
    re.IGNORECASE,
)
_SELF = r"(?:we|i|this (?:paper|work|thesis|study|article|chapter|dissertation))"
_WORDS = r"(?:\w+\s){0,2}?"
_OWN = re.compile(
    rf"\b{_SELF}\s{_WORDS}(?:find|found|show|shows|showed|observe[ds]?|achieve[ds]?|obtain(?:ed|s)?|outperform\w*"
    r"|improve[ds]?|report(?:ed|s)?|conclude[ds]?|demonstrate[ds]?|see|saw|propose[ds]?|present(?:ed|s)?"
    r"|introduce[ds]?|describe[ds]?|discuss\w*|contribut\w*|hypothesi\w+|investigate[ds]?|explore[ds]?|examine[ds]?"
    r"|thank|focus(?:ed|es)?|aim(?:s|ed)?|plan|hope|believe|leave|think)\b"
    r"|\bour\s(?:\w+\s){0,3}?(?:results?|experiments?|findings?|contributions?|evaluations?|analys[ie]s|goals?)\b"
    r"|\bour\s(?:\w+\s){0,3}?(?:achieve[ds]?|outperform(?:ed|s)?|improve[ds]?|performs?|performed|shows?|showed)\b"
    r"|\bno (?:previous|prior|other|existing|earlier)\b|\bto (?:the best of )?our knowledge\b",
    re.IGNORECASE,
)
"""These phrases state what the authors themselves found, or are going to say."""
_QUESTION = re.compile(r"\?\s*$")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a draft that may need a citation, with its paragraph, as a classifier reads it."""

    sentence: DraftSentence
    paragraph: Paragraph
    in_context: SentenceInContext


def claims(manuscript: Manuscript) -> Iterator[Claim]:
    """The sentences of the draft that carry no citation and may need one, in reading order."""
    asked = {
        number: sentence.text
        for number, paragraph, sentence in numbered(manuscript)
        if not sentence.markers and is_read(paragraph) and may_need_citation(sentence.text)
    }
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


def is_of_body(section: str) -> bool:
    """Whether the heading is not of a part without citations, such as the acknowledgements."""
    return not _NO_BODY.search(section)


def may_need_citation(text: str) -> bool:
    """Whether a sentence, without its citations, is a whole one that may be a claim about the work of
    others."""
    if len(text.split()) < _FEWEST_WORDS or len(text) > _LONGEST or not text[0].isupper():
        return False
    letters = sum(character.isalpha() or character == " " for character in text.replace("MATH", "0000"))
    if letters < _LEAST_LETTERS * len(text) or text[-1] not in '.!?”")’;':
        return False
    if _CAPTION.match(text) or _POINTER.search(text) or _QUESTION.search(text):
        return False
    return not _OWN.search(text)
