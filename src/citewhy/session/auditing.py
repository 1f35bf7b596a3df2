"""Audits of reference lists against a library that is open, or against files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citewhy.session.models import FilePath
from citewhy.session.opened import Opened

if TYPE_CHECKING:
    from citewhy.answers.audit import Audit


def audited(opened: Opened | None, files: Sequence[FilePath], against: Sequence[FilePath]) -> Audit:
    """Compares the entries of files with the papers of the library `opened`, or with those of the files
    `against`. Raises InputError for a file without references."""
    from citewhy.answers.audit import LibraryPapers, ListedPapers, audit, read_list
    from citewhy.answers.audit.lists import papers_in

    lists = [read_list(file) for file in files]
    if opened is None:
        return audit(lists, ListedPapers(papers_in(against)), ", ".join(map(str, against)))
    with opened.reading():
        return audit(lists, LibraryPapers(opened.library, opened.index()), opened.name)
