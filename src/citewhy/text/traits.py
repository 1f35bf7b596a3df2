"""Compares what records of one paper agree in: contradictions between records that have the same title.

Two records contradict each other where both know a trait and it differs. What only one of them knows is no
contradiction. Traits are compared by equality, so that records are sorted into groups in time that grows with
their number (`agreeing`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from citewhy.base.records import Paper, Publication
from citewhy.text.names import latin, surname, without_umlauts
from citewhy.text.person import name_of, parts
from citewhy.text.tokens import STOP_WORDS, fold

SHORT_TITLE = 3
"""Titles with fewer words identify a paper only within a venue and a year: "Topic Levels"."""

_WORD = re.compile(r"[^\W_]+")
"""Words in any script, so that an English name in a Chinese title is not taken for the title."""

_SCRIPT = re.compile(r"(?<=[^\W_])[_^]+(?=[^\W_])")
"""Marks of sub- and superscripts within a word: C_4H_4 is C4H4."""

_SIGNED = re.compile(r"(?<![^\W_])[^\W_][+#*]+(?!\w)")
"""A letter with signs, which are part of the name: C++, C#, A*."""

_COLUMN_TITLES = frozenset(
    """abstract abstracts acknowledgements acknowledgments address announcement announcements book closing
    conclusion conclusions contents corrigendum discussion editor editorial editors erratum foreword
    guest index introduction invited issue keynote letter letters message note notes obituary opening
    overview panel preface program programme remarks report review reviews s session special summary
    talk tutorial workshop""".split()  # noqa: SIM905 (a list of words reads better as text)
)
"""A title with only such words ("Guest Editors' Introduction") does not identify a paper."""

_YEARLY = frozenset(("annual", "bulletin", "census", "notes", "report", "reports", "yearbook", "yearly"))
"""Words in the titles of what appears again every year."""

_PREPRINT = re.compile(
    r"arxiv|\bcorr\b|biorxiv|medrxiv|psyarxiv|chemrxiv|socarxiv|ssrn|preprint|research square"
)
_PREPRINT_DOI = re.compile(r"10\.(?:1101/\d|(?:48550|2139|21203|31234|31235|20944|26434|36227|22541)/)")
"""10.1101 is a publisher's, too, whose journals have letters behind it."""

_WHOLE = {"book": True, "collection": True, "chapter": False, "entry": False,
          "entry-encyclopedia": False, "entry-dictionary": False}  # fmt: skip
_THESIS = {"thesis": True, "article-journal": False, "paper-conference": False, "chapter": False}
_NO_TEXT = frozenset(
    ("dataset", "software", "motion_picture", "broadcast", "song", "graphic", "map", "patent")
)
_UNCLEAR = frozenset(("", "document", "webpage", "post", "post-weblog", "manuscript"))
"""Types that stand for anything, as BibTeX's ``@misc`` does."""

_NUMBERED = frozenset(("report", "standard", "patent", "legislation", "bill"))

_SHORT_FORENAMES = {
    "bill": "william", "bob": "robert", "dick": "richard", "jim": "james", "joe": "joseph",
    "kate": "katherine", "liz": "elizabeth", "mike": "michael", "tom": "thomas", "tony": "anthony",
    "jeff": "geoffrey", "nick": "nicholas", "dave": "david", "chris": "christopher",
}  # fmt: skip

