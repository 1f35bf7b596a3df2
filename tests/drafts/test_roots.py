"""The root of the draft that a chapter is a part of."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.drafts.roots import root_that_reads

MAIN = "\\documentclass{book}\n\\begin{document}\n\\input{parts/one}\n\\bibliography{refs}\n\\end{document}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path.resolve()
    (folder / "parts").mkdir()
    for name, text in (
        ("main.tex", MAIN),
        ("refs.bib", "@misc{a, title = {A}}\n"),
        ("parts/one.tex", "One.\n"),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_chapter(folder: Path) -> None:
    """It belongs to the file above that includes it; other files belong to themselves."""
    (folder / "parts/other.tex").write_text("Other.\n", encoding="utf-8")
    assert root_that_reads(folder / "parts/one.tex") == folder / "main.tex"
    assert root_that_reads(folder / "parts/other.tex") == folder / "parts/other.tex"
    assert root_that_reads(folder / "main.tex") == folder / "main.tex"
    assert root_that_reads(folder / "parts/one.tex", [folder / "parts"]) == folder / "parts/one.tex"


def test_a_chapter_that_can_be_made_alone(folder: Path) -> None:
    """Its own class says nothing: what counts is who has the references."""
    alone = folder / "parts/one.tex"
    begun = "\\documentclass{standalone}\n\\begin{document}\nOne.\n"
    alone.write_text(begun + "\\end{document}\n", encoding="utf-8")
    assert root_that_reads(alone) == folder / "main.tex"
    alone.write_text(begun + "\\bibliography{refs}\n\\end{document}\n", encoding="utf-8")
    assert root_that_reads(alone) == alone


def test_the_nearest_with_references(folder: Path) -> None:
    """A file between the chapter and its book that has none is passed by."""
    between = folder / "parts/chapter.tex"
    between.write_text("\\documentclass{standalone}\n\\begin{document}\\input{one}\\end{document}\n")
    assert root_that_reads(folder / "parts/one.tex") == folder / "main.tex"
    (folder / "main.tex").unlink()
    assert root_that_reads(folder / "parts/one.tex") == between


def test_a_class_in_a_file_that_the_root_includes(folder: Path) -> None:
    (folder / "preamble.tex").write_text("\\documentclass{book}\n", encoding="utf-8")
    root = MAIN.replace("\\documentclass{book}", "\\input{preamble}")
    (folder / "main.tex").write_text(root, encoding="utf-8")
    assert root_that_reads(folder / "parts/one.tex") == folder / "main.tex"
