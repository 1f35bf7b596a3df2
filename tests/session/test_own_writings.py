"""Finished drafts in a library: what they become, and what they may answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from citewhy.base.errors import InputError, QueryError
from citewhy.base.records import Context, Paper
from citewhy.base.reports import AddReport
from citewhy.doors.cli import cli
from citewhy.drafts import read
from citewhy.papers.library.store import Library
from citewhy.session.importing import add_files
from citewhy.session.session import Session
from citewhy_lab.evaluate.backtest.hiding import hide_citations

ROOT = """\\documentclass{book}
\\title{Charts for Trees}
\\author{Dee Ray}
\\date{May 2012}
\\begin{document}
\\section{Introduction}
Translation by phrases \\cite{koehn,gone} needs no grammar at all. It is measured with BLEU \\citep{bleu}.
\\input{chapters/one}
\\nocite{rest}
\\bibliography{refs}
\\end{document}
"""
CHAPTER = "\\section{Charts}\nCharts build trees of sentences bottom up \\cite{koehn}, as we do.\n"
BIBLIOGRAPHY = """
@article{koehn, title={Statistical Phrase-Based Translation}, author={Philipp Koehn}, year=2003}
@article{bleu, title={Bleu: a Method for Evaluation}, author={Kishore Papineni}, year=2002, file={x.pdf}}
@misc{rest, title={The Rest of the Entries}, year=1999}
"""
MARKDOWN = """---
title: Words in Space
author: Dee Ray
bibliography: words.bib
---

# Introduction

Words are vectors in a space of meaning [@salton, p. 3; see @missing].
"""
WORDS = "@book{salton, title={A Vector Space Model}, author={Gerard Salton}, year=1975}\n"

Write = Callable[..., Path]
Add = Callable[..., AddReport]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a draft of several files into ``drafts/thesis``, or some of them anew."""

    def written(**files: str) -> Path:
        folder = tmp_path / "drafts" / "thesis"
        (folder / "chapters").mkdir(parents=True, exist_ok=True)
        names = {"root": "main.tex", "chapter": "chapters/one.tex", "bibliography": "refs.bib"}
        for name, text in files.items():
            (folder / names[name]).write_text(text, encoding="utf-8")
        return folder

    written(root=ROOT, chapter=CHAPTER, bibliography=BIBLIOGRAPHY)
    return written


@pytest.fixture
def add(tmp_path: Path) -> Add:
    def added(*paths: Path, strict: bool = False) -> AddReport:
        return add_files(tmp_path / "library", paths, strict=strict, vectors=False)

    return added


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", create=True) as opened:
        yield opened


def contexts(library: Library) -> dict[str, Context]:
    """By text."""
    return {context.text: context for _, context in library.numbered_contexts()}


# What becomes of a draft ----------------------------------------------------------------------------------


def test_a_draft_in_several_files(write: Write, add: Add, library: Library) -> None:
    """The draft, its whole bibliography, a context for each citing sentence with its section, an edge for
    each paper that is cited, in a sentence or by \\nocite."""
    report = add(write() / "main.tex")
    assert library.paper("own:charts-for-trees") == Paper(
        "own:charts-for-trees", "Charts for Trees", authors=("Dee Ray",), year=2012, own=True
    )
    assert set(library.ids()) == {"own:charts-for-trees", "koehn", "bleu", "rest"}
    found = contexts(library)
    assert {text: (each.cited_ids, each.section) for text, each in found.items()} == {
        "Translation by phrases TARGETCIT needs no grammar at all.": (("koehn",), "Introduction"),
        "It is measured with BLEU TARGETCIT.": (("bleu",), "Introduction"),
        "Charts build trees of sentences bottom up TARGETCIT, as we do.": (("koehn",), "Charts"),
    }
    assert {(each.citing_id, each.year) for each in found.values()} == {("own:charts-for-trees", 2012)}
    cited = {("own:charts-for-trees", each) for each in ("koehn", "bleu", "rest")}
    assert set(library.edges()) == cited
    assert report.new == {"papers": 4, "contexts": 3, "citations": 3}
    assert report.files == (str(write() / "main.tex"),)
    assert report.not_kept == {"BibTeX": {"file": 1}}
    assert "1 cited keys are in no bibliography: gone" in report.warnings[0]
    assert library.counts()["own_writings"] == 1


