"""Books of several files: read in their order, from any of their names; and their chapters, read alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from citewhy import Session
from citewhy.answers.draft_evidence import DraftCitations
from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript
from citewhy.drafts import finished, flow, read, read_files
from citewhy.drafts.edit.citations import fill
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.finished import find_drafts
from citewhy.drafts.roots import root_on_disk

BIB = "@misc{lee2001, title = {A Study}, author = {Lee, Ann}, year = 2001}\n" + (
    "@misc{kim2002, title = {Another Study}, author = {Kim, Bo}, year = 2002}\n"
)
INDEX = "---\ntitle: Thesis\nbibliography: refs.bib\n---\n\n# Preface\n\nFirst words [CITE].\n\n"
ONE = "# One\n\nIt works [@lee2001].\n"
TWO = "# Two\n\nSo does this [@kim2002]. But that is open [@?].\n"
YAML_BOOK = """project:
  type: book
book:
  title: Thesis
  author: Ann Lee
  chapters:
    - index.qmd
    - part: Parts
      chapters:
        - text/one.qmd
        - file: text/two.qmd
  appendices: [text/missing.qmd]
bibliography: refs.bib
"""
MAIN = (
    "\\documentclass{book}\n\\title{Thesis}\n\\begin{document}\nFirst words [CITE].\n\n"
    "\\input{text/one}\n\\include{text/two}\n\\bibliography{refs}\n\\end{document}\n"
)
ONE_TEX = "\\chapter{One}\nIt works \\cite{lee2001}.\n"
TWO_TEX = "\\chapter{Two}\nSo does this \\cite{kim2002}. But that is open \\cite{?}.\n"
BOOKS: dict[str, tuple[str, dict[str, str]]] = {
    "bookdown": (
        "02-two.Rmd",
        {"_bookdown.yml": "book_filename: all\n", "index.Rmd": INDEX, "01-one.Rmd": ONE, "02-two.Rmd": TWO}
        | {"_off.Rmd": "Hidden [CITE].\n", "all.Rmd": "Merged [CITE].\n"},
    ),
    "rmd_files": (
        "text/two.Rmd",
        {"_bookdown.yml": 'rmd_files: ["index.Rmd", "text/one.Rmd", "text/two.Rmd"]\n'}
        | {"index.Rmd": INDEX, "text/two.Rmd": TWO, "text/one.Rmd": ONE, "text/old.Rmd": "Old [CITE].\n"},
    ),
    "rmd_files of formats": (
        "two.Rmd",
        {"_bookdown.yml": "rmd_files:\n  html: [index.Rmd]\n  latex: [index.Rmd, one.Rmd, two.Rmd]"}
        | {"index.Rmd": INDEX, "one.Rmd": ONE, "two.Rmd": TWO},
    ),
    "rmd_subdir": (
        "text/two/two.Rmd",
        {"_bookdown.yml": "rmd_subdir: true\n", "index.Rmd": INDEX, "text/one.Rmd": ONE}
        | {"text/two/two.Rmd": TWO, "text/_off.Rmd": "Hidden [CITE].\n", ".git/x.Rmd": "Old [CITE].\n"},
    ),
    "quarto.yaml": (
        "two.qmd",
        {"_quarto.yaml": "book:\n  title: Thesis\n  chapters: [index.qmd, one.qmd, two.qmd]\n"}
        | {"index.qmd": INDEX, "one.qmd": ONE, "two.qmd": TWO},
    ),
    "quarto": (
        "text/two.qmd",
        {"_quarto.yml": YAML_BOOK, "index.qmd": "# Preface\n\nFirst words [CITE].\n"}
        | {"text/one.qmd": ONE, "text/two.qmd": TWO, "text/old.qmd": "Old [CITE].\n"},
    ),
    "quarto, whose first chapter names the bibliography": (
        "two.qmd",
        {"_quarto.yml": "book:\n  title: Thesis\n  chapters: [index.qmd, one.qmd, two.qmd]\n"}
        | {"index.qmd": INDEX, "one.qmd": ONE, "two.qmd": TWO},
    ),
    "mdbook": (
        "src/two.md",
        {"book.toml": '[book]\ntitle = "Thesis"\n[preprocessor.bib]\nbibliography = "../refs.bib"\n'}
        | {"src/SUMMARY.md": "# All\n\n[Preface](pre%20face.md)\n\n- [One](./one.md)\n  - [Two](two.md)\n"}
        | {"src/pre face.md": "First words [CITE].\n", "src/one.md": ONE, "src/two.md": TWO},
    ),
    "latex": ("text/two.tex", {"main.tex": MAIN, "text/one.tex": ONE_TEX, "text/two.tex": TWO_TEX}),
    "latex, named": (
        "text/two.tex",
        {"main.tex": MAIN, "text/one.tex": ONE_TEX, "text/two.tex": f"% !TEX root = ../main.tex\n{TWO_TEX}"}
        | {"text/other.tex": MAIN.replace("text/", "")},
    ),
    "subfiles": (
        "text/two.tex",
        {"main.tex": MAIN.replace("\\include", "\\subfile"), "text/one.tex": ONE_TEX}
        | {
            "text/two.tex": "\\documentclass[../main]{subfiles}\n\\begin{document}\n"
            f"{TWO_TEX}\\end{{document}}\n"
        },
    ),
}


def make(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in {"refs.bib": BIB, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def cited(draft: Manuscript) -> list[tuple[str, ...]]:
    """The keys of each citation, in order; none if it is open."""
    return [() if marker.open else marker.keys for marker in draft.markers]


@pytest.mark.parametrize("kind", BOOKS)
def test_a_book_is_one_draft(kind: str, tmp_path: Path) -> None:
    """Its files are read in its order, with its bibliography, whether its folder, its configuration or its
    first file is named."""
    make(tmp_path, BOOKS[kind][1])
    whole = read(tmp_path)
    assert cited(whole) == [(), ("lee2001",), ("kim2002",), ()]
    assert [reference.key for reference in whole.references] == ["lee2001", "kim2002"]
    assert (whole.title, whole.book) == ("Thesis", ())
    assert read(whole.path) == whole
    for name in ("_bookdown.yml", "_quarto.yml", "book.toml", "src/SUMMARY.md"):
        if (tmp_path / name).exists():
            assert read(tmp_path / name).files == whole.files
    assert [problem.rpartition("/")[2] for problem in whole.problems] == (
        ["missing.qmd"] if kind == "quarto" else []
    )


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("kind", BOOKS)
def test_a_chapter_knows_its_book(
    kind: str, relative: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chapter that is read alone has its own open citations only, with the bibliography of the book, and
    what the book cites elsewhere is evidence for them, wherever it is named from."""
    name, files = BOOKS[kind]
    make(tmp_path, files)
    path = tmp_path / name
    monkeypatch.chdir(path.parent)
    chapter = read(path.name if relative else path)
    assert cited(chapter) == [("kim2002",), ()]
    titles = ("Thesis", "") if name.endswith("tex") else ("Two", "Thesis")
    assert (chapter.title, chapter.book_title) == titles
    assert chapter.problems == ()
    papers = {"lee2001": "lee", "kim2002": "kim"}
    evidence = DraftCitations.of(chapter, papers).for_marker(chapter.markers[1].place)
    assert [citation.paper_ids for citation in evidence.citations] == [("lee",), ("kim",)]


