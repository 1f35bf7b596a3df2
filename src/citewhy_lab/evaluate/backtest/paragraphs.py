"""Paragraphs of a finished draft as questions: the first sentence is known, the papers of the rest are asked
for.

A question is a paragraph whose first sentence cites nothing and whose other sentences cite at least two
papers of the library. It is asked as `citewhy suggest --unit paragraph` asks: the first sentence, and what is
known of the rest of the draft. The other sentences of the paragraph are taken out of the draft, and so are
the citations of near-duplicates of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from citewhy.answers.draft_evidence import DraftCitations
from citewhy.answers.questions import DraftQuestions
from citewhy.base.records import DraftSentence, Manuscript, Paragraph, Unit
from citewhy.papers.library.store import Library
from citewhy.text.alike import near_duplicates
from citewhy_lab.evaluate.datasets.topics import Topic

LEAST_CITED, LEAST_WORDS = 2, 4


def paragraph_topics(library: Library, manuscript: Manuscript, year: int) -> list[Topic]:
    """Returns the paragraphs that can be asked for as of `year`, in reading order."""
    whole = DraftQuestions.of(library, manuscript, year)
    found = []
    for number, paragraph in enumerate(manuscript.paragraphs):
        relevant = tuple(dict.fromkeys(_cited(paragraph.sentences[1:], whole.papers)))
        relevant = tuple(paper_id for paper_id in relevant if paper_id != whole.itself)
        first = paragraph.sentences[0] if paragraph.sentences else None
        if first is None or first.markers or paragraph.aside or len(relevant) < LEAST_CITED:
            continue
        if len(first.text.split()) < LEAST_WORDS:
            continue
        draft = without(manuscript, number)
        asked = replace(whole, manuscript=draft, citations=DraftCitations.of(draft, whole.papers))
        bare = draft.paragraphs[number]
        query = asked.query(Unit("paragraph", first.place, sentence=first, paragraph=bare))
        found.append(Topic(replace(query, id=f"{number}:{first.place.line}"), relevant))
    return found


def without(manuscript: Manuscript, number: int) -> Manuscript:
    """Returns the draft as it was when only the first sentence of a paragraph was written, and without the
    citations of sentences that are near-duplicates of the others."""
    first, *hidden = manuscript.paragraphs[number].sentences

    def bared(sentence: DraftSentence) -> DraftSentence:
        copied = sentence.markers and any(near_duplicates(sentence.text, member.text) for member in hidden)
        return replace(sentence, markers=()) if copied else sentence

    def kept(position: int, paragraph: Paragraph) -> Paragraph:
        sentences = (first,) if position == number else tuple(map(bared, paragraph.sentences))
        return replace(paragraph, sentences=sentences)

    return replace(
        manuscript,
        paragraphs=tuple(kept(position, each) for position, each in enumerate(manuscript.paragraphs)),
    )


def _cited(sentences: Sequence[DraftSentence], papers: Mapping[str, str]) -> Iterator[str]:
    """Yields paper ids, in reading order."""
    for sentence in sentences:
        for marker in sentence.markers:
            yield from (papers[key] for key in marker.keys if key in papers)