def test_a_folder_holds_drafts_by_their_roots(write: Write, add: Add, tmp_path: Path) -> None:
    """Chapters and bibliographies belong to their root; others are read as ever; a README is no draft."""
    folder = write()
    (folder / "README.md").write_text("# About\n\nWrite to me@example.org.\n", encoding="utf-8")
    (folder / "figure.tex").write_text(
        "\\documentclass{standalone}\\begin{document}x\\end{document}", encoding="utf-8"
    )
    (tmp_path / "drafts" / "words.md").write_text(MARKDOWN, encoding="utf-8")
    (tmp_path / "drafts" / "words.bib").write_text(WORDS, encoding="utf-8")
    (tmp_path / "drafts" / "other.bib").write_text("@misc{other, title={Another}}", encoding="utf-8")
    report = add(tmp_path / "drafts")
    drafts = tmp_path / "drafts"
    assert report.files == tuple(map(str, (folder / "main.tex", drafts / "words.md", drafts / "other.bib")))
    assert report.papers_after == 4 + 2 + 1
    assert {Path(each).name for each in report.files_not_recognised} == {"README.md", "figure.tex"}


def test_markdown(add: Add, library: Library, tmp_path: Path) -> None:
    """Pandoc's citations; without a date, the year is that of the newest paper that is cited, and printed."""
    (tmp_path / "words.md").write_text(MARKDOWN, encoding="utf-8")
    (tmp_path / "words.bib").write_text(WORDS, encoding="utf-8")
    report = add(tmp_path / "words.md")
    (context,) = contexts(library).values()
    assert context.text == "Words are vectors in a space of meaning TARGETCIT."
    assert context.cited_ids == ("salton",)
    assert library.paper("own:words-in-space").year == 1975
    assert "1975 (the newest paper that it cites), 1 citing sentences" in report.writings[0]


def test_a_printed_reference_list(write: Write, add: Add, library: Library) -> None:
    """A draft may hold its bibliography itself."""
    printed = (
        "\\begin{thebibliography}{9}\\bibitem{koehn} P. Koehn. Statistical phrase-based translation. 2003."
    )
    end = "\\end{thebibliography}"
    add(write(root=ROOT.replace("\\bibliography{refs}", printed + end)) / "main.tex")
    assert {each.cited_ids for each in contexts(library).values()} == {("koehn",)}


def test_a_lost_bibliography(write: Write, add: Add, library: Library) -> None:
    """What the draft holds itself is read all the same."""
    printed = (
        "\\begin{thebibliography}{9}\\bibitem{koehn} P. Koehn. Statistical phrase-based translation. 2003."
    )
    end = "\\end{thebibliography}\\bibliography{lost}"
    add(write(root=ROOT.replace("\\bibliography{refs}", printed + end)) / "main.tex")
    assert {each.cited_ids for each in contexts(library).values()} == {("koehn",)}


def test_papers_merge_with_those_that_are_there(write: Write, add: Add, library: Library) -> None:
    """By the rules for all papers: an entry keeps the id that came first."""
    library.add([Paper("P02-1040", "BLEU: A Method for Evaluation", authors=("K. Papineni",), year=2002)])
    add(write() / "main.tex")
    assert contexts(library)["It is measured with BLEU TARGETCIT."].cited_ids == ("P02-1040",)


