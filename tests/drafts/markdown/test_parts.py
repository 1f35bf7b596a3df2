"""The files that R Markdown and Quarto drafts include."""

from __future__ import annotations

from pathlib import Path

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts import read, read_files
from citewhy.drafts.edit.citations import fill
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import MemoryFiles

BIB = "@misc{bleu, title = {BLEU}}\n"
HEAD = "---\nbibliography: refs.bib\n---\n"


def draft(body: str, **more: str) -> Manuscript:
    files = {"draft.Rmd": HEAD + body, "refs.bib": BIB}
    return read_files({**files, **{f"{name}.Rmd": text for name, text in more.items()}}, root="draft.Rmd")


def texts(manuscript: Manuscript) -> list[tuple[str, str]]:
    return [
        (sentence.place.file, sentence.text) for part in manuscript.paragraphs for sentence in part.sentences
    ]


def markers(manuscript: Manuscript) -> list[Marker]:
    return [marker for p in manuscript.paragraphs for sentence in p.sentences for marker in sentence.markers]


def test_children_are_read_where_they_stand() -> None:
    """Of chunks in every form of the option, and of Quarto; the heading above goes on in the file."""
    manuscript = draft(
        "# Title\n\n# One\n\nBefore.\n\n"
        '```{r, child="a.Rmd"}\n```\n\n'
        "```{r child = c('b.Rmd', 'c.Rmd'), echo=FALSE}\n```\n\n"
        "{{< include d.Rmd >}}\n\n"
        "```{r}\n#| label: x\n#| child: e.Rmd\n```\n\nAfter.\n",
        **{name: f"Text {name} [@bleu].\n" for name in "abcde"},
    )
    assert texts(manuscript) == [
        ("draft.Rmd", "Before."),
        *((f"{name}.Rmd", f"Text {name}.") for name in "abcde"),
        ("draft.Rmd", "After."),
    ]
    assert {part.section for part in manuscript.paragraphs} == {"One"}
    assert manuscript.files == ("draft.Rmd", "a.Rmd", "b.Rmd", "c.Rmd", "d.Rmd", "e.Rmd")
    assert [marker.keys for marker in markers(manuscript)] == [("bleu",)] * 5


def test_what_includes_nothing() -> None:
    """Code, comments, and chunks that are not evaluated."""
    manuscript = draft(
        "Nothing.\n\n```\n{{< include a.Rmd >}}\n```\n\n<!--\n{{< include a.Rmd >}}\n-->\n\n"
        '```{r, child="a.Rmd", eval=FALSE}\n```\n\n```r\nf(child="a.Rmd")\n```\n',
        a="Text a.",
    )
    assert texts(manuscript) == [("draft.Rmd", "Nothing.")]
    assert (manuscript.files, manuscript.problems) == (("draft.Rmd",), ())


def test_problems() -> None:
    """A missing file and one that includes itself are named with file and line; the rest is read."""
    manuscript = draft(
        "{{< include none.Rmd >}}\n{{< include a.Rmd >}}\n", a="Text a.\n\n{{< include draft.Rmd >}}\n"
    )
    assert [text for _, text in texts(manuscript)] == ["Text a."]
    assert manuscript.problems == (
        "draft.Rmd:4: no such file: none.Rmd",
        "a.Rmd:3: draft.Rmd includes itself",
    )


def test_an_included_file_may_name_the_bibliography() -> None:
    """Its metadata are no text."""
    files = {
        "draft.qmd": "{{< include parts/_a.qmd >}}\n",
        "parts/_a.qmd": "---\nbibliography: refs.bib\n---\nIt works [@bleu; @unknown].\n",
        "refs.bib": BIB,
    }
    manuscript = read_files(files, root="draft.qmd")
    assert [(marker.keys, marker.open) for marker in markers(manuscript)] == [(("bleu", "unknown"), True)]


def test_an_edit_changes_the_file_of_the_citation() -> None:
    """And no other byte."""
    files = {"draft.Rmd": HEAD + "{{< include a.Rmd >}}\n", "refs.bib": BIB, "a.Rmd": "Déjà vu [@?].\n"}
    manuscript = read_files(files, root="draft.Rmd")
    held = MemoryFiles(files)
    patch = Patch([fill(manuscript, markers(manuscript)[0], ["bleu"], held)], manuscript.path, held)
    assert patch.texts() == {"a.Rmd": "Déjà vu [@bleu].\n"}


def test_files_outside_of_the_project_are_not_read(tmp_path: Path) -> None:
    """They are reported."""
    project = tmp_path / "project" / "deep"
    project.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    (tmp_path / "secret.Rmd").write_text("Secret text.\n")
    (project / "draft.Rmd").write_text("{{< include ../../secret.Rmd >}}\n\nText.\n")
    manuscript = read(project / "draft.Rmd")
    assert [text for _, text in texts(manuscript)] == ["Text."]
    assert any("outside of the draft's project" in problem for problem in manuscript.problems)
