"""Deciding whether two records describe the same paper, and merging them."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields, replace

from citewhy.base.records import Paper
from citewhy.text.names import surname
from citewhy.text.tokens import STOP_WORDS, fold

__all__ = [
    "SHORT_TITLE",
    "Groups",
    "clash",
    "differ",
    "is_short",
    "merged",
    "same_paper",
    "title_words",
    "titles_resemble",
    "updated",
    "work_key",
]

SHORT_TITLE = 3
"""Titles with fewer words identify a paper only within a venue and a year: "Topic Levels"."""

_WORD = re.compile(r"[^\W_]+")
"""Words in any script, so that an English name in a Chinese title is not taken for the title."""

_COLUMN_TITLES = frozenset(
    """abstract abstracts acknowledgements acknowledgments address announcement announcements book closing
    conclusion conclusions contents corrigendum discussion editor editorial editors erratum foreword
    guest index introduction invited issue keynote letter letters message note notes obituary opening
    overview panel preface program programme remarks report review reviews s session special summary
    talk tutorial workshop""".split()  # noqa: SIM905 (a list of words reads better as text)
)
"""A title with only such words ("Guest Editors' Introduction") does not identify a paper."""

_FIELDS = tuple(field.name for field in fields(Paper) if field.name != "id")


def work_key(paper: Paper) -> int | None:
    """A hash of first author and title, equal for records that may be the same paper.

    A signed 64-bit number, the same on every machine; None if the record has no author or its title does not
    identify a paper.
    """
    words = _WORD.findall(fold(paper.title))
    if (
        not words
        or not paper.authors
        or _COLUMN_TITLES.issuperset(word for word in words if word not in STOP_WORDS)
    ):
        return None
    text = "\x1f".join([surname(paper.authors[0]), *words])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def same_paper(one: Paper, other: Paper) -> bool:
    """Whether two records describe the same paper.

    They do if they have the same DOI, or the same title, the same surname of the first author and years that
    differ by at most one. A DOI is not enough if the titles have nothing in common: bibliographies give a
    book's DOI to its chapters. Different DOIs do not separate records: a preprint and the published paper
    have one each. Titles with fewer than `SHORT_TITLE` words require the same known year and venue; for
    longer ones a year may be unknown.
    """
    if one.doi and one.doi == other.doi and titles_resemble(one.title, other.title):
        return True
    key = work_key(one)
    if key is None or key != work_key(other):
        return False
    if is_short(one.title):
        return one.year is not None and one.year == other.year and fold(one.venue) == fold(other.venue)
    return one.year is None or other.year is None or abs(one.year - other.year) <= 1


def is_short(title: str) -> bool:
    """Whether a title has fewer than `SHORT_TITLE` words."""
    return len(_WORD.findall(fold(title))) < SHORT_TITLE


def clash(old: Paper, new: Paper) -> bool:
    """Whether two records with the same id are different papers, like ``smith2020`` in two people's files.

    This requires titles that share less than half of their words, and different DOIs (or authors, if a DOI is
    missing). Otherwise the newer record is a correction of the older one.
    """
    if titles_resemble(old.title, new.title):
        return False
    if old.doi and new.doi:
        return old.doi != new.doi
    return bool(old.authors and new.authors) and _surnames(old) != _surnames(new)


def differ(one: Paper, other: Paper) -> bool:
    """Whether records of two bibliographies under one key are two papers.

    Stricter than `clash`, since nobody corrects one bibliography in another: titles without a common half, or
    first authors that both records give and that differ, are enough.
    """
    if one.doi and one.doi == other.doi:
        return False
    if not titles_resemble(one.title, other.title):
        return True
    return bool(one.authors and other.authors) and surname(one.authors[0]) != surname(other.authors[0])


def merged(records: Sequence[Paper]) -> Paper:
    """Merges records of a paper: the id of the first, and of each field the first non-empty value."""
    first, *others = records
    found: dict[str, object] = {}
    for name in _FIELDS if others else ():
        if not _is_empty(getattr(first, name)):
            continue
        for other in others:
            if not _is_empty(getattr(other, name)):
                found[name] = getattr(other, name)
                break
    return replace(first, **found) if found else first  # type: ignore[arg-type]


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

    def found(self) -> list[list[int]]:
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


def title_words(title: str) -> frozenset[str]:
    """The folded words of a title; without function words, if it has others."""
    found = frozenset(_WORD.findall(fold(title)))
    return found - STOP_WORDS or found


def _surnames(paper: Paper) -> list[str]:
    return [surname(name) for name in paper.authors]


def _is_empty(value: object) -> bool:
    return value is None or value is False or value == "" or value == ()