def test_a_key_that_is_another_paper(write: Write, add: Add, library: Library) -> None:
    """A key means what the draft's own bibliography says, whatever the library has under it."""
    library.add([Paper("koehn", "On Bees and Their Dances", authors=("Philipp Koehn",), year=2003)])
    add(write() / "main.tex")
    cited = contexts(library)["Charts build trees of sentences bottom up TARGETCIT, as we do."].cited_ids
    assert cited == ("koehn#2",)
    assert library.paper("koehn").title == "On Bees and Their Dances"
    assert library.paper("koehn#2").title == "Statistical Phrase-Based Translation"


# Again ----------------------------------------------------------------------------------------------------


def test_the_same_draft_again_changes_nothing(write: Write, add: Add, library: Library) -> None:
    """All that it says counts as unchanged."""
    add(write() / "main.tex")
    before = library.generation
    report = add(write() / "main.tex")
    assert (report.new, report.updated, report.withdrawn, report.changed) == ({}, {}, {}, False)
    assert {kind: report.unchanged[kind] for kind in ("papers", "contexts", "citations")} == {
        "papers": 4,
        "contexts": 3,
        "citations": 3,
    }
    assert library.generation == before


def test_a_changed_draft_replaces_what_it_said(write: Write, add: Add, library: Library) -> None:
    """Sentences that are gone are gone, new ones are new, the others stay; also under a title that changed a
    little. What is gone may come back."""
    add(write() / "main.tex")
    changed = ROOT.replace("It is measured with BLEU \\citep{bleu}.", "Much is written on rest \\cite{rest}.")
    report = add(write(root=changed.replace("Charts for Trees", "Charts for Trees!")) / "main.tex")
    assert (report.new, report.withdrawn) == ({"contexts": 1}, {"contexts": 1, "citations": 1})
    assert set(contexts(library)) == {
        "Translation by phrases TARGETCIT needs no grammar at all.",
        "Much is written on rest TARGETCIT.",
        "Charts build trees of sentences bottom up TARGETCIT, as we do.",
    }
    assert ("own:charts-for-trees", "bleu") not in set(library.edges())
    counts = library.counts()
    assert (counts["contexts"], counts["contexts_waiting"], counts["own_writings"]) == (3, 0, 1)
    library.verify()
    add(write(root=ROOT) / "main.tex")
    assert "It is measured with BLEU TARGETCIT." in contexts(library)


def test_two_versions_in_one_import(write: Write, add: Add, library: Library) -> None:
    """The one that cites more counts; the other is refused by name."""
    folder = write()
    (folder / "short.tex").write_text(ROOT.replace("\\input{chapters/one}", ""), encoding="utf-8")
    report = add(folder)
    assert len(contexts(library)) == 3
    assert report.refused["papers"] == 1
    assert any("short.tex: it is the same document as" in each for each in report.skips)
    for kind in ("papers", "contexts", "citations"):
        parts = (report.new, report.updated, report.unchanged, report.refused)
        assert report.read[kind] == sum(part.get(kind, 0) for part in parts)


def test_a_writing_is_removed_with_all_that_it_said(write: Write, add: Add, library: Library) -> None:
    """The papers that it cites stay."""
    add(write() / "main.tex")
    library.remove(["own:charts-for-trees"])
    counts = library.counts()
    assert contexts(library) == {}
    assert (counts["papers"], counts["contexts"], counts["citations"]) == (3, 0, 0)
    library.verify()


# Wrong input ----------------------------------------------------------------------------------------------


def test_a_draft_without_a_bibliography(write: Write, add: Add) -> None:
    """An error that names the file and says what is missing."""
    folder = write()
    (folder / "refs.bib").unlink()
    with pytest.raises(InputError, match=r"main\.tex: none of its 3 citations is in a bibliography .*refs"):
        add(folder / "main.tex")


def test_a_missing_chapter(write: Write, add: Add, library: Library) -> None:
    """The rest is read, and the missing file named with the line that includes it."""
    folder = write()
    (folder / "chapters" / "one.tex").unlink()
    report = add(folder / "main.tex")
    assert len(contexts(library)) == 2
    assert any("main.tex:8: \\input{chapters/one}: no such file" in each for each in report.warnings)