_PARTS_OF_SURNAMES = re.compile(r"[^-\u2010\s]+")
"""Between hyphens, ASCII's or Unicode's, and spaces."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

Known = tuple[object, ...]
"""Values of traits; None: unknown."""


class Traits(NamedTuple):
    """Holds what is compared of records that have the same title and the same surname of the first author."""

    signs: frozenset[str]
    """Signs in the title, such as that of C++: equal in all records of a paper."""
    frame: Known
    """Year and container, if the title is short or there are no authors: equal in all records of a paper
    that do not stand in the same place."""
    names: Known
    """Given name of the first author, and the second author."""
    known: Known
    """All other traits."""
    year: int | None
    preprint: bool
    people: tuple[str, ...]
    """The surnames of all authors; empty if the record names only some."""
    place: tuple[str, str] | None
    """Volume and first page: what stands there is one paper, however its authors are written."""

    @property
    def crowd(self) -> frozenset[str]:
        """The surnames of three authors or more, which are the same people in whatever order."""
        return frozenset(self.people) if len(self.people) > 2 else frozenset()


def words_of(title: str) -> list[str]:
    """The folded words of a title in any script, in order."""
    return _WORD.findall(_SCRIPT.sub("", fold(title)))


def title_words(title: str) -> frozenset[str]:
    """The folded words of a title; without function words, if it has others."""
    words = frozenset(words_of(title))
    return words - STOP_WORDS or words


def is_short(title: str) -> bool:
    """Whether a title has fewer than `SHORT_TITLE` words."""
    return len(words_of(title)) < SHORT_TITLE


def is_column(title: str) -> bool:
    """Whether a title identifies no paper: it is empty, or what journals print in every issue."""
    return _COLUMN_TITLES.issuperset(word for word in words_of(title) if word not in STOP_WORDS)


def traits_of(paper: Paper) -> Traits | None:
    """The traits of a paper; None if it says too little to be recognised by its title: one without authors
    or with a short title needs a year, and one that lacks both needs something that it appeared in."""
    publication = paper.publication or Publication()
    preprint = is_preprint(paper)
    frame: Known = ()
    if is_short(paper.title) or not paper.authors:
        container = fold(paper.venue or publication.container) or (
            "" if paper.authors else urlsplit(paper.url).netloc.removeprefix("www.")
        )
        if paper.year is None or not (paper.authors or container or not is_short(paper.title)):
            return None
        frame = (paper.year, container)
    yearly = not preprint and not _YEARLY.isdisjoint(words_of(paper.title))
    volume, page = (None, None) if preprint else (_digits(publication.volume), start_page(publication))
    known = (
        *_kind(publication),
        volume if publication.type == "article-journal" else None,  # others are counted in several ways
        page,
        _edition(publication.edition),
        fold(publication.version).removeprefix("v").strip() or None,
        _digits(publication.number) if publication.type in _NUMBERED else None,
        paper.year if yearly else None,
        None if paper.authors else paper.url.rpartition("://")[2].rstrip("/").lower() or None,
    )
    return Traits(
        frozenset(_SIGNED.findall(fold(paper.title))),
        frame,
        _names(paper.authors),
        known,
        paper.year,
        preprint,
        () if any(map(_is_rest, paper.authors)) else tuple(map(family, paper.authors)),
        (volume, page) if volume and page else None,
    )


def same_work(one: Traits, other: Traits) -> bool:
    """Whether two records with one title and one surname of the first author are one paper."""
    if one.signs != other.signs or not agree(one.known, other.known):
        return False
    if one.place is not None and one.place == other.place:
        return True
    same_people = bool(one.crowd) and one.crowd == other.crowd
    if one.frame != other.frame or not (same_people or agree(one.names, other.names)):
        return False
    if (one.preprint or other.preprint) and one.people and one.people == other.people:
        return True
    return one.year is None or other.year is None or abs(one.year - other.year) <= 1


def family(name: str) -> str:
    """A surname as it is compared: without accents, umlauts in one spelling, the last word of a compound one.

    >>> family("Jörg Müller"), family("Mueller, J."), family("Ana García-Márquez")
    ('muller', 'muller', 'marquez')
    """
    last = _PARTS_OF_SURNAMES.findall(without_umlauts(latin(surname(name))))
    return "".join(filter(str.isalnum, last[-1])) if last else ""


def _names(authors: Sequence[str]) -> Known:
    second = family(authors[1]) if len(authors) > 1 and not _is_rest(authors[1]) else None
    return *_given(authors[0] if authors else ""), second


def traits_within_doi(paper: Paper) -> Known:
    """The traits of a record that are compared with those of another one that has its DOI and another title:
    chapters often have the DOI of their book."""
    publication = paper.publication or Publication()
    first = family(paper.authors[0]) if paper.authors else None
    chapter = fold(publication.chapter) or None
    return first, start_page(publication), chapter, *_kind(publication)


def is_preprint(paper: Paper) -> bool:
    """Whether a record describes a preprint, not what was published later."""
    publication = paper.publication or Publication()
    venue = fold(paper.venue or publication.container)
    if publication.type == "article" or _PREPRINT_DOI.match(paper.doi) or _PREPRINT.search(venue):
        return True
    return not venue and (bool(publication.arxiv) or "arxiv.org/" in paper.url)


def agree(one: Known, other: Known) -> bool:
    """Whether no trait that both know differs."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def agreeing(known: Sequence[Known]) -> Iterator[tuple[list[int], list[int]]]:
    """Pairs of lists of positions: every record of the one list agrees with every record of the other.

    All pairs that agree are in some pair of lists. Records with the same traits known are compared by their
    values, and others by what both know, so that the time grows with the number of records.
    """
    groups: dict[tuple[int, ...], dict[Known, list[int]]] = defaultdict(lambda: defaultdict(list))
    for position, values in enumerate(known):
        mask = tuple(trait for trait, value in enumerate(values) if value is not None)
        groups[mask][values].append(position)
    masks = list(groups)
    for number, mask in enumerate(masks):
        yield from ((same, same) for same in groups[mask].values())
        for other in masks[:number]:
            both = [trait for trait in mask if trait in other]
            ours, theirs = _by_some(groups[mask], both), _by_some(groups[other], both)
            yield from ((ours[values], theirs[values]) for values in ours.keys() & theirs.keys())


def _by_some(group: dict[Known, list[int]], traits: Sequence[int]) -> dict[Known, list[int]]:
    by_values: dict[Known, list[int]] = defaultdict(list)
    for values, positions in group.items():
        by_values[tuple([values[trait] for trait in traits])].extend(positions)
    return by_values


def _given(name: str) -> tuple[str | None, str | None]:
    """The initial of a given name, and the beginning of one that is written out."""
    known = name if hasattr(name, "given") else name_of(name) if "," in name else name
    given = parts(known).given.split()
    letters = "".join(filter(str.isalpha, without_umlauts(latin(given[0])))) if given else ""
    if not letters:
        return None, None
    letters = _SHORT_FORENAMES.get(letters, letters)
    initials = "." in given[0] or len(letters) < 3 or (given[0].isupper() and len(letters) < 4)
    return letters[0], None if initials else letters[:3]


def _is_rest(name: str) -> bool:
    """Whether a name stands for further authors."""
    return fold(name).rstrip(".") in ("others", "et al", "and others")


def _kind(publication: Publication) -> tuple[object, ...]:
    kind = publication.type
    medium = kind if kind in _NO_TEXT else None if kind in _UNCLEAR else "text"
    return medium, _WHOLE.get(kind), _THESIS.get(kind)


def start_page(publication: Publication) -> str | None:
    """The first page; None if it is 1, since many count the pages of a file."""
    page = _digits(publication.pages)
    return None if page == "1" or re.search(r"\d\s*p", publication.pages) else page


def _digits(text: str) -> str | None:
    """The first number in a text."""
    digits = re.search(r"\d+", text)
    return digits[0].lstrip("0") or "0" if digits else None


def _edition(text: str) -> str | None:
    ordinal = next((str(at) for at, word in enumerate(_ORDINALS, 1) if word in fold(text)), None)
    return ordinal or _digits(text)
