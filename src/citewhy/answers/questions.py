"""Makes a `Query` from raw text, and from each unit of a draft.

Raw text is what a person types or pastes. Its citations, printed or in LaTeX or Markdown, are masked here,
and only here, so that the command line, Python and every other interface make the same query from the same
text. The text of a `Manuscript` is clean already.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack, get_args

from citewhy.answers.draft_evidence import DraftCitations
from citewhy.answers.resolve.again import words_of_again
from citewhy.answers.resolve.notes import content_of, read_note
from citewhy.answers.same_document import find_copies
from citewhy.base.errors import QueryError
from citewhy.base.records import (
    DraftEvidence,
    DraftSentence,
    Intent,
    Manuscript,
    Marker,
    Paper,
    Paragraph,
    Place,
    Query,
    QueryKind,
    Unit,
    UnitKind,
)
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.text.counted import inflected
from citewhy.text.dedupe import differ
from citewhy.text.languages import LANGUAGES, is_english, language_of
from citewhy.text.markers import mask
from citewhy.text.placeholders import OPEN_BRACKET

UNITS: tuple[UnitKind, ...] = get_args(UnitKind)

_WRITTEN = re.compile(r"\\[A-Za-z]*cite[A-Za-z]*\*?(?:\[[^\]]*\])*(?:\{[^}]*\})?|\[[^\][]*@[^\]]*\]")
"""Citations in LaTeX and Markdown."""

_OTHER_NOTE = re.compile(r"(?<!\s)\s*+\[(?:TODO|FIXME|XXX|NOTE)\b[^\[\]]{0,300}\]", re.IGNORECASE)
"""A note of the author that asks for no citation: whom it names is not named by the sentence."""

_SHORT_PARAGRAPH = 2
"""Maximum number of sentences of a paragraph that counts as still to be written."""

_TOPIC_WORDS = 4
"""Minimum number of words of a topic sentence; shorter ones are headings or captions."""

_PRECEDING = 2000
"""Maximum number of characters of the preceding text in a query, in whole sentences."""


_NOT_ENGLISH = (
    "the text is in {language}, not in English, and meaning and word forms are known of English only: papers "
    "in other languages than its own are found by names, years and shared words, and those in {language} by "
    "words as they are written, if these are of Latin letters"
)

_NAMED = 3
"""Languages that are named."""

# Raw text -------------------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """`text` with ``TARGETCIT`` for open citations and ``OTHERCIT`` for printed ones; citations in LaTeX and
    Markdown are removed. Clean text is returned unchanged."""
    return mask(_WRITTEN.sub(" ", OPEN_BRACKET.sub(" TARGETCIT ", text)))


def remarks_on(text: str, encoder: object | None, titles: Iterable[str] = ()) -> tuple[str, ...]:
    """Says that a text, or some of the `titles` from which it cites, are in another language than the encoder
    of the package (`encoder` is None) and the index are made for; nothing of an encoder that was chosen."""
    if encoder is not None:
        return ()
    if not is_english(text):
        return (_NOT_ENGLISH.format(language=LANGUAGES[language_of(text)]),)
    told = Counter(language_of(title) for title in titles)
    if not (foreign := {code: count for code, count in told.most_common() if code not in ("en", "")}):
        return ()
    count = sum(foreign.values())
    named = ", ".join(f"{count} in {LANGUAGES[code]}" for code, count in list(foreign.items())[:_NAMED])
    others = ", …" if len(foreign) > _NAMED else ""
    counts = f"{count} of the {told.total()} titles in the bibliography"
    return (
        f"{counts} {inflected(count, 'is', 'are')} not in English ({named}{others}): under an English text "
        "these are found by names, years and shared words alone, and are often missed",
    )


class QueryFields(TypedDict, total=False):
    """Fields of a `Query` that may be given in addition to its text."""

    kind: QueryKind
    title: str
    abstract: str
    authors: tuple[str, ...]
    preceding: str
    section: str
    member_ids: tuple[str, ...]
    may_be_complete: bool
    known_ids: tuple[str, ...]
    year: int | None
    excluded_ids: tuple[str, ...]
    citing_id: str
    intent: Intent | None


def make_query(question: str | Query = "", **about: Unpack[QueryFields]) -> Query:
    """The query for a raw text, or for a query with raw texts; `about` sets or replaces its fields.

    Unless the kind is given, a title or abstract without a text is ``global``, a text with `member_ids` is a
    ``set``, and any other text is ``local``. Raises QueryError if the texts are empty or have no words, and
    for an unknown kind or intent.
    """
    if isinstance(question, str):
        whole = not question and bool(about.get("title") or about.get("abstract"))
        kind: QueryKind = "global" if whole else "set" if about.get("member_ids") else "local"
        question = Query(kind, question)
    query = replace(question, **about)
    kinds = get_args(QueryKind)
    if query.kind not in kinds:
        raise QueryError(f"there is no query kind {query.kind!r}", hint=f"choose from: {', '.join(kinds)}")
    if query.intent not in (None, *get_args(Intent)):
        raise QueryError(
            f"there is no intent {query.intent!r}", hint=f"choose from: {', '.join(get_args(Intent))}"
        )
    if query.kind == "global":
        if not f"{query.title}{query.abstract}".strip():
            raise QueryError("the query has neither title nor abstract", hint="give one of them")
    elif not any(map(str.isalnum, query.text)):
        what = "has no words" if query.text.strip() else "is empty"
        raise QueryError(f"the text {what}", hint="give the sentence that the citation is for")
    return replace(query, text=clean(query.text), preceding=clean(query.preceding))


# A draft --------------------------------------------------------------------------------------------------


def identify(library: Library, manuscript: Manuscript) -> dict[str, str]:
    """Paper id for each key of the draft's bibliography whose paper is in the library.

    Entries are matched by DOI, or by title, first author and year; entries that cannot be matched so (such as
    those without an author), by a paper with the key as its id. If a bibliography file is missing, cited keys
    that are ids in the library stand for these papers.
    """
    keys = [reference.key for reference in manuscript.references]
    # With its key as id, as in the library of its bibliography.
    entries = [
        reference.paper if reference.paper.id == reference.key else replace(reference.paper, id=reference.key)
        for reference in manuscript.references
    ]
    paper_ids = dict(zip(keys, library.find_all(entries), strict=True))
    others = [
        reference
        for reference in manuscript.references
        if paper_ids[reference.key] is None and reference.paper.title
    ]
    papers = library.papers({reference.paper.id for reference in others})
    for reference in others:
        paper = papers.get(reference.paper.id)
        if paper is not None and not differ(paper, reference.paper):
            paper_ids[reference.key] = paper.id
    if manuscript.unread:
        cited = manuscript.cited_keys - paper_ids.keys()
        paper_ids.update((key, paper.id) for key, paper in library.papers(cited).items())
    return {key: paper_id for key, paper_id in paper_ids.items() if paper_id is not None}


def units_of(manuscript: Manuscript, units: Sequence[UnitKind] = ("place",)) -> Iterator[Unit]:
    """The units of a draft for which papers can be suggested, in reading order.

    ``place``: every open citation. ``set``: every citation with defined keys; if both are requested, an
    open citation with such keys is a set, not a place. ``paragraph``: every paragraph of one or two sentences
    outside of the abstract that cites nothing yet, and every one that a comment asks for, which ``place``
    includes, too. ``draft``: the whole draft, last. Raises QueryError for an unknown unit.
    """
    for unit_name in units:
        if unit_name not in UNITS:
            raise QueryError(f"there is no unit {unit_name!r}", hint=f"choose from: {', '.join(UNITS)}")
    defined = {reference.key for reference in manuscript.references}
    for paragraph in manuscript.paragraphs:
        asked = paragraph.asked and "place" in units and bool(paragraph.sentences)
        if asked or ("paragraph" in units and (paragraph.asked or _is_to_be_written(paragraph))):
            topic = paragraph.sentences[0]
            yield Unit("paragraph", _place(paragraph), sentence=topic, paragraph=paragraph)
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                if "set" in units and not defined.isdisjoint(marker.keys):
                    kind: UnitKind = "set"
                elif "place" in units and marker.open:
                    kind = "place"
                else:
                    continue
                known = defined.union(marker.keys) if manuscript.unread else defined
                undefined = tuple(key for key in marker.keys if key not in known)
                yield Unit(kind, marker.place, marker, sentence, paragraph, undefined)
    if "draft" in units:
        yield Unit("draft", Place(manuscript.path, 0, 0, 1))


def _is_to_be_written(paragraph: Paragraph) -> bool:
    sentences = paragraph.sentences
    cites = any(not marker.open for sentence in sentences for marker in sentence.markers)
    short = 0 < len(sentences) <= _SHORT_PARAGRAPH and paragraph.section.casefold() != "abstract"
    return short and not cites and len(sentences[0].text.split()) >= _TOPIC_WORDS


def _place(paragraph: Paragraph) -> Place:
    first, last = paragraph.sentences[0].place, paragraph.sentences[-1].place
    return replace(first, end=last.end) if first.file == last.file else first


@dataclass(frozen=True, slots=True)
class _Sentences:
    """Holds the sentences of a draft, in reading order."""

    texts: Sequence[str]
    numbers: Mapping[Place, int]
    """Position by place; of the first, for places that several have."""
    paragraphs: Mapping[Place, Paragraph]
    """The paragraphs of the sentences that footnotes hang on."""

    @classmethod
    def of(cls, manuscript: Manuscript) -> _Sentences:
        every = [sentence for paragraph in manuscript.paragraphs for sentence in paragraph.sentences]
        numbers = {sentence.place: number for number, sentence in reversed(list(enumerate(every)))}
        noted = {paragraph.note_to.place for paragraph in manuscript.paragraphs if paragraph.note_to}
        paragraphs = {
            sentence.place: paragraph
            for paragraph in manuscript.paragraphs
            for sentence in paragraph.sentences
            if sentence.place in noted
        }
        return cls([sentence.text for sentence in every], numbers, paragraphs)


@dataclass(frozen=True, slots=True)
class DraftQuestions:
    """The queries of one draft.

    Papers that a sentence already cites are not candidates for its open citations; papers that other
    sentences cite are candidates, and evidence. Entries of the bibliography that the text does not cite are
    not among the known papers, since one file may serve many drafts; nor is the draft itself, if the library
    has it.
    """

    manuscript: Manuscript
    papers: Mapping[str, str]
    """Paper id by citation key (`identify`)."""
    itself: str
    """The paper id of the draft itself, if the library has it; otherwise empty."""
    year: int | None
    """The year as of which the queries are answered; None: without a limit."""
    citations: DraftCitations
    """All citations of the draft."""
    copies: tuple[str, ...] = ()
    """Further papers in the library that are the same document as the draft."""
    _sentences: _Sentences = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sentences", _Sentences.of(self.manuscript))

    @classmethod
    def of(
        cls,
        library: Library,
        manuscript: Manuscript,
        year: int | None = None,
        index: Index | None = None,
        before: DraftQuestions | None = None,
    ) -> DraftQuestions:
        """`year` None: the year of the draft, if it has one, otherwise no limit. With the `index` of the
        library, papers are found that are the same document as the draft, even if title, authors or year
        differ. `before` are the questions of an earlier state of the draft, with the same bibliography, to
        the same library and index: what has not changed since is taken from there."""
        papers = identify(library, manuscript) if before is None else before.papers
        citations = DraftCitations.of(manuscript, papers)
        cited = citations.cited
        if before is not None and before._says_what_it_is(manuscript) and before.citations.cited == cited:
            year = year or manuscript.year
            return cls(manuscript, papers, before.itself, year, citations, before.copies)
        own = Paper("", manuscript.title, authors=manuscript.authors, year=manuscript.year)
        itself = [own_id] if (own_id := library.find(own)) else []
        if index is not None:
            itself += [
                copy_id for copy_id in find_copies(library, index, manuscript, cited) if copy_id != own_id
            ]
        return cls(
            manuscript,
            papers,
            itself[0] if itself else "",
            year or manuscript.year,
            citations,
            tuple(itself[1:]),
        )

    def _says_what_it_is(self, other: Manuscript) -> bool:
        """Whether another state of the draft has the same title, abstract, authors, year and book."""
        states = (self.manuscript, other)
        mine, its = ((one.title, one.abstract, one.authors, one.year, one.book_title) for one in states)
        return mine == its

    def query(self, unit: Unit) -> Query:
        """The query for a unit of the draft (`units_of`)."""
        if unit.kind == "draft" or unit.sentence is None:
            return self.draft()
        if unit.marker is None:
            return self.paragraph(unit)
        return self.members(unit) if unit.kind == "set" else self.place(unit)

    def place(self, unit: Unit, answers: Collection[str] = ()) -> Query:
        """The query for an open citation: its sentence, with the papers that it already has, or that the
        author has chosen for it, as members. In a sentence with several citations, the words between the
        previous citation and this one count twice; so do those of a note that asks for it ("find a reference
        for …"). Before the words of a footnote comes the sentence that it hangs on, whose papers are no
        candidates unless the note names one; "See", "Vgl." or "Ibid." in it say nothing.
        `answers` as for `DraftCitations.for_marker`."""
        sentence, marker = _marked(unit)
        around = self._hangs_on(unit)
        others = sentence.markers
        if around is not None and around.sentence is not None and not _names_a_work(unit):
            others += around.sentence.markers
        beside = {self.papers[key] for other in others for key in other.keys if key in self.papers}
        evidence = self.citations.for_marker(marker.place, answers)
        text = sentence.text
        note = "" if unit.undefined else read_note(marker.note)
        if not any(word.islower() for word in note.split()):
            note = ""  # it names a work, or says nothing
        parts = [text[: marker.offset], "TARGETCIT", text[marker.offset :], _clause(sentence, marker)]
        parts = [_OTHER_NOTE.sub("", part) for part in parts]
        if around is not None and around.sentence is not None:
            parts = [around.sentence.text, *map(content_of, parts)]
        parts += [note, note] if note else []
        written = (self.papers[key] for key in marker.keys if key in self.papers)
        members = dict.fromkeys([*written, *unit.chosen])
        return replace(
            self._common(around or unit),
            kind="set" if members else "local",
            text=" ".join(parts),
            member_ids=tuple(members),
            known_ids=tuple(sorted({*self._known(evidence, marker), *unit.chosen})),
            excluded_ids=tuple(sorted(beside.difference(answers, members))),
            draft=evidence,
        )

    def members(self, unit: Unit) -> Query:
        """The query for a citation that already has papers: its sentence, with these papers as members."""
        sentence, marker = _marked(unit)
        text = sentence.text
        cited = dict.fromkeys(self.papers[key] for key in marker.keys if key in self.papers)
        beside = {key for other in sentence.markers for key in other.keys if key in self.papers}
        return replace(
            self._common(unit),
            kind="set",
            text=" ".join([text[: marker.offset], "TARGETCIT", text[marker.offset :]]),
            member_ids=tuple(cited),
            may_be_complete=not marker.open,
            known_ids=self._cited(),
            excluded_ids=tuple(sorted({self.papers[key] for key in beside} - cited.keys())),
            draft=self.citations.for_marker(marker.place),
        )

    def paragraph(self, unit: Unit) -> Query:
        """The query for a paragraph: its topic sentence, the preceding text, and its heading."""
        text = "" if unit.sentence is None else unit.sentence.text
        evidence = None
        if unit.paragraph is not None and unit.paragraph.sentences:
            first = unit.paragraph.sentences[0].place
            evidence = self.citations.for_paragraph(first, unit.paragraph.section)
        return replace(
            self._common(unit), kind="paragraph", text=text, known_ids=self._cited(), draft=evidence
        )

    def draft(self) -> Query:
        """The query for the whole draft: title, abstract, and all cited papers as known papers."""
        whole = Unit("draft", Place(self.manuscript.path, 0, 0, 1))
        return replace(self._common(whole), kind="global", known_ids=self._cited())

    def _hangs_on(self, unit: Unit) -> Unit | None:
        """The unit with the sentence that its footnote hangs on in place of its own, or the sentence before
        it if its own says nothing ("See [CITE]."); None: its own sentence is what it is about."""
        sentence, paragraph = unit.sentence, unit.paragraph
        if sentence is None or paragraph is None:
            return None
        if (noted := paragraph.note_to) is not None:
            return replace(unit, sentence=noted, paragraph=self._sentences.paragraphs.get(noted.place))
        number = next((n for n, one in enumerate(paragraph.sentences) if one == sentence), 0)
        if not number or content_of(sentence.text):
            return None
        return replace(unit, sentence=paragraph.sentences[number - 1])

    def _common(self, unit: Unit) -> Query:
        """A query with the fields that the queries of all units share."""
        return Query(
            kind="local",
            id=f"{unit.place.file}:{unit.place.start}",
            title=self.manuscript.title,
            abstract=self.manuscript.abstract,
            authors=self.manuscript.authors,
            preceding=self._preceding(unit),
            section="" if unit.paragraph is None else unit.paragraph.section,
            paragraph="" if unit.paragraph is None else _text(unit.paragraph),
            year=self.year,
            citing_id=self.itself,
            copy_ids=self.copies,
        )

    def _known(self, evidence: DraftEvidence, marker: Marker) -> tuple[str, ...]:
        """The sorted ids of all papers that the draft cites, including those at `marker` itself."""
        cited = {paper_id for citation in evidence.citations for paper_id in citation.paper_ids}
        cited |= {self.papers[key] for key in marker.keys if key in self.papers}
        return tuple(sorted(cited - {self.itself}))

    def _cited(self) -> tuple[str, ...]:
        """The sorted ids of all papers that the text cites."""
        keys = (key for marker in self.manuscript.markers for key in marker.keys)
        cited = {self.papers[key] for key in keys if key in self.papers}
        return tuple(sorted(cited - {self.itself}))

    def _preceding(self, unit: Unit) -> str:
        """The sentences before that of the unit, up to `_PRECEDING` characters."""
        number = self._sentences.numbers.get(unit.sentence.place, 0) if unit.sentence else 0
        return _last(self._sentences.texts[:number])


def _marked(unit: Unit) -> tuple[DraftSentence, Marker]:
    if unit.sentence is None or unit.marker is None:
        raise ValueError(f"a {unit.kind} without a citation")
    return unit.sentence, unit.marker


def _names_a_work(unit: Unit) -> bool:
    """Whether it is said which paper an open citation means, if only by "Ibid."."""
    return bool(words_of_again(unit) or (unit.marker and read_note(unit.marker.note)))


def _text(paragraph: Paragraph) -> str:
    return " ".join(sentence.text for sentence in paragraph.sentences)


def _last(sentences: Sequence[str]) -> str:
    size = 0
    for number, text in enumerate(reversed(sentences)):
        size += len(text) + 1
        if size > _PRECEDING:
            return " ".join(sentences[len(sentences) - number :])
    return " ".join(sentences)


def _clause(sentence: DraftSentence, marker: Marker) -> str:
    """The words between the previous citation and this one, or those after it if there is at most one word
    between them; empty if the sentence has no other citation."""
    others = [other.offset for other in sentence.markers if other.offset != marker.offset]
    if not others:
        return ""
    before = max((offset for offset in others if offset < marker.offset), default=0)
    after = min((offset for offset in others if offset > marker.offset), default=len(sentence.text))
    leading = sentence.text[before : marker.offset]
    return leading if len(leading.split()) > 1 else sentence.text[marker.offset : after]
