"""A finished draft as queries: each citation is hidden in turn, and asked for like an open one.

The marker in question is emptied. Everything else in the draft stays, as it would while the author writes
this sentence: other places may cite the same papers, which is evidence for them. Sentences that are
near-duplicates of the query's (a chapter that repeats the introduction) are not used as evidence.

A draft that has only begun knows less. `SoFar` says what of the rest is hidden, too: the sentences and
citations behind that of the query, or also the entries of the bibliography that nothing before it cites.
Title, abstract, heading, the sentence itself and all before it stay; the library stays as it is, and so do
the candidates.

Paragraphs are questions, too: the first sentence is known, and the papers of the rest are asked for. Such a
paragraph is one whose first sentence cites nothing and whose other sentences cite at least two
papers of the library. It is asked as `citewhy suggest --unit paragraph` asks: the first sentence, and what is
known of the rest of the draft. The other sentences of the paragraph are taken out of the draft, and so are
the citations of near-duplicates of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from citewhy.answers.draft_evidence import DraftCitations
from citewhy.answers.questions import DraftQuestions
from citewhy.answers.same_document import CopiedSentences, SameDocument
from citewhy.base.errors import QueryError
from citewhy.base.records import DraftSentence, Manuscript, Marker, Paragraph, Query, Unit
from citewhy.drafts.finished import FinishedDraft
from citewhy.papers.library.store import Library
from citewhy.text.alike import near_duplicates
from citewhy.text.claims import lists_publications
from citewhy_lab.evaluate.datasets.topics import Topic


@dataclass(frozen=True, slots=True)
class HiddenDraft:
    """A draft with its queries."""

    manuscript: Manuscript
    year: int
    """The year as of which it is asked."""
    topics: tuple[Topic, ...]
    """One for each place, in reading order: a marker that cites at least one paper that can be suggested."""
    cited: int
    """Number of keys that are cited in the text and defined in the bibliography."""
    not_in_library: tuple[str, ...]
    """The papers of these are not in the library; they are in reading order."""
    newer: tuple[str, ...]
    """The papers of these are newer than `year`."""
    open: int
    """Number of open citations in the draft, whose answer is unknown."""


SoFar = Literal["finished", "text", "entries"]
"""What of a draft is known at a place: everything but its citation; what is written before it, with the whole
bibliography; or with those entries alone that are cited before it."""


def hide_citations(
    library: Library, manuscripts: Sequence[Manuscript], year: int | None, so_far: SoFar = "finished"
) -> list[HiddenDraft]:
    """Makes the queries of each draft, as of `year` or, if it is None, of the draft's own year, which for a
    draft without a date is that of the newest paper that it cites (`FinishedDraft.year`).

    Raises QueryError if none is known.
    """
    drafts = [_Draft(library, manuscript, year, so_far) for manuscript in manuscripts]
    forms = _printed_forms(library, drafts)
    writings = CopiedSentences(library)
    return [draft.hidden(own, writings) for draft, own in zip(drafts, forms, strict=True)]


class _Draft:
    """The citations of a draft, and which of their papers are in the library."""

    def __init__(self, library: Library, manuscript: Manuscript, year: int | None, so_far: SoFar) -> None:
        asked = year or manuscript.year or FinishedDraft(manuscript).year()[0]
        if asked is None:
            raise QueryError(
                f"no year is found in {manuscript.path}",
                hint="give the as-of year: --as-of YEAR",
            )
        self.manuscript = manuscript
        self.year = asked
        self._so_far = so_far
        self._questions = DraftQuestions.of(library, manuscript, asked)
        self.papers = self._questions.papers
        """Paper id by key, of the whole bibliography."""
        defined = {reference.key for reference in manuscript.references}
        markers = [marker for place in _cited_places(manuscript) if (marker := place.marker)]
        self.cited = [
            key for key in dict.fromkeys(key for marker in markers for key in marker.keys) if key in defined
        ]
        self._open = sum(marker.open for marker in markers)
        there = library.papers({self.papers[key] for key in self.cited if key in self.papers})
        self._newer = {paper_id for paper_id, paper in there.items() if (paper.year or 0) > asked}

    @property
    def cited_ids(self) -> set[str]:
        return {self.papers[key] for key in self.cited if key in self.papers}

    def hidden(self, own: Sequence[str], writings: CopiedSentences) -> HiddenDraft:
        """Hides the citations; `own` are papers in the library that may be the published version of this
        draft."""
        return HiddenDraft(
            manuscript=self.manuscript,
            year=self.year,
            topics=tuple(self._topics(own, writings)),
            cited=len(self.cited),
            not_in_library=tuple(key for key in self.cited if key not in self.papers),
            newer=tuple(key for key in self.cited if self.papers.get(key) in self._newer),
            open=self._open,
        )

    def _topics(self, own: Sequence[str], writings: CopiedSentences) -> Iterator[Topic]:
        for number, unit in enumerate(_cited_places(self.manuscript), start=1):
            marker = unit.marker
            if (
                marker is None
                or marker.open
                or (unit.paragraph and lists_publications(unit.paragraph.section))
            ):
                continue
            answers = [self.papers[key] for key in marker.keys if key in self.papers]
            topic = self._topic(unit, answers, own, writings) if answers else None
            if topic is not None:
                name = f"{self.manuscript.path}#{number}:{marker.place.line}"
                yield replace(topic, query=replace(topic.query, id=name))

    def _topic(
        self, unit: Unit, answers: Collection[str], own: Sequence[str], writings: CopiedSentences
    ) -> Topic | None:
        """Returns the query for a place; None if it cites nothing that can be suggested."""
        assert unit.marker is not None
        assert unit.sentence is not None
        opened = replace(unit.marker, keys=(), open=True)
        markers = tuple(opened if marker is unit.marker else marker for marker in unit.sentence.markers)
        asked = replace(unit, marker=opened, sentence=replace(unit.sentence, markers=markers))
        if self._so_far != "finished":
            asked = _until(asked, opened)
        query = self._questions.place(asked, answers)
        if self._so_far != "finished":
            query = written_before(query, listed=self._so_far == "text")
        itself = list(dict.fromkeys(paper_id for paper_id in (query.citing_id, *own) if paper_id))
        relevant = tuple(
            dict.fromkeys(answer for answer in answers if answer not in self._newer and answer not in itself)
        )
        if not relevant:
            return None
        copies = [*itself[1:], *writings.with_copies(unit.sentence.text)]
        query = replace(
            query,
            citing_id=itself[0] if itself else "",
            excluded_ids=tuple(paper_id for paper_id in query.excluded_ids if paper_id not in itself),
            copy_ids=tuple(
                paper_id for paper_id in dict.fromkeys(copies) if paper_id not in itself[:1] + list(relevant)
            ),
        )
        return Topic(query, relevant)


def _until(unit: Unit, marker: Marker) -> Unit:
    """The unit of a place, without what its paragraph says after the sentence, and without the citations that
    the sentence has behind `marker`."""
    sentence, paragraph = unit.sentence, unit.paragraph
    assert sentence is not None
    assert paragraph is not None
    before = tuple(itertools.takewhile(lambda each: each is not marker, sentence.markers))
    bare = replace(sentence, markers=(*before, marker))
    written = itertools.takewhile(lambda each: each.place != sentence.place, paragraph.sentences)
    return replace(unit, sentence=bare, paragraph=replace(paragraph, sentences=(*written, bare)))


def written_before(query: Query, *, listed: bool) -> Query:
    """The query of a place in a draft that is written up to its sentence: with the citations before it alone
    as evidence. The bibliography is known as a whole if `listed`, otherwise what is cited before."""
    if query.draft is None:
        return query
    before = tuple(each for each in query.draft.citations if each.order < query.draft.order)
    cited = {paper_id for each in before for paper_id in each.paper_ids}
    bibliography = tuple(each for each in query.draft.bibliography if listed or each in cited)
    known = tuple(paper_id for paper_id in query.known_ids if paper_id in cited)
    return replace(
        query,
        known_ids=known,
        draft=replace(query.draft, citations=before, bibliography=bibliography),
    )


def _cited_places(manuscript: Manuscript) -> Iterator[Unit]:
    """Returns every citation of the draft, open or not."""
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                yield Unit("place", marker.place, marker, sentence, paragraph)


def _printed_forms(library: Library, drafts: Sequence[_Draft]) -> list[list[str]]:
    """Finds for each draft the papers that may be its published version, with a slightly different title.

    A paper that the draft cites is a different one.
    """
    are_same = [SameDocument(draft.manuscript) for draft in drafts]
    cited = [draft.cited_ids for draft in drafts]
    forms: list[list[str]] = [[] for _ in drafts]
    for _, paper in library.numbered_papers():
        for is_same, others, own in zip(are_same, cited, forms, strict=True):
            if paper.id not in others and is_same(paper):
                own.append(paper.id)
    return forms


# Copies of the citing document ----------------------------------------------------------------------------


def exclude_copies(library: Library, topics: Sequence[Topic]) -> list[Topic]:
    """Returns the topics, with each own writing that has a near-duplicate of a query's sentence in its
    `copy_ids`.

    A writing that is itself a relevant paper of the topic is not treated as a copy.
    """
    writings = CopiedSentences(library)
    return [_with_copies(topic, tuple(writings.with_copies(topic.query.text))) for topic in topics]


def copies_note(topics: Sequence[Topic]) -> list[str]:
    """Returns a note for the report with the number of queries that have copies; empty if there are none."""
    count = sum(bool(topic.query.copy_ids) for topic in topics)
    return [f"for {count:,} queries, copies of the citing document were ignored"] if count else []


def _with_copies(topic: Topic, writings: tuple[str, ...]) -> Topic:
    copies = dict.fromkeys((*topic.query.copy_ids, *writings))
    kept = tuple(copy for copy in copies if copy not in topic.relevant)
    return replace(topic, query=replace(topic.query, copy_ids=kept)) if kept else topic


# Paragraphs ----------------------------------------------------------------------------------------------


LEAST_CITED, LEAST_WORDS = 2, 4


def paragraph_topics(library: Library, manuscript: Manuscript, year: int) -> list[Topic]:
    """Returns the paragraphs that can be asked for as of `year`, in reading order."""
    whole = DraftQuestions.of(library, manuscript, year)
    topics = []
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
        topics.append(Topic(replace(query, id=f"{number}:{first.place.line}"), relevant))
    return topics


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
        paragraphs=tuple(
            kept(position, paragraph) for position, paragraph in enumerate(manuscript.paragraphs)
        ),
    )


def _cited(sentences: Sequence[DraftSentence], papers: Mapping[str, str]) -> Iterator[str]:
    """Yields paper ids, in reading order."""
    for sentence in sentences:
        for marker in sentence.markers:
            yield from (papers[key] for key in marker.keys if key in papers)
