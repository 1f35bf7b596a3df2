"""Audits of reference lists against a library that is open, or against files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from citewhy.base.errors import QueryError
from citewhy.base.records import FullText
from citewhy.search.rules import Scope
from citewhy.session.models import FilePath
from citewhy.session.opened import Opened

if TYPE_CHECKING:
    from citewhy.answers.audit import Audit, ListedEntries

Listed: TypeAlias = "Sequence[FilePath | ListedEntries]"
"""Files with references, and lists of references that have been read."""


class AuditFields(TypedDict, total=False):
    """Names what of an audit may be asked for, besides the files."""

    against: Sequence[FilePath]
    """Files whose papers take the place of the library."""
    retractions: Sequence[FilePath]
    """Files that say what was retracted."""
    claims: bool
    """Whether the sentences of drafts are compared with the papers that they cite."""


def audited(opened: Opened | None, files: Listed, by: AuditFields) -> Audit:
    """Compares the entries of files, or of lists that have been read, with the papers of the library
    `opened`, or with those of the files `against`, and with the notices that these and the files
    `retractions` have. Raises InputError for a file without what is expected of it, QueryError for claims
    without a library or a draft."""
    from citewhy.answers.audit import LibraryPapers, ListedEntries, ListedPapers, audit, read_list
    from citewhy.answers.audit.lists import notices_in, papers_in
    from citewhy.answers.audit.notices import listed, of_all

    lists = [file if isinstance(file, ListedEntries) else read_list(file) for file in files]
    said = listed(notices_in(by.get("retractions", ())))
    if opened is None:
        if by.get("claims"):
            raise QueryError("sentences are compared with texts of a library", hint="omit --against")
        papers, notices = papers_in(against := by.get("against", ()))
        found = of_all([listed(notices), said])
        return audit(lists, ListedPapers(papers), ", ".join(map(str, against)), notices=found)
    with opened.reading():
        library = opened.library
        found = of_all([library.notices, said])
        answer = audit(lists, LibraryPapers(library, opened.index()), opened.name, notices=found)
        return _with_claims(answer, lists, opened) if by.get("claims") else answer


def _with_claims(audit: Audit, lists: Sequence[ListedEntries], opened: Opened) -> Audit:
    from citewhy.answers.audit.claims import supported

    drafts = [(each.manuscript, each.references) for each in lists if each.manuscript is not None]
    if not drafts:
        raise QueryError("none of the files is a draft", hint="--claims compares the sentences of drafts")
    texts = _Texts(opened)
    claims = [
        claim
        for manuscript, references in drafts
        for claim in supported(manuscript, audit.papers_of(references), texts, opened.encoder)
    ]
    return replace(audit, claims=tuple(sorted(claims, key=lambda claim: claim.agreement)))


class _Texts:
    """What a library knows of its papers and their words (`claims.Texts`)."""

    def __init__(self, opened: Opened) -> None:
        self._library = opened.library
        self._view = opened.index().view(Scope())

    def full_text(self, paper_id: str) -> FullText | None:
        return self._library.full_text(paper_id)

    def idf(self, terms: Iterable[str]) -> Mapping[str, float]:
        return self._view.idf(terms)