@pytest.mark.parametrize("kind", BOOKS)
def test_the_rest_of_a_book_is_kept(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While only the chapter changes, as in an editor, its book is not read again; then it is."""
    name, files = BOOKS[kind]
    make(tmp_path, files)
    before = read(tmp_path / name)
    opened: list[str] = []
    real = flow.Source.__init__

    def noted(source: flow.Source, path: str, text: str) -> None:
        opened.append(Path(path).stem)
        real(source, path, text)

    monkeypatch.setattr(flow.Source, "__init__", noted)
    text = (tmp_path / name).read_text(encoding="utf-8")
    (tmp_path / name).write_text(text.replace("But that", "But that, at last,"), encoding="utf-8")
    changed = read(tmp_path / name)
    assert "one" not in " ".join(opened)
    assert len(changed.book) == len(before.book)
    assert "at last" in str(changed.book)
    other = next(path for path in tmp_path.rglob("*one.*"))
    other.write_text(other.read_text(encoding="utf-8").replace("It works", "It fails"), encoding="utf-8")
    assert "It fails" in str(read(tmp_path / name).book)


@pytest.mark.parametrize("kind", BOOKS)
def test_an_edit_of_a_book(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chapter with the place is edited, and undo restores it, with the folder as the draft's name."""
    monkeypatch.setenv("CITEWHY_DATA", str(tmp_path / "data"))
    name, files = BOOKS[kind]
    make(tmp_path / "a", files)
    whole = read(tmp_path / "a")
    Patch([fill(whole, whole.markers[-1], ["lee2001"])], whole.path).apply()
    assert "lee2001" in (tmp_path / "a" / name).read_text(encoding="utf-8")
    assert cited(read(tmp_path / "a"))[-1] == ("lee2001",)
    assert Session.undo(tmp_path / "a") == (tmp_path / "a" / name,)
    assert read(tmp_path / "a") == whole


def test_a_book_in_memory() -> None:
    """Where the files given are a book, its first is the root."""
    held = {"refs.bib": BIB, **BOOKS["quarto"][1]}
    assert cited(read_files(held)) == [(), ("lee2001",), ("kim2002",), ()]


def test_a_part_of_a_book_is_no_title() -> None:
    """What bookdown writes before the heading of a part is no word of it."""
    draft = read_files(
        {"a.md": "# (PART) Fieldwork {-}\n\nText is here.\n\n# (APPENDIX) More\n\nText follows.\n"}
    )
    assert draft.title == ""
    assert [paragraph.section for paragraph in draft.paragraphs] == ["Fieldwork", "More"]


def test_a_folder_with_one_root(tmp_path: Path) -> None:
    """Parts, files about the project and hidden ones are none."""
    make(tmp_path, {"paper.md": TWO, "README.md": "# About\n", "_draft.md": "x", ".notes.md": "x"})
    assert root_on_disk(tmp_path) == tmp_path / "paper.md"
    assert cited(read(tmp_path)) == [("kim2002",), ()]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.md": ONE, "b.md": TWO}, "several files can be the draft's root: "),
        ({"a.png": ""}, "no draft among the files"),
    ],
)
def test_other_folders(files: dict[str, str], message: str, tmp_path: Path) -> None:
    """They are refused, with the file names where there are several."""
    with pytest.raises(InputError, match=f"a folder: {message}") as caught:
        read(make(tmp_path, files))
    assert caught.value.hint == "name its root file, such as paper.tex"


