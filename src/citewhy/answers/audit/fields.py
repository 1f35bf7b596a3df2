"""What an entry says beside title and authors, and which of it the library's record contradicts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from citewhy.answers.audit import people, titles, venues
from citewhy.answers.audit.verdicts import Difference
from citewhy.base.records import Paper, Publication
from citewhy.papers.formats.fields import arxiv_numbers
from citewhy.text.traits import is_preprint, start_page

_REST = re.compile(r"\bothers\b|\bet\.?\s+al\b|…|\.\.\.\s*[}\"]", re.IGNORECASE)
_AUTHORS = re.compile(r"\bauthor\s*=\s*(.*?)(?=,\s*[\w-]+\s*=|\Z)", re.IGNORECASE | re.DOTALL)

_SECOND_REGISTRANTS = re.compile(
    r"10/|10\.1101/\d|10\.(?:2307|5555|48550|3410|2139|21203|31219|31234|31235|20944|5281|6084|1184|13140|31224|17863|3929|25560)/"
)
"""Archives and repositories, which give a DOI of their own to what others published; and short DOIs."""

_APART = 1
_APART_OF_PREPRINTS = 4
"""Years that records of one paper may be apart: it is online before it is printed; a preprint is earlier."""

_WHOLE = frozenset(("book", "collection", "thesis", "report", "webpage", "software", "dataset", "document"))
"""What appears in editions and versions."""
_VERSIONED = frozenset(("software", "dataset", "document", "webpage"))
"""What other people may have worked on each year."""


def published(paper: Paper) -> Publication:
    return paper.publication or Publication()


def is_of_publisher(doi: str) -> bool:
    """Whether a DOI is neither short, nor that of an archive or of what is written about a paper."""
    return not _SECOND_REGISTRANTS.match(doi)


def venue_of(paper: Paper) -> str:
    """The journal or the meeting; empty where only a publisher is known."""
    publication = paper.publication
    if publication is None:
        return paper.venue
    return publication.container or ("" if paper.venue == publication.publisher else paper.venue)


def has_rest(paper: Paper) -> bool:
    """Whether an entry says that it leaves out authors."""
    if paper.source is None:
        return any(_REST.search(name) for name in paper.authors)
    written = _AUTHORS.search(paper.source.text)
    return bool(written and _REST.search(written[1]))


@dataclass(frozen=True)
class Compared:
    """An entry beside a paper of the library."""

    entry: Paper
    known: Paper

    @cached_property
    def title(self) -> titles.TitleRelation:
        return titles.relation(self.entry.title, self.known.title)

    @cached_property
    def people(self) -> people.Agreement:
        return people.compare(
            self.entry.authors,
            self.known.authors,
            rest=has_rest(self.entry),
            known_rest=has_rest(self.known),
        )

    @cached_property
    def same_number(self) -> bool:
        """Whether a DOI or a number at arXiv is the same."""
        if self.entry.doi and self.entry.doi == self.known.doi:
            return True
        return not set(_numbers(self.entry)).isdisjoint(_numbers(self.known))

    @cached_property
    def venue(self) -> venues.Relation:
        """How the venues compare; nothing is said of preprints."""
        if self.is_preprint:
            return "unclear"
        ours, theirs = venue_of(self.entry), venue_of(self.known)
        found = venues.relation(ours, theirs)
        short = published(self.known).container_short
        return "same" if found != "same" and short and venues.relation(ours, short) == "same" else found

    @cached_property
    def is_preprint(self) -> bool:
        """Whether one of them is a preprint."""
        return is_preprint(self.entry) or is_preprint(self.known)

    @cached_property
    def years_apart(self) -> int:
        """0 if a year is unknown."""
        if self.entry.year is None or self.known.year is None:
            return 0
        return abs(self.entry.year - self.known.year)

    @cached_property
    def same_place(self) -> bool:
        """Whether volume and first page are known of both, and equal."""
        ours, theirs = published(self.entry), published(self.known)
        pages = start_page(ours), start_page(theirs)
        return bool(
            pages[0]
            and pages[0] == pages[1]
            and (self.venue == "same" or (ours.volume and _number(ours.volume) == _number(theirs.volume)))
        )

    @cached_property
    def is_elsewhere(self) -> bool:
        """Whether volume and first page are known of both, and both are others. Of a title that is not
        distinctive, pages are enough."""
        ours, theirs = published(self.entry), published(self.known)
        pages = _page(ours), _page(theirs)
        volumes = _number(ours.volume), _number(theirs.volume)
        if self.same_number or self.is_preprint or not all(pages) or pages[0] == pages[1]:
            return False
        return (all(volumes) and volumes[0] != volumes[1]) or not titles.distinctive(self.entry.title)

    @cached_property
    def same_time(self) -> bool:
        if (
            is_preprint(self.known)
            and not is_preprint(self.entry)
            and (self.entry.year or 0) < (self.known.year or 0)
        ):
            return self.years_apart <= _APART
        return self.years_apart <= (_APART_OF_PREPRINTS if self.is_preprint else _APART)

    @cached_property
    def is_other_version(self) -> bool:
        """Whether they seem to be two publications of one work: a paper of a meeting and the article of a
        journal, editions of a book."""
        if self.same_number or self.is_preprint:
            return False
        ours, theirs = published(self.entry), published(self.known)
        if (
            ours.type in _WHOLE
            or theirs.type in _WHOLE
            or (ours.type == "chapter") != (theirs.type == "chapter")
        ):
            return True
        return self._are_journal_and_meeting

    @cached_property
    def _are_journal_and_meeting(self) -> bool:
        ours, theirs = published(self.entry), published(self.known)
        types = {ours.type, theirs.type}
        journals = venues.is_journal(venue_of(self.entry)), venues.is_journal(venue_of(self.known))
        if self.venue == "same":
            return False
        if journals[0] == journals[1]:
            journal = ours if ours.type == "article-journal" else theirs
            return types == {"article-journal", "paper-conference"} and bool(journal.volume and journal.pages)
        journal = ours if journals[0] else theirs
        return bool(journal.volume or journal.pages) or (
            self.years_apart > 0 and bool(venues.series(venue_of(self.entry)))
        )

    @cached_property
    def rank(self) -> tuple[int, ...]:
        """The smaller, the more the two agree."""
        agreement = {"same": 0, "unclear": 1, "order": 1, "part": 2, "names": 2, "none": 4}[self.people.kind]
        return (
            ("equal", "variant", "near", "other").index(self.title),
            agreement,
            not self.same_number,
            is_preprint(self.entry) != is_preprint(self.known),
            ("same", "unclear", "other").index(self.venue),
            min(self.years_apart, 9),
        )

    @property
    def is_surely_it(self) -> bool:
        """Whether title, authors, venue and year agree, of a title that no other paper has, so that what one
        of two records of what was published lacks can be taken from the other."""
        return (
            self.title == "equal"
            and titles.distinctive(self.entry.title)
            and self.people.kind == "same"
            and self.venue == "same"
            and self.years_apart <= _APART
            and not self.is_preprint
        )

    def differences(self) -> tuple[Difference, ...]:
        """The fields, beside the title, in which the entry contradicts the library."""
        found = [self._authors(), self._year(), self._venue(), self._doi(), *self._inside()]
        return tuple(difference for difference in found if difference is not None)

    def _authors(self) -> Difference | None:
        agreement = self.people
        if agreement.kind in ("same", "unclear"):
            return None
        if agreement.kind == "order" and self.people.shared > 1 and _same_first(self.entry, self.known):
            return None
        if self.is_other_version and (
            agreement.kind == "order"
            or self._is_versioned
            or (agreement.kind != "none" and (self._are_journal_and_meeting or self.years_apart > 0))
        ):
            return None
        return Difference("authors", people.shown(self.entry.authors), people.shown(self.known.authors))

    @property
    def _is_versioned(self) -> bool:
        return not _VERSIONED.isdisjoint((published(self.entry).type, published(self.known).type))

    def _year(self) -> Difference | None:
        if self.same_time or self.entry.year is None or self.known.year is None:
            return None
        exact = self.title == "equal" and self.people.kind == "same"
        early = (
            exact
            and is_preprint(self.known)
            and self.entry.year < self.known.year
            and titles.distinctive(self.entry.title)
        )
        if self.is_other_version or (self.is_preprint and not self.same_number and not early):
            return None
        same = early or self.venue == "same" or self.same_place or self.same_number
        alone = exact and self._says_nothing_else and titles.distinctive(self.entry.title)
        if not same and not alone and not (self.venue == "other" and exact):
            return None
        sure = exact and not self.is_preprint and self.entry.doi != "" and self.entry.doi == self.known.doi
        return Difference("year", str(self.entry.year), str(self.known.year), certain=sure)

    @property
    def _says_nothing_else(self) -> bool:
        """Whether an entry gives a title, authors and a year alone, one that no other version has."""
        bare = not venue_of(self.entry) and not self.entry.doi and not published(self.entry).publisher
        return bare and self.years_apart > _APART_OF_PREPRINTS

    def _venue(self) -> Difference | None:
        beside = any(map(venues.is_beside, (venue_of(self.entry), venue_of(self.known))))
        if self.venue != "other" or self.is_other_version or beside:
            return None
        return Difference("venue", venue_of(self.entry), venue_of(self.known))

    def _doi(self) -> Difference | None:
        ours, theirs = self.entry.doi, self.known.doi
        if not ours or not theirs or ours == theirs or self.is_other_version:
            return None
        if re.fullmatch(rf"{re.escape(ours)}[./][a-z]+", theirs):
            return None  # a word that stood behind it
        if _SECOND_REGISTRANTS.match(ours) or _SECOND_REGISTRANTS.match(theirs):
            return None
        if self.is_preprint or self.venue == "other":
            return None
        return Difference("doi", ours, theirs)

    def _inside(self) -> list[Difference]:
        """Volume and first page, where both are in one journal."""
        ours, theirs = published(self.entry), published(self.known)
        if self.venue != "same" or self.is_preprint or not self.same_time:
            return []
        found = []
        if venues.is_journal(venue_of(self.entry)):
            volumes = _number(ours.volume), _number(theirs.volume)
            if all(volumes) and volumes[0] != volumes[1] and not _is_year(volumes, self.known.year):
                found.append(Difference("volume", ours.volume, theirs.volume))
        pages = _page(ours), _page(theirs)
        if all(pages) and pages[0] != pages[1] and all(map(_is_range, (ours.pages, theirs.pages))):
            found.append(Difference("pages", ours.pages, theirs.pages))
        return found


def _page(publication: Publication) -> str:
    """The first page; empty where a file only counts them."""
    page = start_page(publication) or ""
    return "" if re.fullmatch(r"0*1?", page) or "-" not in publication.pages.replace("–", "-") else page


def _numbers(paper: Paper) -> tuple[str, ...]:
    known = published(paper).arxiv
    return (*arxiv_numbers(paper), *([known] if known else ()))


def _number(text: str) -> str:
    digits = re.search(r"\d+", text)
    return digits[0].lstrip("0") if digits else ""


def _is_year(volumes: tuple[str, str], year: int | None) -> bool:
    """Whether a volume is called by its year."""
    return (
        any(len(volume) == 4 and volume.startswith(("19", "20")) for volume in volumes)
        or str(year) in volumes
    )


def _is_range(pages: str) -> bool:
    return re.fullmatch(r"\s*\d{1,6}\s*[-–—]+\s*\d{1,6}\s*", pages) is not None


def _same_first(entry: Paper, known: Paper) -> bool:
    return people.same_person(entry.authors[0], known.authors[0])
