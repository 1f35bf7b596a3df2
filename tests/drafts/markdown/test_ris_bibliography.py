"""Markdown drafts whose bibliography is RIS, which Pandoc reads."""

from __future__ import annotations

import pytest

from citewhy.answers.edits import patch
from citewhy.base.errors import InputError
from citewhy.base.records import Paper, Reason, Suggestion
from citewhy.drafts import read_files
from citewhy.drafts.files import MemoryFiles

RIS = """TY  - JOUR
ID  - lee2001
AU  - Lee, Ann
TI  - A Study
PY  - 2001
ER  -
TY  - JOUR
ID  - untitled
ER  -
"""
FILES = {
    "draft.qmd": "---\nbibliography: refs.ris\n---\n\nIt works [@lee2001]. So does that [CITE].\n",
    "refs.ris": RIS,
}


def test_its_records_define_keys() -> None:
    """A record that cannot be read is a problem, with its line."""
    manuscript = read_files(FILES)
    (reference,) = manuscript.references
    assert (reference.key, reference.paper.title, reference.paper.year) == ("lee2001", "A Study", 2001)
    assert reference.paper.authors == ("Ann Lee",)
    assert manuscript.problems == ("refs.ris:7: the record has no title (TI or T1)",)
    assert manuscript.unread == ()


def test_no_bibtex_is_written_into_it() -> None:
    """A paper that it has is cited; for others, nothing is written."""
    manuscript, files = read_files(FILES), MemoryFiles(FILES)
    (marker,) = (m for p in manuscript.paragraphs for s in p.sentences for m in s.markers if not m.keys)
    old, new = (
        Suggestion(Paper(key, "T"), 1.0, (Reason("words", "why"),), key=key) for key in ("lee2001", "new")
    )
    assert [path.name for path in patch(manuscript, [(marker, (old,))], files).files] == ["draft.qmd"]
    with pytest.raises(InputError, match=r"^refs\.ris: the bibliography is neither BibTeX nor Hayagriva"):
        patch(manuscript, [(marker, (new,))], files)
