"""What a query may see: the rules of honest ranking, all of them, and nowhere else.

A query of year Y by paper p is answered as it could have been answered while p was written:

1. A candidate is not newer than Y (a paper of unknown year is a candidate), is not p, is not excluded, and,
   in the pool ``abstract``, has an abstract.
2. Evidence (citing sentences, citations, and every count made of them) comes from papers published *before*
   Y: what appears in the same year could not be read while writing. Of unknown year, it does not count. A
   sentence is not older than the paper that it stands in, whatever its own year says.
3. What p itself wrote about others never counts, whether the library has p or only sentences of it; nor does
   what copies of p wrote, which are no candidates either: an earlier version, a chapter that is also a paper.
4. A list of references that is to be completed does not get what it has: the known papers of a query of kind
   ``global``, and the members of one of kind ``set``, are no candidates. A sentence may well cite what
   another sentence cites.
5. Without Y, rule 1 knows no "newer" and rule 2 no "before": everything counts that rules 3 and 6 leave.
6. An experiment may know less: `hidden` papers are candidates that nobody has cited; the last `lag` years
   before Y are as unknown as Y itself; without `contexts` there are no citing sentences at all.

`Rules` are what holds for a whole run, a `Scope` is what they mean for one query, in rows of an index. Every
engine (`index/`) answers as of a scope; `tests/contracts/test_indexes.py` holds each of them to these rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from citewhy.records import Query

__all__ = ["Pool", "QueryRows", "Rules", "Scope"]

Pool = Literal["all", "abstract"]
"""Which papers are candidates: all of them, or those with an abstract."""


@dataclass(frozen=True, slots=True)
class QueryRows:
    """A query's ids as rows of an index; ids that the library does not have are left out."""

    citing: int = -1
    """-1 where the library does not have the citing paper."""
    known: tuple[int, ...] = ()
    """Papers that the draft cites, the members of a set among them."""
    members: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    copies: tuple[int, ...] = ()
    """Other papers that are the citing paper."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one query may see."""

    year: int | None = None
    citing: int = -1
    """Row of the citing paper; -1 where the library does not have it."""
    citing_id: str = ""
    """Its id, by which sentences of it are known that the library has without the paper; empty: unknown."""
    copies: frozenset[int] = frozenset()
    """Rows of other papers that are the citing paper: what they wrote does not count."""
    barred: frozenset[int] = frozenset()
    """Rows that may not be suggested, the citing paper's aside; its copies among them."""
    pool: Pool = "all"
    hidden: frozenset[int] = frozenset()
    lag: int = 0
    contexts: bool = True

    def admits(self, row: int, year: int, has_abstract: bool) -> bool:
        """Is a paper of `year` (0: unknown) a candidate?"""
        return (
            row != self.citing
            and row not in self.barred
            and (not self.year or year <= self.year)
            and (self.pool == "all" or has_abstract)
        )

    def believes(self, year: int) -> bool:
        """Does evidence of `year` (0: unknown) count, as far as its date goes?"""
        return not self.year or 0 < year < self.year - self.lag


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for every query of a run."""

    pool: Pool = "all"
    hidden: frozenset[int] = frozenset()
    """Rows of papers that nobody has cited, as far as this run knows."""
    lag: int = 0
    """Years before a query's of which nothing is known; 0 or more."""
    contexts: bool = True
    """False: no citing sentence is known."""

    def scope(self, query: Query, rows: QueryRows) -> Scope:
        """What `query` may see."""
        listed = {"global": rows.known, "set": rows.members}.get(query.kind, ())
        return Scope(
            year=query.year,
            citing=rows.citing,
            citing_id=query.citing_id,
            copies=frozenset(rows.copies),
            barred=frozenset((*listed, *rows.excluded, *rows.copies)),
            pool=self.pool,
            hidden=self.hidden,
            lag=self.lag,
            contexts=self.contexts,
        )
