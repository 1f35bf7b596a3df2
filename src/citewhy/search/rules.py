"""The rules of honest ranking: which papers are candidates of a query, and which evidence counts.

A query of year Y by paper p is answered as it could have been answered while p was written:

1. A candidate is not newer than Y (a paper of unknown year is a candidate), is not p, is not excluded, and,
   in the pool ``abstract``, has an abstract.
2. Evidence (citing sentences, citations, papers that followed on the same subject, and every count made of
   them) comes from papers published *before* Y: what appears in the same year could not be read while
   writing. Evidence of unknown year does not count. A sentence is never older than the paper that contains
   it, even if its own year is earlier.
3. What p itself wrote about others never counts, whether the library has p or only sentences of it; nor does
   what copies of p wrote (an earlier version, a chapter that is also a paper); copies are no candidates
   either.
4. Papers that a reference list already has are not suggested for it: the known papers of a query of
   kind ``global``, and the members of one of kind ``set``, are no candidates. A sentence, however, may cite
   the same papers as another sentence.
5. Without Y, there are no limits of time in rules 1 and 2: everything counts except by rules 3 and 6.
6. An experiment may hide evidence: `hidden` papers are candidates that are treated as never cited; evidence
   from the last `lag` years before Y does not count; without `contexts` there are no citing sentences.

`Rules` hold for a whole run; a `Scope` applies them to one query, in rows of an index. Every index engine
(`search/index/`) searches within a scope, and asks it which papers are candidates and which evidence is early
enough; so do the features of ranking and the answers. `tests/contracts/test_indexes.py` tests each engine
against another implementation of these rules.

Which papers a passage credits is decided by ids, in `ranking/explain/support.py`: passages are shown without
a query, too, and a passage says whom it credits whatever the evidence is. There only rule 3, the members of a
set, excluded papers, and the year (`Scope.published`) count; what a whole draft knows may be credited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Query

Numbers = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]

Pool = Literal["all", "abstract"]
"""Which papers are candidates: all of them, or those with an abstract."""


@dataclass(frozen=True, slots=True)
class QueryRows:
    """A query's ids as rows of an index; ids that the library does not have are left out."""

    citing: int = -1
    """-1 if the citing paper is not in the library."""
    known: tuple[int, ...] = ()
    """Papers that the draft cites, including the members of a set."""
    members: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    copies: tuple[int, ...] = ()
    """Other papers that are the same document as the citing paper."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The candidates and the evidence of one query."""

    year: int | None = None
    citing: int = -1
    """Row of the citing paper; -1 if it is not in the library."""
    citing_id: str = ""
    """Its id, by which its sentences are recognised if the paper itself is not in the library; empty:
    unknown."""
    copies: frozenset[int] = frozenset()
    """Rows of other papers that are the same document as the citing paper: what they wrote does not count."""
    barred: frozenset[int] = frozenset()
    """Rows that may not be suggested, including the copies but not the citing paper itself."""
    pool: Pool = "all"
    hidden: frozenset[int] = frozenset()
    lag: int = 0
    contexts: bool = True

    def admitted(self, rows: Numbers, years: Numbers, have_abstract: Flags) -> Flags:
        """Returns which of the papers in `rows` [n], published in `years` [n] (0: unknown), are candidates
        (rule 1): [n]. `have_abstract` [n] says which of them have an abstract."""
        return self.admitted_by_year(years, have_abstract) & ~np.isin(rows, self.excluded)

    def admitted_by_year(self, years: Numbers, have_abstract: Flags) -> Flags:
        """Returns what `admitted` has in common for all queries of this year and pool: [n] for papers of
        `years` [n]. An engine caches it, and leaves out the `excluded` rows of each query."""
        admitted = self.published(years)
        if self.pool == "abstract":
            admitted &= have_abstract
        return admitted

    def published(self, years: Numbers) -> Flags:
        """Returns which papers of `years` [n] (0: unknown) are not newer than the query: [n]. This holds for
        whatever is suggested, also for entries of a bibliography and citations in passages, which have no
        rows."""
        if not self.year:
            return np.ones(len(years), dtype=np.bool_)
        return years <= self.year

    @property
    def excluded(self) -> list[int]:
        """The rows of the papers that are no candidates, whatever their years: the citing paper, and those
        that are barred."""
        return [row for row in (self.citing, *self.barred) if row >= 0]

    def early(self, years: Numbers) -> Flags:
        """Returns which evidence from `years` [n] (0: unknown) is early enough to count (rules 2, 5 and 6):
        [n]."""
        if not self.year:
            return np.ones(len(years), dtype=np.bool_)
        return (years > 0) & (years < self.year - self.lag)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for all queries of a run."""

    pool: Pool = "all"
    hidden: frozenset[int] = frozenset()
    """Rows of papers that are treated as never cited."""
    lag: int = 0
    """Number of years before that of a query from which no evidence counts; 0 or more."""
    contexts: bool = True
    """If false, no citing sentence counts."""

    def scope(self, query: Query, rows: QueryRows) -> Scope:
        """The rules applied to `query`."""
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
