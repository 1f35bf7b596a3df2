"""Deciding whether two records describe the same paper, and merging them."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace

from citewhy.base.records import Paper
from citewhy.text.traits import (
    agree,
    family,
    is_column,
    is_short,
    same_work,
    title_words,
    traits_of,
    traits_within_doi,
    words_of,
)

_FIELDS = tuple(field.name for field in fields(Paper) if field.name not in ("id", "publication", "source"))


def work_key(paper: Paper) -> int | None:
    """A hash of the first author's surname (`traits.family`) and title, equal for records that may be the
    same paper.

    A signed 64-bit number, the same on every machine; None if the title does not identify a paper, or the
    record has neither authors nor a venue.
    """
    words = words_of(paper.title)
    if is_column(paper.title) or not (paper.authors or paper.venue):
        return None
    text = "\x1f".join([family(paper.authors[0]) if paper.authors else "", *words])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def same_paper(one: Paper, other: Paper) -> bool:
    """Whether two records describe the same paper.

    They do if they have the same title, the same surname of the first author and years that differ by at most
    one, and do not contradict each other (`traits`): in given names, the second author, volume or first page,
    edition, version, or in being a data set, a book or a chapter. Where volume and first page are the same,
    other names and years are other spellings, and so are other names where all surnames are the same. A
    preprint is the same paper as what has its title and all its authors, whatever the years. Titles with
    fewer than `traits.SHORT_TITLE` words, and records without authors, require the same known year and venue;
    for others a year may be unknown.

    A common DOI is enough if the titles are equal or one has half of the words of the other and nothing is
    contradicted: bibliographies give a book's DOI to its chapters. Different DOIs do not separate records: a
    preprint and the published paper have one each.
    """
    if one.doi and one.doi == other.doi:
        if identifies(one.title) and title_words(one.title) == title_words(other.title):
            return True
        if same_by_name(one, other):
            return True
    key = work_key(one)
    if key is None or key != work_key(other):
        return False
    mine, yours = traits_of(one), traits_of(other)
    return mine is not None and yours is not None and same_work(mine, yours)


def same_by_name(one: Paper, other: Paper) -> bool:
    """Whether records that somebody gave one name, such as a DOI, are one paper: half of the words of the one
    title are in the other, and nothing is contradicted."""
    return titles_resemble(one.title, other.title) and agree(traits_within_doi(one), traits_within_doi(other))


def certain(one: Paper, other: Paper) -> bool:
    """Whether no person needs to look at the merging of two records that are the same paper: titles and all
    authors are equal, and so are years or DOIs, or one is a preprint."""
    if title_words(one.title) != title_words(other.title):
        return False
    if one.doi and one.doi == other.doi:
        return True
    mine, yours = traits_of(one), traits_of(other)
    if mine is None or yours is None or mine.people != yours.people:
        return False
    return one.year == other.year or (bool(mine.people) and (mine.preprint or yours.preprint))


def identifies(title: str) -> bool:
    """Whether a title alone tells a paper from others of the same DOI."""
    return not is_short(title) and not is_column(title)


def clash(old: Paper, new: Paper) -> bool:
    """Whether two records with the same id are different papers, like ``smith2020`` in two people's files.

    This requires titles that share less than half of their words, and different DOIs (or authors, if a DOI is
    missing). Otherwise the newer record is a correction of the older one. Keys of bibliographies are whatever
    their authors like: there it is enough that no DOI says that both titles are of one paper, and of titles
    that only resemble each other, that DOIs, years, or volume and first page contradict. Of a made title
    (`is_made`) nothing can be said: then the first authors decide.
    """
    if is_made(old) or is_made(new):
        return _other_first_author(old, new)
    of_keys = old.source is not None and new.source is not None
    if titles_resemble(old.title, new.title):
        return of_keys and not titles_agree(old.title, new.title) and _elsewhere(old, new)
    if old.doi and new.doi:
        return old.doi != new.doi
    return of_keys or bool(old.authors and new.authors and _surnames(old) != _surnames(new))


def differ(one: Paper, other: Paper) -> bool:
    """Whether records of two bibliographies under one key are two papers.

    Stricter than `clash`, since nobody corrects one bibliography in another: titles of which neither contains
    the other, first authors that both records give and that differ, or any contradiction (`traits`) are
    enough, unless the DOI is the same and nothing speaks against it.
    """
    if one.doi and one.doi == other.doi and same_by_name(one, other):
        return False
    if is_made(one) or is_made(other):
        return _other_first_author(one, other)
    if not titles_agree(one.title, other.title) or _other_first_author(one, other):
        return True
    if title_words(one.title) != title_words(other.title) and _elsewhere(one, other):
        return True
    ours, theirs = traits_of(one), traits_of(other)
    if ours is None or theirs is None:
        return False
    placed = ours.place is not None and ours.place == theirs.place
    return not agree(ours.known, theirs.known) or not (placed or agree(ours.names, theirs.names))


def _elsewhere(one: Paper, other: Paper) -> bool:
    """Whether records with similar titles contradict each other: in their DOIs, by more than a year, or in
    where they were published."""
    if one.doi and other.doi:
        return one.doi != other.doi
    if one.year is not None and other.year is not None and abs(one.year - other.year) > 1:
        return True
    ours, theirs = traits_of(one), traits_of(other)
    return ours is not None and theirs is not None and not agree(ours.known, theirs.known)


def doubtful(known: Paper, header: Paper) -> bool:
    """Whether a header may be of another paper than the one with its id: their titles have no common half,
    and neither a DOI nor the first author says that it is the same."""
    if titles_resemble(known.title, header.title) or is_made(known) or is_made(header):
        return False
    if known.doi and header.doi:
        return known.doi != header.doi
    return not (known.authors and header.authors) or _other_first_author(known, header)


def is_made(paper: Paper) -> bool:
    """Whether the title was made from other fields, for want of a title: the journal with volume and pages,
    or the address."""
    if paper.url and paper.title == paper.url:
        return True
    containers = (paper.venue, paper.publication.container if paper.publication else "")
    return any(
        paper.title.startswith(container) and _NUMBERS.fullmatch(paper.title, len(container)) is not None
        for container in containers
        if container
    )


_NUMBERS = re.compile(r"(?:[\s,:;–-]+[A-Za-z]{0,2}\d+[A-Za-z]?)+")
"""Volume and pages after the name of a journal."""


def merged(records: Sequence[Paper]) -> Paper:
    """Merges records of a paper: the id of the first, and of each field the first non-empty value.

    A made title gives way to a real one. How the paper was published is taken whole from one record, that
    of the first with a source entry, so that it agrees with the entry; or else from the first that says it.
    """
    first, *others = records
    if not others:
        return first
    filled: dict[str, object] = {}
    for name in _FIELDS:
        if _is_empty(getattr(first, name)):
            values = (getattr(other, name) for other in others)
            filled[name] = next((value for value in values if not _is_empty(value)), getattr(first, name))
    if is_made(first):
        real = (other.title for other in others if other.title and not is_made(other))
        filled["title"] = next(real, first.title)
    kept = next((one for one in records if one.source), None)
    published = [kept] if kept and kept.publication else [one for one in records if one.publication]
    filled |= {
        "source": kept.source if kept else None,
        "publication": published[0].publication if published else None,
    }
    return replace(first, **filled)  # type: ignore[arg-type]


def updated(old: Paper, new: Paper) -> Paper:
    """Updates a record: fields of the new one, and fields of the old one that the new one lacks."""
    return merged([new, old])


class Groups:
    """Disjoint sets of numbers (union-find with path halving)."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def join(self, one: int, other: int) -> None:
        first, second = sorted((self.top(one), self.top(other)))
        self._above[second] = first

    def joining(self, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Joins the pairs, and gives those that were not in one set yet."""
        for one, other in pairs:
            if self.top(one) != self.top(other):
                self.join(one, other)
                yield one, other

    def joined(self) -> list[list[int]]:
        """All sets of two or more numbers, in ascending order."""
        groups: dict[int, list[int]] = defaultdict(list)
        for number in sorted(self._above):
            groups[self.top(number)].append(number)
        return [group for group in groups.values() if len(group) > 1]

    def top(self, number: int) -> int:
        """The number that stands for the set of `number`."""
        above = self._above
        above.setdefault(number, number)
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number


def titles_resemble(one: str, other: str) -> bool:
    """Whether half of the words of the shorter title are in the longer one; True if a title is empty."""
    first, second = title_words(one), title_words(other)
    return not first or not second or 2 * len(first & second) >= min(len(first), len(second))


def titles_agree(one: str, other: str) -> bool:
    """Whether two titles are those of one paper: equal, one without the other's subtitle, or different in a
    word of five; True if a title is empty."""
    first, second = title_words(one), title_words(other)
    fewer, common = min(len(first), len(second)), len(first & second)
    return not fewer or common == fewer or 10 * common >= 8 * max(len(first), len(second))


def _other_first_author(one: Paper, other: Paper) -> bool:
    """Whether both records name a first author, and not the same."""
    return bool(one.authors and other.authors) and family(one.authors[0]) != family(other.authors[0])


def _surnames(paper: Paper) -> list[str]:
    return [family(name) for name in paper.authors]


def _is_empty(value: object) -> bool:
    return value is None or value is False or value == "" or value == ()
