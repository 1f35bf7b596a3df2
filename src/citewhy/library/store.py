"""A library: papers, who cites whom and in which words, aliases and full texts, in one SQLite file.

That file is the truth. Indexes are derived from it, and know by its `generation` how far they got (`feed`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from citewhy.errors import QueryError
from citewhy.formats import Record
from citewhy.formats.report import ImportReport
from citewhy.library.adding import add_staged
from citewhy.library.change import AddResult, Change
from citewhy.library.codec import read_text
from citewhy.library.counting import counts
from citewhy.library.database import Database
from citewhy.library.entries import entries_of, find_entry, members_of, read_entries
from citewhy.library.feed import Feed
from citewhy.library.opening import FILE_NAME, open_database
from citewhy.library.removing import remove_entries
from citewhy.library.schema import PAPERS, TABLES, TEXT_BODIES, TEXTS, Head
from citewhy.library.staging import Staging
from citewhy.records import FullText, Paper

__all__ = ["AddResult", "Library"]


class Library(Feed):
    """An open library. Use as a context manager; safe for use by many threads until it is closed.

    What is the same paper (`library.dedupe`) is one entry, under the id that came first; all its other ids,
    and the ids that aliases name, lead to it. Every entry has a number, which it keeps for life and which
    never comes back after it. Any method may raise DamagedError, StorageError or LockedError (errors.py).
    """

    def __init__(self, db: Database, folder: Path) -> None:
        super().__init__(db)
        self.folder = folder

    @classmethod
    def open(cls, folder: str | os.PathLike[str], create: bool = False) -> Library:
        """Opens the library in `folder`; with `create`, makes an empty one where there is none.

        Raises LibraryError where there is none, VersionError for one that a newer CiteWhy wrote.
        """
        path = Path(folder)
        return cls(open_database(path, create=create), path)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return self.folder / FILE_NAME

    # Changing ---------------------------------------------------------------------------------------------

    def add(
        self, records: Iterable[Record], report: ImportReport | None = None, source: str = "records"
    ) -> AddResult:
        """Adds records of any kind, in any order, in one commit: when it returns, they are on the disk.

        The same again changes nothing. The same id with other metadata is an update. Ids of papers that are
        not there may be named: such contexts and citations count when the paper comes. Where records are one
        paper, its fields are those of the record under its id, and gaps are filled from the others. `source`
        says in warnings where the records came from.
        """
        return self.add_all([(source, records)], report)

    def add_all(
        self, sources: Iterable[tuple[str, Iterable[Record]]], report: ImportReport | None = None
    ) -> AddResult:
        """As `add`, for records from several sources, by name; still one commit."""
        report = ImportReport() if report is None else report
        with Staging(report) as staging:
            for source, records in sources:
                staging.take(records, source)
            return self.add_staged(staging, report)

    def add_staged(self, staging: Staging, report: ImportReport) -> AddResult:
        """As `add`, for records that were set aside before; only now is the library locked for others."""
        return add_staged(self._db, staging, report)

    def remove(self, ids: Iterable[str]) -> AddResult:
        """Takes papers out, with their records and full texts. QueryError for an unknown id, and no change.

        What was said about them (aliases, contexts, citations) stays, and counts again when they come back.
        """
        asked = set(ids)
        with self._db.writing():
            change = Change(self._db)
            entries = entries_of(self._db, asked)
            for unknown in sorted(asked - entries.keys()):
                raise _unknown(unknown)
            remove_entries(change, list({entry.number: entry for entry in entries.values()}.values()))
            return change.finish()

    # Asking -----------------------------------------------------------------------------------------------

    def canonical(self, paper_id: str) -> str | None:
        """The id under which a paper is listed; None for an id that nothing leads from."""
        entry = self._entries([paper_id]).get(paper_id)
        return None if entry is None else entry.id

    def ids(self) -> list[str]:
        """The ids of all papers, without those that lead to another one."""
        with self._db.reading():
            return [head.id for head in PAPERS.all(self._db, "entry = number")]

    def numbers(self, ids: Iterable[str]) -> dict[str, int]:
        """The entry number of each id; unknown ids are left out."""
        return {identifier: entry.number for identifier, entry in self._entries(ids).items()}

    def paper(self, paper_id: str) -> Paper:
        """Raises QueryError for an unknown id."""
        papers = self.papers([paper_id])
        if paper_id not in papers:
            raise _unknown(paper_id)
        return papers[paper_id]

    def papers(self, ids: Iterable[str]) -> dict[str, Paper]:
        """The paper that each id leads to; unknown ids are left out."""
        with self._db.reading():
            entries = entries_of(self._db, ids)
            unique = list({entry.number: entry for entry in entries.values()}.values())
            papers = {
                entry.number: paper
                for entry, paper in zip(unique, read_entries(self._db, unique), strict=True)
            }
        return {identifier: papers[entry.number] for identifier, entry in entries.items()}

    def find(self, paper: Paper) -> str | None:
        """The entry that is this paper, by DOI, or by title, first author and year; its id is not used."""
        with self._db.reading():
            entry = find_entry(self._db, paper)
        return None if entry is None else entry.id

    def full_text(self, paper_id: str) -> FullText | None:
        """The sentences of a paper, if the library has them. Raises QueryError for an unknown id."""
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

    def counts(self) -> dict[str, int]:
        """What the library holds (`library.counting`). Reads all papers."""
        with self._db.reading():
            return counts(self._db)

    def verify(self) -> None:
        """Reads every row. Raises DamagedError unless all are there, and as they were written."""
        with self._db.reading():
            self._db.check()
            for table in TABLES:
                for _ in table.all(self._db):
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
        hint="ids are those of the files that were added",
    )
