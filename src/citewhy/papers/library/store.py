"""A library: papers, citations, citation contexts, aliases and full texts, in one SQLite file.

Indexes are derived from that file, and follow it by its `generation` (`feed`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import FullText, Notice, Paper
from citewhy.base.trace import traced
from citewhy.papers.formats import Record
from citewhy.papers.library.adding import add_staged
from citewhy.papers.library.change import AddResult, Change
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.entries import entries_of, find_entries, members_of, read_entries
from citewhy.papers.library.feed import Feed
from citewhy.papers.library.layer import create_layer, open_layer
from citewhy.papers.library.notices import find_notices
from citewhy.papers.library.opening import complete, open_database
from citewhy.papers.library.removing import remove_entries
from citewhy.papers.library.schema import (
    ALIASES,
    CITATIONS,
    CONTEXTS,
    MENTIONS,
    PAPERS,
    TEXT_BODIES,
    TEXTS,
    Head,
    tables,
)
from citewhy.papers.library.sources import Follow, Origin, origins_of
from citewhy.papers.library.splitting import split_entry
from citewhy.papers.library.staging import Staging
from citewhy.text.codec import read_text
from citewhy.text.languages import count_languages

__all__ = ["AddResult", "Library", "counts"]


_ENTRIES_AT_ONCE = 1000


def counts(db: Database) -> dict[str, Any]:
    """Numbers of papers (entries, not records), of own writings, of those with abstract or full text, and of
    everything else.

    `contexts` and `citations` are all that are stored; those `waiting` refer to papers that are not in the
    library. `languages` are those of titles. `first_year` and `last_year` are absent if no paper has a year.
    """
    papers = abstracts = own = 0
    years: set[int] = set()

    def titles() -> Iterator[str]:
        nonlocal papers, abstracts, own
        for entries in pieces(PAPERS.all(db, "entry = number"), _ENTRIES_AT_ONCE):
            for paper in read_entries(db, entries):
                papers += 1
                own += paper.own
                abstracts += bool(paper.abstract)
                if paper.year is not None:
                    years.add(paper.year)
                yield paper.title

    languages = count_languages(titles())
    known = {head.id: head.entry for head in PAPERS.all(db)}
    texts = {known[row.paper_id] for row in TEXTS.all(db) if row.paper_id in known}
    CONTEXTS.verify_complete(db)
    contexts: set[int] = set()  # a withdrawn context has no mentions
    cited: set[int] = set()
    for mention in MENTIONS.all(db):
        contexts.add(mention.context)
        if mention.cited_id in known:
            cited.add(mention.context)
    citations = CITATIONS.verify_complete(db)
    linked = sum(row.citing_id in known and row.cited_id in known for row in CITATIONS.all(db))
    return {
        "papers": papers,
        "own_writings": own,
        "with_abstract": abstracts,
        "with_full_text": len(texts),
        "contexts": len(contexts),
        "contexts_waiting": len(contexts) - len(cited),
        "citations": citations,
        "citations_waiting": citations - linked,
        "aliases": ALIASES.verify_complete(db),
        "languages": languages,
        **({"first_year": min(years), "last_year": max(years)} if years else {}),
    }


class Library(Feed):
    """An open library. Use as a context manager; thread-safe until it is closed.

    Records of the same paper (`dedupe`) are one entry, under the id that was added first, its canonical id;
    all its other ids and aliases refer to it. Every entry has a number, which never changes and is never used
    again. Any method may raise DamagedError, StorageError or LockedError.
    """

    def __init__(self, db: Database, folder: Path, below: Library | None = None) -> None:
        super().__init__(db)
        self.folder = folder
        self.below = below
        """The library on which this one lies, if it is a layer."""

    @classmethod
    @traced("library opened")
    def open(cls, folder: str | os.PathLike[str], create: bool = False) -> Library:
        """Opens the library in `folder`; if there is none and `create` is true, creates an empty one.

        Raises LibraryError if there is none, VersionError if a newer version of CiteWhy wrote it.
        """
        path = Path(folder)
        return cls(open_database(path, create=create), path)

    @classmethod
    def over(cls, below: Library, folder: str | os.PathLike[str], create: bool = False) -> Library:
        """Opens the layer in `folder` over the library `below`, or creates one in an empty folder.

        It has all that is below, and what was added to the layer; the library below is only read, and must
        stay open. Papers that are added are merged with those below as they would be there, and the rows of
        the library below keep their numbers. What is committed below later is not seen where it has new
        numbers: a layer belongs to one state. Raises LibraryError if the layer was made over another one.
        """
        path = Path(folder)
        db = create_layer(path, below._db) if create else open_layer(path, below._db)
        return cls(db, path, below)

    def close(self) -> None:
        """Closes the library; that on which it lies stays open."""
        self._db.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return self._db.path

    # Writing ----------------------------------------------------------------------------------------------

    def add(
        self, records: Iterable[Record], report: ImportReport | None = None, source: str = "records"
    ) -> AddResult:
        """Adds records of any kind, in any order, in one commit; when it returns, they are on disk.

        Adding a record again changes nothing; a record with a known id and other metadata is an update.
        Contexts and citations may refer to papers that are not in the library, and are used once these are
        added. A paper with several records has the fields of the one under its id, with gaps filled from the
        others. `source` is where the records come from, for warnings.
        """
        return self.add_all([(source, records)], report)

    def add_all(
        self, sources: Iterable[tuple[str, Iterable[Record]]], report: ImportReport | None = None
    ) -> AddResult:
        """Adds records from several named sources in one commit, as `add` does."""
        report = ImportReport() if report is None else report
        with Staging(report) as staging:
            for source, records in sources:
                staging.take(records, source)
            return self.add_staged(staging, report)

    def add_staged(self, staging: Staging, report: ImportReport, plan: Follow | None = None) -> AddResult:
        """Adds staged records as `add` does, and follows their sources as `plan` says. The library is locked
        only during this call."""
        return add_staged(self._db, staging, report, plan)

    def remove(self, ids: Iterable[str]) -> AddResult:
        """Removes papers with their records and full texts. Raises QueryError for an unknown id.

        Aliases, contexts and citations that refer to them are kept, and are used if they are added again. So
        is what `split` remembers.
        """
        asked = set(ids)
        with self._db.writing():
            change = Change(self._db)
            entries = entries_of(self._db, asked)
            for unknown in sorted(asked - entries.keys()):
                raise _unknown(unknown)
            remove_entries(change, list({entry.number: entry for entry in entries.values()}.values()))
            return change.finish()

    def split(self, paper_id: str) -> tuple[str, str]:
        """Makes a paper of its own of the record with this id, and remembers that it is not what it was
        merged with; returns the canonical ids of both. Raises QueryError for an unknown id, and for one that
        was not merged."""
        with self._db.writing():
            complete(self._db)
            change = Change(self._db)
            if paper_id not in entries_of(self._db, [paper_id]):
                raise _unknown(paper_id)
            ids = split_entry(change, paper_id)
            change.finish()
        return ids

    # Reading ----------------------------------------------------------------------------------------------

    def origins(self) -> list[Origin]:
        """The files and folders from which the library was read, as they were then."""
        with self._db.reading():
            return origins_of(self._db)

    def canonical(self, paper_id: str) -> str | None:
        """The canonical id of a paper; None for an unknown id."""
        entry = self._entries([paper_id]).get(paper_id)
        return None if entry is None else entry.id

    def ids(self) -> list[str]:
        """The canonical ids of all papers."""
        with self._db.reading():
            return [head.id for head in PAPERS.all(self._db, "entry = number")]

    def numbers(self, ids: Iterable[str]) -> dict[str, int]:
        """The entry number of each id; unknown ids are omitted."""
        return {identifier: entry.number for identifier, entry in self._entries(ids).items()}

    def paper(self, paper_id: str) -> Paper:
        """The paper with an id. Raises QueryError for an unknown id."""
        papers = self.papers([paper_id])
        if paper_id not in papers:
            raise _unknown(paper_id)
        return papers[paper_id]

    def papers(self, ids: Iterable[str]) -> dict[str, Paper]:
        """The paper of each id, in the order of `ids`; unknown ids are omitted."""
        with self._db.reading():
            entries = entries_of(self._db, ids)
            unique = list({entry.number: entry for entry in entries.values()}.values())
            papers = {
                entry.number: paper
                for entry, paper in zip(unique, read_entries(self._db, unique), strict=True)
            }
        return {identifier: papers[entry.number] for identifier, entry in entries.items()}

    def find(self, paper: Paper) -> str | None:
        """The canonical id of a paper, by DOI or else by title, first author and year; its id is not used."""
        return self.find_all([paper])[0]

    def find_all(self, papers: Sequence[Paper]) -> list[str | None]:
        """Gives what `find` gives for each of many papers."""
        with self._db.reading():
            entries = find_entries(self._db, papers)
        return [None if entry is None else entry.id for entry in entries]

    def with_doi(self, doi: str) -> list[str]:
        """The canonical ids of the papers with a DOI, as `text.doi.clean_doi` writes it."""
        with self._db.reading():
            ids = [head.id for head in sorted(PAPERS.where(self._db, "doi", [doi]))]
            return list(dict.fromkeys(entry.id for entry in entries_of(self._db, ids).values()))

    def notices(self, papers: Sequence[Paper]) -> list[list[Notice]]:
        """What the library knows of retractions, concerns and corrections of each of many papers, which need
        not be in it, the latest last; a notice found by title alone has neither DOI nor PMID."""
        with self._db.reading():
            return find_notices(self._db, papers)

    def full_text(self, paper_id: str) -> FullText | None:
        """The full text of a paper; None if the library has none. Raises QueryError for an unknown id."""
        with self._db.reading():
            entry = self._entry(paper_id)
            ids = [head.id for head in members_of(self._db, [entry])[entry.number]]
            rows = {row.paper_id: row for row in TEXTS.where(self._db, "paper_id", ids)}
            for identifier in ids:
                if identifier not in rows:
                    continue
                for body in TEXT_BODIES.where(self._db, "number", [rows[identifier].number]):
                    return read_text(entry.id, body.data)
                raise self._db.damaged("a full text is missing")
        return None

    def counts(self) -> dict[str, Any]:
        """Numbers of papers, contexts and so on: see `counting.counts`. Reads all papers."""
        with self._db.reading():
            return counts(self._db)

    def verify(self) -> None:
        """Reads every row, of a layer its own. Raises DamagedError if one is missing or was altered."""
        with self._db.reading():
            self._db.check()
            for table in tables(self._db):
                for _ in table.own_rows(self._db):
                    pass

    def _entry(self, paper_id: str) -> Head:
        entry = entries_of(self._db, [paper_id]).get(paper_id)
        if entry is None:
            raise _unknown(paper_id)
        return entry

    def _entries(self, ids: Iterable[str]) -> dict[str, Head]:
        with self._db.reading():
            return entries_of(self._db, ids)


def _unknown(paper_id: str) -> QueryError:
    return QueryError(
        f"the library has no paper with the id {paper_id!r}",
        hint="ids are those in the files that were added",
    )
