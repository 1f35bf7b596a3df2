"""Chapters of Quarto and bookdown projects, whose bibliography is named once for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy.drafts import read
from citewhy.drafts.edit.citations import add_entries

BIB = "@misc{lee2001, title = {A Study}, author = {Lee, Ann}, year = 2001}\n"


@pytest.fixture
def chapter(tmp_path: Path) -> Path:
    (tmp_path / "a/book/ch").mkdir(parents=True)
    (tmp_path / "a/book/refs.bib").write_text(BIB)
    (tmp_path / "a/book/_quarto.yml").write_text("project:\n  type: book\nbibliography: refs.bib\n")
    path = tmp_path / "a/book/ch/one.qmd"
    path.write_text("# One\n\nIt works [@lee2001].\n")
    return path


def test_the_project_names_the_bibliography(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to its own folder, from wherever the draft is named."""
    assert [reference.key for reference in read(chapter).references] == ["lee2001"]
    monkeypatch.chdir(chapter.parent)
    manuscript = read("one.qmd")
    assert [reference.key for reference in manuscript.references] == ["lee2001"]
    assert manuscript.problems == ()


def test_the_chapter_comes_first(chapter: Path) -> None:
    (chapter.parent / "own.bib").write_text(BIB.replace("2001", "2002"))
    chapter.write_text("---\nbibliography: own.bib\n---\n\nIt works.\n")
    assert [reference.key for reference in read(chapter).references] == ["lee2002"]


def test_a_broken_configuration_is_a_problem(chapter: Path) -> None:
    (chapter.parents[1] / "_quarto.yml").write_text("bibliography: [refs.bib\n")
    manuscript = read(chapter)
    assert [reference.key for reference in manuscript.references] == ["lee2001"]  # the only .bib file above
    assert any("_quarto.yml:" in problem and "invalid YAML" in problem for problem in manuscript.problems)


@pytest.fixture
def bookdown(tmp_path: Path) -> Path:
    """A chapter without metadata, in a folder of a project."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "_bookdown.yml").write_text('rmd_subdir: ["chapters"]\n')
    (tmp_path / "index.Rmd").write_text("---\ntitle: Thesis\nbibliography: [refs.bib]\n---\n\n# Preface\n")
    (tmp_path / "refs.bib").write_text(BIB)
    path = tmp_path / "chapters" / "01-intro.Rmd"
    path.write_text("# One\n\nIt works [@lee2001].\n")
    return path


def test_the_first_chapter_names_the_bibliography(bookdown: Path) -> None:
    manuscript = read(bookdown)
    assert [reference.key for reference in manuscript.references] == ["lee2001"]
    assert manuscript.bibliographies == (str(bookdown.parents[1] / "refs.bib"),)
    assert manuscript.problems == ()


def test_a_project_without_a_first_chapter_names_no_bibliography(bookdown: Path) -> None:
    """What lies in its folder is found there, and said."""
    (bookdown.parents[1] / "index.Rmd").unlink()
    (problem,) = read(bookdown).problems
    assert problem.endswith("refs.bib is used")


def test_an_unfinished_chapter_of_a_project_is_read_with_it(bookdown: Path) -> None:
    """Three folders further up, and not more."""
    far = bookdown.parent / "a" / "b" / "c.Rmd"
    far.parent.mkdir(parents=True)
    far.write_text("It works [@lee2001].\n")
    assert [reference.key for reference in read(far).references] == ["lee2001"]
    farther = far.parent / "d" / "e.Rmd"
    farther.parent.mkdir()
    farther.write_text("It works [@lee2001].\n")
    assert read(farther).references == ()


def test_entries_go_where_the_project_says(bookdown: Path) -> None:
    """Into its bibliography; if it names none, a chapter gets no metadata of its own, but the first chapter
    may, which has the project's."""
    (edit,) = add_entries(read(bookdown), {"new": Paper("new", "New")})
    assert edit.file == str(bookdown.parents[1] / "refs.bib")
    index = bookdown.parents[1] / "index.Rmd"
    index.write_text("---\ntitle: Thesis\n---\n\nIt works.\n")
    (bookdown.parents[1] / "refs.bib").unlink()
    bookdown.write_text("It works.\n")
    with pytest.raises(InputError, match="a chapter gets none of its own"):
        add_entries(read(bookdown), {"new": Paper("new", "New")})
    _, named = add_entries(read(index), {"new": Paper("new", "New")})
    assert (named.file, named.text) == (str(index), "bibliography: references.bib\n")
