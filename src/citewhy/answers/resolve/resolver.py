"""`Resolver`: the papers in a library that a text names, looked up in the index of the whole library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from citewhy.answers.resolve.fit import OF_TITLE, Described, Fit
from citewhy.answers.resolve.keys import KeyParts, key_parts
from citewhy.answers.resolve.names import names_in_key, original_introducers
from citewhy.answers.resolve.notes import authors_before, read_note
from citewhy.answers.resolve.spelling import Speller
from citewhy.answers.resolve.words import papers_with_words
from citewhy.base.records import Paper, Resolution, ResolutionKind
from citewhy.base.reports import Finding
from citewhy.papers.formats.id_list import identifier_in
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.search.index.arrays import Rows, union
from citewhy.search.retrieve.parameters import Parameters
from citewhy.search.rules import Scope
from citewhy.text.author_year import Group
from citewhy.text.identifiers import catalogue_number
from citewhy.text.markers import Resolver as PrintedResolver
from citewhy.text.names import key_form, title_key
from citewhy.text.tokens import stems, words

_COMPARED = 3000
"""Maximum number of papers that a key is compared with; more have the surname only if the key has no year."""

_BEGUN = 500
"""Papers by people whose surnames are beginnings of a key without a year, above which none of them is
compared with it: short surnames are beginnings of many words."""

_EQUAL = 50
"""Above this number of papers that fit equally, a text names none of them."""

_READ = 32
"""Number of papers that are read at once until enough of them fit."""

_TITLES = 50
"""Number of titles that a key without an author is compared with."""

_ARXIV_IN_KEY = re.compile(
    r"(?:^|[/:_-])abs[-_/](\d{4})[-_.](\d{4,5})$|arxiv[:_/-]?(\d{4})[._-](\d{4,5})", re.IGNORECASE
)
"""``journals/corr/abs-1810-04805``, ``arxiv:1810.04805``."""


class Resolver:
    """Finds the papers that texts name, in a library with its index. Thread-safe."""

    def __init__(self, library: Library, index: Index) -> None:
        self._library = library
        self._index = index

    def resolve(self, text: str) -> Resolution:
        """The papers that an identifier, a citation key or the name of a system names.

        An id in the library, a DOI or a number of arXiv names its paper whatever else it may mean. A key
        describes the papers that explain all of it: their first author, a year, words of their title,
        coauthors. A single word is first looked up as the name of a system or data set.
        """
        written = _written(text)
        if not written:
            return Resolution(text)
        resolution = self._by_identifier(text, written)
        if resolution is not None:
            return resolution
        parts = key_parts(written)
        by_key = self._by_key(text, parts)
        if by_key.certain:
            return by_key
        by_name = self._by_name(text, written, parts)
        if by_name.paper_ids and (by_name.certain or not by_key.paper_ids):
            return by_name
        return by_key if by_key.paper_ids else self._by_title(text, parts)

    def note(self, note: str, before: str = "") -> Resolution:
        """The papers that the note at a missing citation names (``cite Och 2003``), or else the surnames at
        the end of the text before it ("Papineni et al.")."""
        content = read_note(note)
        if content:
            resolution = self._by_note(note, content)
            if resolution.paper_ids:
                return resolution
        if surnames := authors_before(before):
            return self._by_authors(surnames)
        return Resolution(note)

    def cited(self, group: Group, *, loosely: bool = False) -> Resolution:
        """The papers that a printed citation may mean: by exactly these authors, of this year; if `loosely`
        and there are none, those that its surnames and year name as a key (`resolve`). Never certain."""
        text = f"{' '.join(group.names)} {group.year}"
        papers = self._compared(key_parts(text))
        paper_ids = self._best_known(PrintedResolver(papers).fits(group))
        if loosely and not paper_ids:
            paper_ids = self.resolve(text).paper_ids
        return Resolution(text, "authors", paper_ids) if len(paper_ids) <= _EQUAL else Resolution(text)

    def find(self, text: str, k: int) -> Finding:
        """What is found for the text `as_written`; if that names no paper, and the library does not have all
        of its words, for the text as the library spells it (`Speller`)."""
        finding = self.as_written(text, k)
        if finding.resolution.paper_ids or _is_address(text, finding.resolution):
            return finding
        if any(_begins(paper, text) for paper in finding.papers):
            return finding
        spelled = Speller(self._library, self._index).corrected(text, finding.papers)
        corrected = self.as_written(spelled[0], k) if spelled else finding
        if not spelled or not corrected.papers:
            return finding
        return replace(corrected, text=text, corrected=spelled[0], alternatives=tuple(spelled[1:]))

    def as_written(self, text: str, k: int) -> Finding:
        """The paper that the text names; unless this is certain, also those whose titles begin with it and
        then those with its words, `k` in all. A word that is an id may as well be a surname or a topic; a DOI
        has no words. For a surname and a year of which the library has no paper, those of the year before or
        after: preprints are often cited by another year than that of the paper."""
        resolution = self.resolve(text)
        ids, having = list(resolution.paper_ids), 0
        if not _is_address(text, resolution):
            if not resolution.certain or (resolution.kind == "id" and text.strip().isalpha()):
                begun = self._beginning_with(text, k, ids)
                rows, having = papers_with_words(self._index, text, k)
                ids.sort(key=lambda paper_id: paper_id not in begun)
                ids += [*begun, *self._index.ids(rows)]
            ids = ids or self._of_another_year(key_parts(text))
        ids = list(dict.fromkeys(ids))
        fitting = len(resolution.paper_ids) or having
        papers = self._library.papers(ids[: max(k, int(resolution.certain))])
        return Finding(text, resolution, tuple(papers.values()), fitting)

    def finds(self, text: str) -> bool:
        """Whether there is any paper `as_written`. For most texts the index tells, and no paper is read."""
        resolution = self._by_identifier(text, _written(text))
        if resolution is None or (not resolution.paper_ids and not _is_address(text, resolution)):
            if any(self._index.text.document_frequencies(stems(text))):
                return True
        elif resolution.paper_ids:
            return True
        return bool(self.as_written(text, 1).papers)

    def _beginning_with(self, text: str, most: int, also: Iterable[str]) -> list[str]:
        """The ids of the first papers whose titles are a text, or begin with it if it has several words,
        `most` in all, and those of the papers `also` that do. Its last word may be unfinished."""
        terms = stems(text)
        if not terms:
            return []
        several = len(words(text)) > 1
        title = self._index.title
        rows = title.beginning_with(terms, alone=not several)
        if not len(rows) and len(terms) > 1:
            rows = title.beginning_with(terms[:-1])
        rows = rows[:_COMPARED]
        whole = self._begun(rows[title.lengths[rows] == len(terms)], text, whole=True)
        found = list(islice(whole, most))
        if several:
            found += islice(self._begun(rows, text), most)
        of_text = set(self._index.ids(rows)).intersection(also)
        found += [
            paper.id for paper in self._library.papers(of_text).values() if _begins(paper, text, several)
        ]
        return list(dict.fromkeys(found))

    def _begun(self, rows: Rows, text: str, *, whole: bool = False) -> Iterator[str]:
        """Of the papers `rows`, those whose titles begin with a text, or are it, as `_best_known`; read as
        they are asked for."""
        facts = self._index.view(Scope()).facts(rows)
        order = np.lexsort((self._index.id_ranks(rows), -facts.years.astype(np.int64), -facts.times_cited))
        for some in pieces(self._index.ids(rows[order]), _READ):
            papers = self._library.papers(some)
            yield from (paper.id for paper in papers.values() if _begins(paper, text, not whole))

    # Identifiers ------------------------------------------------------------------------------------------

    def _by_identifier(self, text: str, written: str) -> Resolution | None:
        """None if the text has the form of no identifier, and is no id in the library."""
        known = self._library.canonical(written)
        if known is not None:
            return Resolution(text, "id", (known,), True)
        if in_key := _ARXIV_IN_KEY.search(written):
            number = ".".join(part for part in in_key.groups() if part)
            return self._by_arxiv(text, number)
        identifier = identifier_in(written)
        catalogued = catalogue_number(written)
        if catalogued is not None and (identifier is None or not identifier.doi):
            names = (identifier.id, *identifier.also) if identifier else ()
            rows = self._index.named("catalogue", [":".join(catalogued)])
            return _of(text, "id", self._known(names) or self._index.ids(rows))
        if identifier is None:
            return None
        if identifier.doi:
            return _of(text, "doi", self._library.with_doi(identifier.doi))
        if identifier.id.startswith("arXiv:"):
            return self._by_arxiv(text, identifier.id.removeprefix("arXiv:"))
        ids = self._known((identifier.id, *identifier.also))
        # A key of DBLP that is no id in the library describes its paper.
        return None if not ids and identifier.id.startswith("DBLP:") else _of(text, "id", ids)

    def _known(self, names: Iterable[str]) -> list[str]:
        return [paper_id for name in names if (paper_id := self._library.canonical(name)) is not None]

    def _by_arxiv(self, text: str, number: str) -> Resolution:
        return _of(text, "arxiv", self._index.ids(self._index.named("arxiv", [number])))

    # Keys -------------------------------------------------------------------------------------------------

    def _by_key(self, text: str, key: KeyParts) -> Resolution:
        fits = [(fit, paper) for fit, paper in self._fits(key) if fit.plausible]
        if not fits:
            return Resolution(text)
        best = max(fit.order for fit, _ in fits)
        papers = [(fit, paper) for fit, paper in fits if fit.order == best]
        if len(papers) > _EQUAL:
            return Resolution(text)
        certain = len(papers) == 1 and papers[0][0].certain
        return Resolution(text, "key", self._best_known(paper for _, paper in papers), certain)

    def _of_another_year(self, key: KeyParts) -> list[str]:
        """The ids of the papers that explain all of a key but its year."""
        fits = [(fit, paper) for fit, paper in self._fits(key) if not fit.unexplained] if key.years else []
        if not fits:
            return []
        best = max(fit.order for fit, _ in fits)
        return list(self._best_known(paper for fit, paper in fits if fit.order == best))

    def _fits(self, key: KeyParts) -> list[tuple[Fit, Paper]]:
        """The papers whose first author the key has."""
        described = [Described(paper) for paper in self._compared(key)]
        fits = [(one.fit(key), one.paper) for one in described if one.may_be_first(key)]
        return [(fit, paper) for fit, paper in fits if fit.first_author]

    def _compared(self, key: KeyParts) -> list[Paper]:
        """The papers of the years of the key, or of one beside them, with an author that it may name."""
        rows = self._index.named("key author", list(dict.fromkeys(key.surnames())))
        begun = self._index.named("key author", list(dict.fromkeys(key.beginnings())))
        if key.years or len(begun) <= _BEGUN:
            rows = union(rows, begun)
        rows = self._dated(rows, key.years)
        return list(self._library.papers(self._index.ids(rows[:_COMPARED])).values())

    def _by_title(self, text: str, key: KeyParts) -> Resolution:
        """The papers whose titles have all words of a key without an author and a year: ``labeled-lda``."""
        if key.years or len(key.words) < OF_TITLE:
            return Resolution(text)
        terms = dict.fromkeys(stems(" ".join(key.words)), 1.0)
        if not terms:
            return Resolution(text)
        view = self._index.view(Scope())
        rows = view.search("title", terms, Parameters().title, _TITLES).rows
        described = map(Described, self._library.papers(self._index.ids(np.sort(rows))).values())
        fits = [(one.fit(key), one.paper) for one in described if one.may_be_of_title(key)]
        best = max((fit.order for fit, _ in fits if fit.of_title), default=None)
        fitting = [paper for fit, paper in fits if fit.of_title and fit.order == best]
        exact = [paper for paper in fitting if title_key(paper.title) == title_key(text)]
        fitting = exact or fitting
        if not 0 < len(fitting) <= _EQUAL:
            return Resolution(text)
        return Resolution(text, "key", self._best_known(fitting), len(exact) == 1)

    def _dated(self, rows: Rows, years: Iterable[int]) -> Rows:
        """Keeps those of the papers that were published in one of the years, or the year before or after."""
        near = sorted({nearby for year in years for nearby in (year - 1, year, year + 1)})
        return rows[np.isin(self._index.tables.years[rows], near)] if near else rows

    def _best_known(self, papers: Iterable[Paper]) -> tuple[str, ...]:
        """Ids, those of the papers first that are cited most, then the latest."""
        ids = sorted(paper.id for paper in papers)
        if len(ids) <= 1:
            return tuple(ids)
        rows = self._index.rows(ids)
        facts = self._index.view(Scope()).facts(rows[rows >= 0])
        times, years = np.zeros(len(ids)), np.zeros(len(ids))
        times[rows >= 0], years[rows >= 0] = facts.times_cited, facts.years
        return tuple(ids[place] for place in np.lexsort((-years, -times)))

    # Names ------------------------------------------------------------------------------------------------

    def _by_name(self, text: str, written: str, key: KeyParts) -> Resolution:
        for name in names_in_key(written):
            rows, certain = original_introducers(self._index, name, key.years)
            if len(rows):
                return Resolution(text, "name", tuple(self._index.ids(rows)), certain and len(rows) == 1)
        return Resolution(text)

    # Notes ------------------------------------------------------------------------------------------------

    def _by_note(self, note: str, content: str) -> Resolution:
        resolution = self.resolve(content)
        if resolution.paper_ids:
            return Resolution(note, resolution.kind, resolution.paper_ids, resolution.certain)
        for word in content.split():
            # Words that are no name of a person or a system are about the topic.
            if any(map(str.isdigit, word)) or any(map(str.isupper, word)):
                alone = self.resolve(word)
                if alone.paper_ids and (alone.kind in ("id", "doi", "arxiv") or alone.certain):
                    return Resolution(note, alone.kind, alone.paper_ids, alone.certain)
        return Resolution(note)

    def _by_authors(self, surnames: Sequence[str]) -> Resolution:
        """The papers by exactly these authors, or by these and others; a single one stands for several, as
        `authors_before` finds it only with "et al.". Of the kind ``authors`` even if there are none."""
        alone = len(surnames) == 1
        text = f"{surnames[0]} et al." if alone else " and ".join(surnames)
        rows = self._index.named("key author", [key_form(surnames[0])])
        papers = self._library.papers(self._index.ids(rows[:_COMPARED])).values()
        others = frozenset(map(key_form, surnames[1:]))
        by_them = [
            paper
            for paper in papers
            if others <= Described(paper).others and not (alone and len(paper.authors) == 1)
        ]
        known = self._best_known(by_them)
        return Resolution(text, "authors", known) if len(known) <= _EQUAL else Resolution(text)


def _written(text: str) -> str:
    """A text without the signs with which keys are cited."""
    return " ".join(text.split()).strip("[]{}@ ")


def _is_address(text: str, resolution: Resolution) -> bool:
    """Whether a text is nothing but a number of a paper, whose words mean nothing."""
    return resolution.kind in ("doi", "arxiv") or catalogue_number(text) is not None


def _begins(paper: Paper, text: str, several: bool = True) -> bool:
    """Whether the title of a paper begins with a text, or is it; unless `several`, only whether it is."""
    title, asked = title_key(paper.title), title_key(text)
    return title.startswith(asked) if several else title == asked


def _of(text: str, kind: ResolutionKind, ids: Sequence[str]) -> Resolution:
    unique = tuple(dict.fromkeys(ids))
    return Resolution(text, kind, unique, len(unique) == 1) if unique or kind != "id" else Resolution(text)
