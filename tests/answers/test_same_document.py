"""A draft is no paper to cite in itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.answers.same_document import SameDocument
from citewhy.base.records import Manuscript, Paper
from citewhy.session.session import Session

TITLE = "The recovery of coral reefs after bleaching events"
REFS = f"""@phdthesis{{own2020,author={{Lee, Ann}},title={{{TITLE}}},year={{2020}}}}
@article{{kim2010,author={{Kim, Bo}},title={{Coral reefs and their fishes}},year={{2010}}}}
"""
FILES = {
    "_bookdown.yml": 'rmd_files: ["index.Rmd", "one.Rmd"]\n',
    "index.Rmd": f"---\ntitle: {TITLE}\nauthor: Ann Lee\nbibliography: refs.bib\n---\n\n# One\n\nText.\n",
    "one.Rmd": "# Methods\n\nThe recovery of coral reefs after bleaching is slow [@].\n",
    "refs.bib": REFS,
}


@pytest.mark.parametrize("name", ["index.Rmd", "one.Rmd"])
def test_a_thesis_is_not_suggested_for_its_chapters(tmp_path: Path, name: str) -> None:
    """Whether the whole is answered or a chapter, which has another title."""
    for file, content in FILES.items():
        (tmp_path / file).write_text(content, encoding="utf-8")
    assert Session.read(tmp_path / name).title == ("Methods" if name == "one.Rmd" else TITLE)
    with Session(pipeline="bm25") as session:
        (answer,) = session.advise(tmp_path / name)
    assert [suggestion.paper.id for suggestion in answer.suggestions] == ["kim2010"]


def test_the_title_of_the_book_counts_as_that_of_the_chapter() -> None:
    """A paper is the same document if it has either; another paper is none."""
    is_same = SameDocument(Manuscript("one.Rmd", "markdown", "Methods", year=2020, book_title=TITLE))
    assert is_same(Paper("a", TITLE, year=2015))
    assert is_same(Paper("b", "Methods", year=2020))
    assert not is_same(Paper("c", "Methods", year=2010))
    assert not is_same(Paper("d", "Coral reefs and their fishes", year=2020))
