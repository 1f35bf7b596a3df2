"""Maps printed citations ("(Zhang et al., 2008)") and entries of reference lists to papers of a library.

A collection never has all papers, so that the only paper of it by "Zhang et al. (2008)" need not be the one
that is meant: of the citations in finished drafts that fit exactly one paper of the ACL Anthology, one in six
means another paper (docs/resolving.md). Therefore the text around the citation must agree with the title.
What stays ambiguous is not resolved.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.text.author_year import Group, PrintedMarker
from citewhy.text.markers import Resolver, find
from citewhy.text.names import surname, title_key
from citewhy.text.tokens import stems

AGREEMENT = 0.3
"""Minimum share of a title's words, weighted by inverse document frequency, that the text near a citation
has. Chosen on the drafts until 2016 (`benchmarks/in_text.py`)."""

_ALIKE = 0.9
"""Minimum similarity of the titles of a reference entry and of a paper."""

_SHORT_TITLE = 3
"""Titles with fewer words must be equal."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A printed citation of a text, and the id of the paper of each of its groups (None: unresolved)."""

    marker: PrintedMarker
    paper_ids: tuple[str | None, ...]


class InTextResolver:
    """Finds the papers of one library that citations in running text mean. Thread-safe."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        every = [paper for paper in papers if paper.title]
        self._by_form = Resolver(every)
        self._by_author: defaultdict[str, list[Paper]] = defaultdict(list)
        self._frequencies: Counter[str] = Counter()
        for paper in every:
            self._frequencies.update(set(stems(paper.title)))
            if paper.authors:
                self._by_author[surname(paper.authors[0])].append(paper)
        self._count = len(every)

    @classmethod
    def of(cls, library: Library) -> InTextResolver:
        """For all papers of a library; records that the library merged are one paper."""
        return cls(paper for _, paper in library.numbered_papers())

    # Printed citations ------------------------------------------------------------------------------------

    def cited(
        self, group: Group, near: str, year: int | None = None, agreement: float = AGREEMENT
    ) -> str | None:
        """The id of the paper that a citation means; None if none or several fit.

        `near` is the sentence of the citation with its neighbours, `year` that of the citing paper: it cites
        nothing newer. `agreement` in [0, 1]: the share of the title that `near` must have; 0: the only paper
        by these authors of that year, whatever its title.
        """
        papers = [paper for paper in self._by_form.fits(group) if not _is_newer(paper, year)]
        only = _only(papers)
        if only is None or max(self.agreement(paper, near) for paper in papers) < agreement:
            return None
        return only

    def sentence(
        self, text: str, before: str = "", after: str = "", year: int | None = None
    ) -> list[Resolved]:
        """The citations that a sentence prints, in reading order; `before` and `after` are its neighbours."""
        near = f"{before} {text} {after}"
        return [
            Resolved(marker, tuple(self.cited(group, near, year) for group in marker.groups))
            for marker in find(text)
        ]

    def agreement(self, paper: Paper, near: str) -> float:
        """The share of the title's words that `near` has, weighted by their inverse document frequency among
        the titles of the library; in [0, 1]."""
        of_title = set(stems(paper.title))
        total = sum(map(self._idf, of_title))
        return sum(map(self._idf, of_title.intersection(stems(near)))) / total if total else 0.0

    def _idf(self, stem: str) -> float:
        return math.log(1 + self._count / (self._frequencies[stem] or 0.5))

    # Entries of reference lists ---------------------------------------------------------------------------

    def entry(self, entry: Paper) -> str | None:
        """The id of the paper that an entry of a reference list describes, as a program read it from a page:
        the same first author, nearly the same title, years that differ by at most one. None if none or
        several fit."""
        key = title_key(entry.title)
        if not entry.authors or not key:
            return None
        alike = [
            (_likeness(key, title_key(paper.title)), paper)
            for paper in self._by_author.get(surname(entry.authors[0]), ())
            if entry.year is None or paper.year is None or abs(entry.year - paper.year) <= 1
        ]
        best = max((likeness for likeness, _ in alike), default=0.0)
        if best < _ALIKE:
            return None
        return _only([paper for likeness, paper in alike if likeness == best])


def _only(papers: Sequence[Paper]) -> str | None:
    """The id of the only paper; records with the same title are one paper, under the first of their ids."""
    if len({title_key(paper.title) for paper in papers}) != 1:
        return None
    return min(paper.id for paper in papers)


def _is_newer(paper: Paper, year: int | None) -> bool:
    return year is not None and paper.year is not None and paper.year > year


def _likeness(one: str, other: str) -> float:
    """Compares two `title_key`s; the result is in [0, 1]."""
    if one == other:
        return 1.0
    if min(len(one.split()), len(other.split())) < _SHORT_TITLE:
        return 0.0
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