def test_a_part_or_a_draft_that_cites_nothing(write: Write, add: Add) -> None:
    """Neither is a finished draft, and each has an error of its own."""
    folder = write()
    with pytest.raises(InputError, match="a part of a LaTeX draft"):
        add(folder / "chapters" / "one.tex")
    (folder / "empty.tex").write_text("\\documentclass{a}\\begin{document}x\\end{document}", encoding="utf-8")
    with pytest.raises(InputError, match="it has no citations"):
        add(folder / "empty.tex")


# Its own copy does not answer -----------------------------------------------------------------------------


def test_evidence_of_an_earlier_draft_names_it(write: Write, add: Add, tmp_path: Path) -> None:
    """The reason says where the author cited it, in which writing and section."""
    add(write() / "main.tex")
    with Session(tmp_path / "library", pipeline="full") as session:
        found = session.suggest("charts build trees of sentences", year=2015)
    reasons = {each.paper.id: [reason.text for reason in each.reasons] for each in found}
    assert (
        "you cite it in “Charts” of “Charts for Trees”: "
        "“Charts build trees of sentences bottom up […], as we do.”"
    ) in reasons["koehn"]


def test_a_draft_does_not_answer_itself(write: Write, add: Add, tmp_path: Path) -> None:
    """Neither as a suggestion nor by what its copy in the library says, also under a title that changed."""
    add(write() / "main.tex")
    asked = ROOT.replace("\\title{Charts for Trees}", "\\title{Charts for Trees, Again}").replace(
        "measured with BLEU \\citep{bleu}", "measured with BLEU \\cite{?}"
    )
    with Session(tmp_path / "library") as session:
        _, advice = session.advise(write(root=asked) / "main.tex", year=2020)
    found = {each.paper.id: each.reasons for each in advice.suggestions}
    assert "own:charts-for-trees" not in found
    assert all("of “Charts for Trees”" not in reason.text for each in found.values() for reason in each)


def test_an_unknown_id_is_not_removed(library: Library) -> None:
    """A misspelt id is an error, and nothing changes."""
    with pytest.raises(QueryError):
        library.remove(["own:nothing"])


def test_a_chapter_that_is_also_a_paper_does_not_answer_itself(
    write: Write, add: Add, tmp_path: Path
) -> None:
    """In a backtest, a writing that has nearly the same sentence as the question is no evidence for it; for
    another question it is."""
    add(write() / "main.tex")
    body = (
        "Charts build trees of sentences bottom up \\cite{koehn}. Machines speak all languages \\cite{bleu}."
    )
    paper = tmp_path / "paper.tex"
    paper.write_text(
        "\\documentclass{article}\\title{Another Title Altogether}\\date{2015}\\begin{document}"
        f"{body}\\bibliography{{drafts/thesis/refs}}\\end{{document}}",
        encoding="utf-8",
    )
    with Library.open(tmp_path / "library") as library:
        (found,) = hide_citations(library, [read(paper)], None)
    assert [(topic.relevant, topic.query.copy_ids) for topic in found.topics] == [
        (("koehn",), ("own:charts-for-trees",)),
        (("bleu",), ()),
    ]


# On the command line --------------------------------------------------------------------------------------


def test_on_the_command_line(write: Write, tmp_path: Path) -> None:
    """`add` says what it read as a writing, `info` counts it, `remove` takes it out."""
    library = ["--library", str(tmp_path / "library")]

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(cli, [*arguments, *library], catch_exceptions=False)
        assert result.exit_code == 0
        return result.stdout

    printed = " ".join(run("add", str(write()), "--no-vectors").split())
    assert "Read as your own writings: 1" in printed
    assert (
        "“Charts for Trees”, 2012 (its date, or the name of its class or file), 3 citing sentences" in printed
    )
    assert "1 of them your own writings" in run("info")
    assert run("remove", "own:charts-for-trees") == "removed own:charts-for-trees: Charts for Trees\n"
    assert "own writings" not in run("info")
