"""Audits of reference lists against a library that is open, or against files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from citewhy.session.models import FilePath
from citewhy.session.opened import Opened

if TYPE_CHECKING:
    from citewhy.answers.audit import Audit, ReferenceList

Listed: TypeAlias = "Sequence[FilePath | ReferenceList]"
"""Files with references, and lists of references that have been read."""


def audited(
    opened: Opened | None,
    files: Listed,
    against: Sequence[FilePath],
    retractions: Sequence[FilePath],
) -> Audit:
    """Compares the entries of files, or of lists that have been read, with the papers of the library
    `opened`, or with those of the files `against`, and with the notices that these and the files
    `retractions` have. Raises InputError for a file without what is expected of it."""
    from citewhy.answers.audit import LibraryPapers, ListedPapers, ReferenceList, audit, read_list
    from citewhy.answers.audit.lists import notices_in, papers_in
    from citewhy.answers.audit.notices import listed, of_all

    lists = [file if isinstance(file, ReferenceList) else read_list(file) for file in files]
    said = listed(notices_in(retractions))
    if opened is None:
        papers, notices = papers_in(against)
        found = of_all([listed(notices), said])
        return audit(lists, ListedPapers(papers), ", ".join(map(str, against)), notices=found)
    with opened.reading():
        library = opened.library
        found = of_all([library.notices, said])
        return audit(lists, LibraryPapers(library, opened.index()), opened.name, notices=found)