def test_a_configuration_without_chapters(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names no chapter that is there"):
        read(make(tmp_path, {"_quarto.yml": "book:\n  chapters: [a.qmd]\n"}) / "_quarto.yml")


def test_a_text_that_is_no_chapter(tmp_path: Path) -> None:
    """It is a draft of its own, with the project's bibliography."""
    folder = make(tmp_path, BOOKS["quarto"][1] | {"talk.qmd": ONE})
    talk = read(folder / "talk.qmd")
    assert (cited(talk), talk.book) == ([("lee2001",)], ())


def test_a_part_of_several_roots_belongs_to_none(tmp_path: Path) -> None:
    """Which of the roots counts is not guessed."""
    files = {"main.tex": MAIN, "other.tex": MAIN, "text/one.tex": ONE_TEX, "text/two.tex": TWO_TEX}
    chapter = read(make(tmp_path, files) / "text/two.tex")
    assert (chapter.references, chapter.book) == ((), ())


def test_a_bibliography_that_r_names(tmp_path: Path) -> None:
    """Code that makes a path is read for the path: ``here::here("refs.bib")``."""
    index = INDEX.replace("refs.bib", "'`r here::here(\"refs.bib\")`'")
    files = BOOKS["bookdown"][1] | {"index.Rmd": index}
    assert len(read(make(tmp_path, files)).references) == 2


@pytest.mark.parametrize("kind", BOOKS)
def test_a_finished_book_is_one_writing(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder that is added to a library, chapters are not read again for themselves; without the first
    file, they are drafts of their own."""
    name, files = BOOKS[kind]
    folder = make(tmp_path, files)
    drafts = find_drafts([folder]).drafts
    assert root_on_disk(folder) in [Path(draft.path) for draft in drafts]
    assert (folder / name) not in [Path(draft.path) for draft in drafts]
    if name.startswith("text/") and not name.endswith("tex"):
        alone = [Path(draft.path).stem for draft in find_drafts([folder / "text"]).drafts]
        assert {"one", "two"} <= set(alone)
    roots: list[str] = []

    def noted(path: Path, **_: bool) -> Manuscript:
        roots.append(path.name)
        return read(path)

    monkeypatch.setattr(finished, "read", noted)
    find_drafts([folder])
    assert Path(name).name not in roots


def test_broken_configurations(tmp_path: Path) -> None:
    """A chapter is read without them; what is wrong is a problem."""
    folder = make(tmp_path, {"_quarto.yml": "book: [\n", "one.qmd": ONE})
    assert "invalid YAML" in " ".join(read(folder / "one.qmd").problems)
    folder = make(tmp_path / "md", {"book.toml": "book = [\n", "one.md": ONE})
    assert "invalid TOML" in " ".join(read(folder / "one.md").problems)
