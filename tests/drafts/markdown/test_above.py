"""Chapters of Markdown alone: where their bibliography is found, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy import Session
from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript
from citewhy.drafts import read, read_files

BIB = "@misc{lee2001, title = {A Study}, author = {Lee, Ann}, year = 2001}\n"
OTHER = BIB.replace("lee2001", "kim2002").replace("A Study", "Another Study")
CHAPTER = "# Two\n\nIt works [@lee2001]. That is open [@?].\n"
ROOT = "---\ntitle: Thesis\nbibliography: all.bib\n---\n\nIt worked before [@kim2002].\n"
DEFAULTS = "metadata:\n  bibliography: all.bib\n"
ALL = {"all.bib": BIB + OTHER}


def of(files: dict[str, str], root: str) -> Manuscript:
    return read_files({root: CHAPTER, **files}, root)


@pytest.mark.parametrize(
    ("files", "root", "said"),
    [
        ({"thesis.md": ROOT, **ALL}, "two.md", "two.md: names no bibliography; thesis.md names all.bib"),
        ({"notes.md": ROOT, **ALL}, "two.md", "notes.md names all.bib in the same folder"),
        (
            {"thesis.md": ROOT, **ALL},
            "ch/two.md",
            "ch/two.md: names no bibliography; thesis.md names all.bib",
        ),
        (
            {"defaults.yaml": "metadata:\n  bibliography: all.bib\n", **ALL},
            "ch/two.md",
            "defaults.yaml names",
        ),
        ({"metadata.yml": "bibliography: [all.bib]\n", **ALL}, "two.md", "metadata.yml names all.bib"),
        (ALL, "two.md", "two.md: names no bibliography; all.bib in the same folder is used"),
        ({"a.bib": BIB, "b.bib": OTHER}, "two.md", "a.bib and b.bib in the same folder are used"),
        (ALL, "ch/two.md", "ch/two.md: names no bibliography; all.bib is used"),
        ({"bib/all.bib": BIB + OTHER}, "two.md", "two.md: names no bibliography; bib/all.bib is used"),
        (
            {"bib/all.bib": BIB + OTHER, "_bookdown.yml": "rmd_files: [a.Rmd]\n", "a.Rmd": "# A\n"},
            "ch/two.Rmd",
            "bib/all.bib is used",
        ),
        (
            {"ch/own.bib": BIB + OTHER, "thesis.md": ROOT, **ALL},
            "ch/two.md",
            "own.bib in the same folder is used",
        ),
    ],
)
def test_a_bibliography_around_a_chapter(files: dict[str, str], root: str, said: str) -> None:
    """A file beside it comes before what lies in its folder, and this before the folders above."""
    draft = of(files, root)
    assert sorted(reference.key for reference in draft.references) == ["kim2002", "lee2001"]
    assert [said in problem for problem in draft.problems] == [True]


@pytest.mark.parametrize(
    "files",
    [
        {"a.md": ROOT, "b.md": ROOT.replace("all", "own"), "own.bib": BIB, **ALL},
        {"other.md": ROOT, "a.bib": BIB, **ALL},
        {"thesis.md": ROOT},
    ],
    ids=["several", "not the root of a book", "missing"],
)
def test_none_that_is_certain(files: dict[str, str]) -> None:
    """Nothing is taken where different files name different bibliographies, from any file above, or if it is
    missing."""
    root = "two.md" if "b.md" in files else "ch/two.md"
    assert of(files, root).references == ()


INCLUDING = ROOT + "\n{{< include ch/two.md >}}\n"


def test_the_file_that_includes_a_chapter_is_its_book() -> None:
    """Its bibliography counts, and what it cites elsewhere is evidence; nothing has to be said."""
    draft = of({"whole.qmd": INCLUDING, **ALL}, "ch/two.md")
    assert sorted(reference.key for reference in draft.references) == ["kim2002", "lee2001"]
    assert draft.problems == ()
    assert [marker.keys for marker in draft.markers if not marker.open] == [("lee2001",)]
    assert len(draft.book) == 2


def test_the_bibliography_of_the_book_is_edited(tmp_path: Path) -> None:
    """Without being asked for files outside, and undone from the chapter; a bibliography that only lies above
    is not."""
    (tmp_path / "ch").mkdir()
    for name, text in {"whole.qmd": INCLUDING, "ch/two.md": CHAPTER, **ALL}.items():
        (tmp_path / name).write_text(text)
    chapter = tmp_path / "ch" / "two.md"
    with Session("starter") as session:
        opened = session.open_draft(chapter)
        answer = opened.advise(k=1, only="new")
        opened.edit(opened.first_choices(answer, 0).chosen).apply()
        assert (tmp_path / "all.bib").read_text() != ALL["all.bib"]
        session.undo(chapter)
        assert (tmp_path / "all.bib").read_text() == ALL["all.bib"]
        (tmp_path / "whole.qmd").unlink()
        assert read(chapter).folder == ""
        opened = session.open_draft(chapter)
        answer = opened.advise(k=1, only="new")
        with pytest.raises(InputError, match="outside"):
            opened.edit(opened.first_choices(answer, 0).chosen)


def test_many_keys_without_a_bibliography(tmp_path: Path) -> None:
    """They are defined somewhere: they are left alone, which is said, and nothing is written; a few may be
    keys to look up."""
    keys = [f"lee{year}" for year in range(1980, 2020)]
    texts = {
        count: " ".join(f"It works [@{key}]." for key in keys[:count]) + " Open [@?].\n" for count in (5, 40)
    }
    few, many = (read_files({"a.md": texts[count]}) for count in (5, 40))
    assert (few.unread, [marker.open for marker in few.markers].count(True)) == ((), 6)
    assert [marker.open for marker in many.markers].count(True) == 1
    (problem,) = many.problems
    assert problem == (
        "a.md: names no bibliography, and none is found; its 40 keys are left alone: name it in the metadata "
        "(bibliography: refs.bib)"
    )
    assert [unit.undefined for unit in Session.units(many)] == [()]
    (tmp_path / "a.md").write_text(texts[40], encoding="utf-8")
    with Session("starter", pipeline="bm25") as session:
        draft = session.open_draft(tmp_path / "a.md")
        chosen = draft.first_choices(draft.advise(k=1)).chosen
        assert len(chosen) == 1
        with pytest.raises(InputError, match="is missing, and nothing is written"):
            draft.edit(chosen)
