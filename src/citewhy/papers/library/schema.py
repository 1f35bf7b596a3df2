"""The tables of `library.db`.

Records (papers, aliases, contexts, citations, full texts) are stored as they were added. What is derived from
them, which records belong to the same entry, is stored in `papers.entry`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from citewhy.papers.library.checked import Index, LayeredDatabase, Table
from citewhy.papers.library.database import Database

__all__ = [
    "ALIASES",
    "BELOW",
    "CITATIONS",
    "CITING",
    "COMMITS",
    "CONTEXTS",
    "HOLDINGS",
    "MENTIONS",
    "NOTICES",
    "OWN_ID",
    "PAPERS",
    "PAPER_BODIES",
    "REMOVED",
    "SCHEMA_VERSION",
    "SEPARATIONS",
    "SOURCES",
    "STATES",
    "TABLES",
    "TEXTS",
    "TEXT_BODIES",
    "UNKNOWN_SOURCE",
    "AliasRow",
    "Below",
    "Body",
    "CitationRow",
    "Citing",
    "Commit",
    "ContextRow",
    "Head",
    "Holding",
    "Mention",
    "NoticeRow",
    "Removed",
    "Separation",
    "SourceRow",
    "State",
    "TextRow",
    "has",
    "read_state",
    "separations",
    "tables",
]


SCHEMA_VERSION = 4
"""Version 1 had papers without their publications, and did not pack them; up to version 2, `Head.work` knew a
surname in one spelling only; up to version 3, nothing told whose citations changed (`CITING`). They are read,
and become version 4 with the next change."""

OWN_ID = "own:"
"""The ids of the owner's own writings begin with this."""


class State(NamedTuple):
    """A single row. Numbers only increase, so that the number of a removed row is never used again."""

    key: int
    generation: int
    next_paper: int
    next_context: int
    next_text: int
    schema_sum: int


class Commit(NamedTuple):
    generation: int
    mark: int
    """Random: see `Feed.mark_of`."""


class Head(NamedTuple):
    """The row of an id: of a record of a paper, or of an alias without a record."""

    number: int
    id: str
    entry: int
    """Number of the entry that the record belongs to: the smallest number among its records."""
    members: int
    """Number of records and aliases of the entry, in the entry's own row; 0 in the others."""
    stored: int
    """1 for a record, which has a body; 0 for an alias. An entry's own row is always a record."""
    doi: str | None
    work: int | None
    """`dedupe.work_key`."""
    generation: int


class Body(NamedTuple):
    number: int
    data: bytes


class Removed(NamedTuple):
    number: int
    generation: int


class AliasRow(NamedTuple):
    id: str
    same_as: str


class Separation(NamedTuple):
    """Two ids of which a person said that they are two papers, the smaller one first."""

    one: str
    other: str


class ContextRow(NamedTuple):
    number: int
    citing_id: str
    id: str
    generation: int
    data: bytes


class Mention(NamedTuple):
    cited_id: str
    context: int


class CitationRow(NamedTuple):
    citing_id: str
    cited_id: str
    source: str
    n_contexts: int


class Citing(NamedTuple):
    """An id whose citations changed, and the generation of the last change."""

    id: str
    """Empty: up to its generation, it is not told whose citations changed."""
    generation: int


class TextRow(NamedTuple):
    number: int
    paper_id: str


class SourceRow(NamedTuple):
    """A file or folder that was added, or a file of a draft that was."""

    number: int
    path: str
    """Absolute."""
    format: str
    root: int
    """Number of the draft of which it is a file; its own for what was added by itself."""
    size: int
    mtime: int
    """In nanoseconds."""
    checksum: str


class Holding(NamedTuple):
    """A source, and the id under which a record of it is stored."""

    source: int
    id: str


class NoticeRow(NamedTuple):
    """What was said of the paper of a name (`notices.names_of`) after it appeared: see `Notice`."""

    name: str
    kind: str
    date: str
    notice_doi: str
    doi: str
    """Of the paper, like the next two."""
    pmid: str
    year: int
    """0: unknown."""
    reason: str


UNKNOWN_SOURCE = 0
"""Holds what was read from a pipe, and what was in the library before sources were remembered."""

_BODY = "(number INTEGER PRIMARY KEY, data BLOB NOT NULL, seal INTEGER NOT NULL)"

