"""Works that a finished draft should consider: for the whole, for each section, and for the names that it
uses; a set without repetitions that ends by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citewhy.answers.audit.people import same_person
from citewhy.answers.names_used import NameUsed, names_used
from citewhy.answers.questions import DraftQuestions
from citewhy.base.records import DraftSentence, Manuscript, Paper, Place, Query, Reason, Suggestion
from citewhy.drafts.claims import is_read
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.taken_back import not_taken_back
from citewhy.ranking.missing.considering import Considered
from citewhy.ranking.recommender import Recommender
from citewhy.text.alike import same_title, title_stems
from citewhy.text.dedupe import work_key
from citewhy.text.names import surname
from citewhy.text.tokens import fold

MOST = 20
"""Maximum number of works."""

_WITHOUT_PROBABILITIES = 10
"""Number of works from a ranking without probabilities, which has no end of its own."""

_MOST_OF_SECTION = 2
"""Maximum number of works that are found for one section alone."""

_SURER = 2.0
"""What is found for a section alone must be so many times as probable: a section says less than the whole."""

_PLAUSIBLE = 0.5
"""What is found for a section must be so many times as probable for the whole as the threshold: words of a
section alone lead astray."""

_SECTION_SENTENCES = 6
"""Minimum number of sentences of a section that is asked for by itself."""

_AT_THE_END = re.compile(r"\b(?:conclu|summary|future|outlook|closing)", re.IGNORECASE)
"""Headings of sections that say again what the others say."""

_SECTIONS = 30
"""Maximum number of sections that are asked for: the longest."""

_SECTION = 1500
"""Characters of a section that are read."""

_KNOWN = 3
"""References of a section from which these are its known papers; else they are those of the whole."""

_AFTER_NAME = 40
"""Characters after a surname in which a year belongs to it."""

_INITIALS = 1
"""Letters of a given name that is an initial."""

_NEAR = 10
"""The first works of a section, which fit it."""

_VERSION = 0.85
"""Cosine from which two works of one first author are versions of one work."""


@dataclass(frozen=True, slots=True)
class MissingWork:
    """A work that a draft should consider."""

    suggestion: Suggestion
    """The work, its probability as a reference of the draft, and why; most telling reasons first."""
    section: str = ""
    """The heading of the section that it was found for; empty for the whole draft."""
    place: Place | None = None
    """The sentence that it concerns, if there is one."""


@dataclass(frozen=True, slots=True)
class MissingWorks:
    """What a draft does not cite and should consider, as of a year."""

    works: tuple[MissingWork, ...]
    """Most probable first."""
    year: int | None
    """The as-of year; None without a limit."""
    references: int
    """Number of the works that it cites and the library has."""
    cited: int
    """Number of the works that it cites."""
    sections: tuple[str, ...]
    """The headings of the sections that were asked for."""


def missing_works(
    recommender: Recommender,
    questions: DraftQuestions,
    most: int = MOST,
    admits: Callable[[Paper], bool] = lambda paper: True,
    with_key: Callable[[Suggestion], Suggestion] = lambda suggestion: suggestion,
) -> MissingWorks:
    """The works that a draft should consider, at most `most`, of those that the caller `admits`: no works of
    its own authors, none that it cites in another version, and of several versions one. They end where the
    next would be less probable than the threshold of the model. `with_key` gives a suggestion the key that
    the draft would cite it by."""
    manuscript = questions.manuscript
    whole = recommender.considered(questions.draft())
    sections = list(_sections(questions))
    found = _Found(questions, most, admits)
    for name in names_used(recommender.index, recommender.library, whole.scoped, manuscript):
        found.take_named(name, recommender.library)
    found.take(whole)
    parts = [(heading, recommender.considered(query)) for heading, query in sections]
    for heading, part in parts:
        found.take(part, heading)
    works = [replace(one, suggestion=with_key(one.suggestion)) for one in found.works]
    cited = manuscript.cited_keys
    return MissingWorks(
        tuple(_with_sections(works, parts)),
        questions.year,
        len(whole.scoped.known),
        len(cited),
        tuple(heading for heading, _ in sections),
    )


def _with_sections(
    works: Sequence[MissingWork], parts: Sequence[tuple[str, Considered]]
) -> Iterator[MissingWork]:
    """The works, those for the whole with the section to which each is most similar, of those of which it is
    among the first."""
    firsts = [(heading, part.ids[:_NEAR], part.cosines.tolist()) for heading, part in parts]
    for work in works:
        name = work.suggestion.paper.id
        places = [
            (-cosines[ids.index(name)], ids.index(name), heading)
            for heading, ids, cosines in firsts
            if name in ids
        ]
        if work.section or work.place is not None or not places:
            yield work
            continue
        reason = Reason("section", f"fits the section “{min(places)[-1]}”")
        reasons = work.suggestion.reasons
        yield replace(work, suggestion=replace(work.suggestion, reasons=(*reasons[:1], reason, *reasons[1:])))


# The questions --------------------------------------------------------------------------------------------


def _sections(questions: DraftQuestions) -> Iterator[tuple[str, Query]]:
    """The headings of the longest sections, in reading order, and their questions: those for a whole paper
    with such an abstract."""
    whole = questions.draft()
    sections = _by_section(questions.manuscript)
    longest = sorted(sections, key=lambda heading: -len(sections[heading]))[:_SECTIONS]
    for heading in (heading for heading in sections if heading in longest):
        sentences = sections[heading]
        keys = (key for sentence in sentences for marker in sentence.markers for key in marker.keys)
        cited = {questions.papers[key] for key in keys if key in questions.papers} & set(whole.known_ids)
        text = " ".join(sentence.text for sentence in sentences)
        yield (
            heading,
            replace(
                whole,
                id=f"{whole.id}:{heading}",
                title=f"{whole.title}: {heading}",
                abstract=text[:_SECTION],
                known_ids=tuple(sorted(cited)) if len(cited) >= _KNOWN else whole.known_ids,
                excluded_ids=(*whole.excluded_ids, *whole.known_ids),
            ),
        )


def _by_section(manuscript: Manuscript) -> dict[str, list[DraftSentence]]:
    """The sentences of each section that is long enough, and says something of its own."""
    sections: dict[str, list[DraftSentence]] = {}
    for paragraph in manuscript.paragraphs:
        if paragraph.section and is_read(paragraph) and not _AT_THE_END.search(paragraph.section):
            sections.setdefault(paragraph.section, []).extend(paragraph.sentences)
    return {
        heading: sentences for heading, sentences in sections.items() if len(sentences) >= _SECTION_SENTENCES
    }


# The set --------------------------------------------------------------------------------------------------


class _Found:
    """The works that were found so far."""

    def __init__(self, questions: DraftQuestions, most: int, admits: Callable[[Paper], bool]) -> None:
        self.works: list[MissingWork] = []
        self._found = _Works()
        self._most = most
        self._admits = admits
        manuscript = questions.manuscript
        self._authors = manuscript.authors
        self._plausible: set[str] = set()
        """The ids of works that the whole draft may consider."""
        cited = manuscript.cited_keys | set(manuscript.nocite)
        every = "*" in cited  # all entries are printed
        self._cited = _Works(one.paper for one in manuscript.references if every or one.key in cited)
        self._left_out: dict[str, bool] = {}
        """By id, whether a work is left out because of the draft, which does not change."""
        self._text = fold(
            " ".join(sentence.text for one in manuscript.paragraphs for sentence in one.sentences)
        )

    def take_named(self, name: NameUsed, library: Library) -> None:
        """Takes the paper that introduces a name which the draft uses, unless it was taken back."""
        if len(self.works) < self._most and self._is_new(name.paper):
            named = Suggestion(name.paper, 0.0, (Reason("introduces", name.why),))
            self._add(MissingWork(one, place=name.place) for one in not_taken_back(library, [named]))

    def take(self, considered: Considered, section: str = "") -> None:
        """Takes the most probable works of the whole draft, or of a section, as far as they are probable
        enough."""
        chances, ids = considered.probabilities, considered.ids
        papers = considered.library.papers(ids)
        least = considered.threshold * (_SURER if section else 1)
        room = self._most - len(self.works)
        most = min(room, _MOST_OF_SECTION) if section else room
        if not len(chances):
            most = min(most, 0 if section else _WITHOUT_PROBABILITIES)
        if not section:
            pairs = zip(ids, chances.tolist(), strict=False)
            self._plausible = {name for name, chance in pairs if chance >= _PLAUSIBLE * least}
        taken: list[int] = []
        for position, paper_id in enumerate(ids):
            if len(taken) >= most or (len(chances) and chances[position] < least):
                break
            paper = papers.get(paper_id)
            if paper is None or (section and paper_id not in self._plausible) or not self._is_new(paper):
                continue
            others = [papers[ids[other]] for other in taken]
            if not _repeats(paper, others, considered.alike(position, taken).tolist()):
                taken.append(position)
        self._add(MissingWork(one, section) for one in considered.suggestions(taken))

    def _add(self, works: Iterable[MissingWork]) -> None:
        for work in works:
            self.works.append(work)
            self._found.add(work.suggestion.paper)

    def _is_new(self, paper: Paper) -> bool:
        """Whether a paper is neither the authors' own, nor cited in any version or by name and year in the
        text, nor found already."""
        if (left_out := self._left_out.get(paper.id)) is None:
            left_out = self._left_out[paper.id] = self._is_left_out(paper)
        return not left_out and not self._found.has(paper)

    def _is_left_out(self, paper: Paper) -> bool:
        if not self._admits(paper) or paper.own:
            return True
        if any(_is_surely(one, other) for one in paper.authors for other in self._authors):
            return True
        return self._cited.has(paper) or _is_named(self._text, paper)


def _is_surely(one: str, other: str) -> bool:
    """Whether two names are one person's, and not only may be: given names that both have in full are equal,
    but for one that is the beginning of the other ("Dan", "Daniel")."""
    if "\ufffd" in one or "\ufffd" in other or not same_person(one, other):
        return False
    ours, theirs = (
        {word for word in fold(name).replace(".", " ").split() if len(word) > _INITIALS}
        for name in (one, other)
    )
    family = {fold(surname(one)), fold(surname(other))}
    mine, yours = ours - family, theirs - family
    if not mine or not yours:
        return True
    return any(a.startswith(b) or b.startswith(a) for a in mine for b in yours)


class _Works:
    """Works that are known in some version; what is compared of each is computed once."""

    def __init__(self, papers: Iterable[Paper] = ()) -> None:
        self._keys: set[int] = set()
        self._titles: list[tuple[frozenset[str], Paper]] = []
        for paper in papers:
            self.add(paper)

    def add(self, paper: Paper) -> None:
        if (key := work_key(paper)) is not None:
            self._keys.add(key)
        self._titles.append((title_stems(paper.title), paper))

    def has(self, paper: Paper) -> bool:
        """Whether one of them is the same work: it has the same title, or nearly so by somebody who wrote
        both."""
        if work_key(paper) in self._keys:
            return True
        title = title_stems(paper.title)
        return any(same_title(title, known) and _may_be_by(paper, other) for known, other in self._titles)


def _may_be_by(one: Paper, other: Paper) -> bool:
    """Whether somebody wrote both, or nobody knows who wrote one of them."""
    return not (one.authors and other.authors) or any(
        same_person(name, another) for name in one.authors for another in other.authors
    )


def _repeats(paper: Paper, others: Sequence[Paper], cosines: Sequence[float]) -> bool:
    """Whether a work is a version of one of the `others`, or its first author's other report of the same."""
    if _Works(others).has(paper):
        return True
    return any(
        cosine >= _VERSION
        and bool(paper.authors and other.authors)
        and same_person(paper.authors[0], other.authors[0])
        for other, cosine in zip(others, cosines, strict=True)
    )


def _is_named(text: str, paper: Paper) -> bool:
    """Whether a folded text names the first author of a paper, and its year soon after, without a citation
    that could be read."""
    if not paper.authors or not paper.year:
        return False
    name, year = re.escape(fold(surname(paper.authors[0]))), paper.year
    if not name:
        return False
    near = rf"(?<!\w){name}(?!\w).{{0,{_AFTER_NAME}}}?(?<!\d){year}(?!\d)"
    return re.search(near, text) is not None
