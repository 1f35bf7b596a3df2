"""Sentences that cite and sentences that do not, with their citations taken out: task ``needs``.

A sentence counts if it reads without its citations (`text.uncited`); of the others nobody can say what their
author would have written. Sentences that a review never remarks on (`drafts.claims`) count as well: they
are judged, with probability 0.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.import_report import ImportReport
from citewhy.base.records import DraftSentence, FullText, Manuscript, SentenceInContext
from citewhy.drafts.claims import in_document, is_read, numbered
from citewhy.papers.formats import read as read_records
from citewhy.text.claims import is_of_body, may_need_citation
from citewhy.text.markers import find, uniform
from citewhy.text.repair import join_hyphenated
from citewhy.text.surroundings import Stated, surroundings
from citewhy.text.uncited import reads_without, without_citations


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence without its citations."""

    sentence: SentenceInContext
    cites: bool
    silent: bool
    """Whether a review never remarks on such a sentence."""
    group: str
    """The paper or draft that it is from."""
    original: str
    """The sentence with its citations as printed; that of a draft without them."""
    number: int
    """Counts the sentence in its paper or draft, from 0."""


def of_full_texts(path: Path) -> Iterator[JudgedSentence]:
    """Returns the sentences of full texts in any format, paper by paper. Raises InputError."""
    for record in read_records(path, ImportReport()):
        if isinstance(record, FullText):
            yield from of_full_text(record)


def of_full_text(text: FullText) -> Iterator[JudgedSentence]:
    """Returns the sentences of one paper, with its citations as printed."""
    originals = [join_hyphenated(sentence.text) for sentence in text.sentences]
    cites = [bool(find(original)) for original in originals]
    asked = {
        number: plain
        for number, (sentence, original) in enumerate(zip(text.sentences, originals, strict=True))
        if is_of_body(sentence.section) and (plain := without_citations(original))
    }
    stated = [
        Stated(
            asked.get(number, uniform(sentence.text)),
            cites[number],
            sentence.section,
            is_of_body(sentence.section),
        )
        for number, sentence in enumerate(text.sentences)
    ]
    told = surroundings(stated, asked)
    for number, plain in asked.items():
        around = (_neighbour(text, number, number - 1), _neighbour(text, number, number + 1))
        section, position = text.sentences[number].section, number / len(originals)
        sentence = SentenceInContext(plain, *around, section, position, surroundings=told.get(number))
        silent = not may_need_citation(plain)
        yield JudgedSentence(sentence, cites[number], silent, text.paper_id, originals[number], number)


def _neighbour(text: FullText, number: int, other: int) -> str:
    """Returns the sentence `other`, with its citations in one form; nothing if it is of another section."""
    if (
        not 0 <= other < len(text.sentences)
        or text.sentences[other].section != text.sentences[number].section
    ):
        return ""
    return uniform(text.sentences[other].text)


def of_draft(manuscript: Manuscript, group: str) -> Iterator[JudgedSentence]:
    """Returns the sentences of a draft that are not asides."""
    sentences = {
        number: sentence for number, paragraph, sentence in numbered(manuscript) if is_read(paragraph)
    }
    asked = {number: plain for number, sentence in sentences.items() if (plain := _plain(sentence))}
    for number, sentence in in_document(manuscript, asked).items():
        plain, cites = asked[number], bool(sentences[number].markers)
        yield JudgedSentence(sentence, cites, not may_need_citation(plain), group, plain, number)


def _plain(sentence: DraftSentence) -> str | None:
    """Returns the text of a sentence if it reads without its markers, which it does not contain."""
    beside = [marker.offset for marker in sentence.markers if not marker.in_text]
    words = [marker.offset for marker in sentence.markers if marker.in_text]
    if not reads_without(sentence.text, beside) or not reads_without(sentence.text, words, in_text=True):
        return None
    plain = without_citations(sentence.text)
    # Printed citations in a draft are neither asked for nor taken out.
    return plain if plain == " ".join(sentence.text.split()) else None


def sample(judged: Sequence[JudgedSentence], most: int, seed: int) -> list[JudgedSentence]:
    """Returns at most `most` of them, drawn without replacement, in their order."""
    if len(judged) <= most:
        return list(judged)
    chosen = sorted(random.Random(f"{seed} {judged[0].group}").sample(range(len(judged)), most))
    return [judged[position] for position in chosen]