STATES = Table(
    "states",
    State,
    ["key"],
    """(key INTEGER PRIMARY KEY, generation INTEGER NOT NULL, next_paper INTEGER NOT NULL,
        next_context INTEGER NOT NULL, next_text INTEGER NOT NULL, schema_sum INTEGER NOT NULL,
        seal INTEGER NOT NULL)""",
)
COMMITS = Table(
    "commits",
    Commit,
    ["generation"],
    "(generation INTEGER PRIMARY KEY, mark INTEGER NOT NULL, seal INTEGER NOT NULL)",
)
PAPERS = Table(
    "papers",
    Head,
    ["number"],
    """(number INTEGER PRIMARY KEY, id TEXT NOT NULL, entry INTEGER NOT NULL, members INTEGER NOT NULL,
        stored INTEGER NOT NULL, doi TEXT, work INTEGER, generation INTEGER NOT NULL,
        seal INTEGER NOT NULL)""",
    [
        Index(("id",), unique=True),
        Index(("entry",), "entry <> number"),
        Index(("doi",), "doi IS NOT NULL"),
        Index(("work",), "work IS NOT NULL"),
    ],
    sure=["id", "doi", "work"],
)
PAPER_BODIES = Table("paper_bodies", Body, ["number"], _BODY)
REMOVED = Table(
    "removed",
    Removed,
    ["number"],
    "(number INTEGER PRIMARY KEY, generation INTEGER NOT NULL, seal INTEGER NOT NULL)",
)
ALIASES = Table(
    "aliases",
    AliasRow,
    ["id", "same_as"],
    """(id TEXT NOT NULL, same_as TEXT NOT NULL, seal INTEGER NOT NULL,
        PRIMARY KEY (id, same_as)) WITHOUT ROWID""",
    [Index(("same_as",))],
    sure=["id", "same_as"],
)
SEPARATIONS = Table(
    "separations",
    Separation,
    ["one", "other"],
    """(one TEXT NOT NULL, other TEXT NOT NULL, seal INTEGER NOT NULL,
        PRIMARY KEY (one, other)) WITHOUT ROWID""",
)
CONTEXTS = Table(
    "contexts",
    ContextRow,
    ["number"],
    """(number INTEGER PRIMARY KEY, citing_id TEXT NOT NULL, id TEXT NOT NULL, generation INTEGER NOT NULL,
        data BLOB NOT NULL, seal INTEGER NOT NULL)""",
    [Index(("citing_id", "id"), unique=True)],
)
MENTIONS = Table(
    "mentions",
    Mention,
    ["cited_id", "context"],
    """(cited_id TEXT NOT NULL, context INTEGER NOT NULL, seal INTEGER NOT NULL,
        PRIMARY KEY (cited_id, context)) WITHOUT ROWID""",
    [Index(("context",))],
    sure=["cited_id"],
)
CITATIONS = Table(
    "citations",
    CitationRow,
    ["citing_id", "cited_id", "source"],
    """(citing_id TEXT NOT NULL, cited_id TEXT NOT NULL, source TEXT NOT NULL, n_contexts INTEGER NOT NULL,
        seal INTEGER NOT NULL, PRIMARY KEY (citing_id, cited_id, source)) WITHOUT ROWID""",
)
CITING = Table(
    "citing",
    Citing,
    ["id"],
    "(id TEXT PRIMARY KEY, generation INTEGER NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID",
)
TEXTS = Table(
    "texts",
    TextRow,
    ["number"],
    "(number INTEGER PRIMARY KEY, paper_id TEXT NOT NULL, seal INTEGER NOT NULL)",
    [Index(("paper_id",), unique=True)],
    sure=["paper_id"],
)
TEXT_BODIES = Table("text_bodies", Body, ["number"], _BODY)
SOURCES = Table(
    "sources",
    SourceRow,
    ["number"],
    """(number INTEGER PRIMARY KEY, path TEXT NOT NULL, format TEXT NOT NULL, root INTEGER NOT NULL,
        size INTEGER NOT NULL, mtime INTEGER NOT NULL, checksum TEXT NOT NULL, seal INTEGER NOT NULL)""",
    [Index(("root",))],
)
HOLDINGS = Table(
    "holdings",
    Holding,
    ["source", "id"],
    """(source INTEGER NOT NULL, id TEXT NOT NULL, seal INTEGER NOT NULL,
        PRIMARY KEY (source, id)) WITHOUT ROWID""",
    [Index(("id",))],
    sure=["id"],
)

NOTICES = Table(
    "notices",
    NoticeRow,
    ["name", "kind", "date", "notice_doi", "doi"],
    """(name TEXT NOT NULL, kind TEXT NOT NULL, date TEXT NOT NULL, notice_doi TEXT NOT NULL,
        doi TEXT NOT NULL, pmid TEXT NOT NULL, year INTEGER NOT NULL, reason TEXT NOT NULL,
        seal INTEGER NOT NULL, PRIMARY KEY (name, kind, date, notice_doi, doi)) WITHOUT ROWID""",
    sure=["name"],
)

TABLES: tuple[Table[Any], ...] = (
    STATES,
    COMMITS,
    PAPERS,
    PAPER_BODIES,
    REMOVED,
    ALIASES,
    CONTEXTS,
    MENTIONS,
    CITATIONS,
    TEXTS,
    TEXT_BODIES,
    SEPARATIONS,
    SOURCES,
    HOLDINGS,
    NOTICES,
    CITING,
)

_LATER = (SEPARATIONS, SOURCES, HOLDINGS, NOTICES, CITING)
"""Tables that a library of an older version lacks (`opening.complete`)."""


class Below(NamedTuple):
    """A single row: the state of the library below a layer, when the layer was made."""

    generation: int
    mark: int
    next_paper: int
    next_context: int
    next_text: int


BELOW = Table(
    "below",
    Below,
    ["generation"],
    """(generation INTEGER PRIMARY KEY, mark INTEGER NOT NULL, next_paper INTEGER NOT NULL,
        next_context INTEGER NOT NULL, next_text INTEGER NOT NULL, seal INTEGER NOT NULL)""",
)


def tables(db: Database) -> list[Table[Any]]:
    """The tables of a library, which has not all of them if an older version of CiteWhy made it."""
    return [table for table in TABLES if table not in _LATER or has(db, table)]


def has(db: Database, table: Table[Any]) -> bool:
    return db.row("SELECT 1 FROM sqlite_master WHERE name = ?", [table.name]) is not None


def separations(db: Database) -> list[Separation]:
    """What persons said of papers of a library, and of one below it. They are few."""
    own = list(SEPARATIONS.own_rows(db)) if has(db, SEPARATIONS) else []
    return [*own, *separations(db.below)] if isinstance(db, LayeredDatabase) else own


def read_state(db: Database) -> State:
    for state in STATES.where(db, "key", [1]):
        return state
    raise db.damaged("its state is missing")
