"""What full texts say of themselves and of others, in a library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citewhy.base.import_report import ImportReport
from citewhy.base.records import (
    Citation,
    CitingSentence,
    Context,
    FullText,
    Header,
    Paper,
    Reference,
    ReferenceList,
    Sentence,
)
from citewhy.papers.formats import Record, read
from citewhy.papers.library.store import Library

BLEU = Paper(
    "bleu", "Bleu: a Method for Evaluation", authors=("Kishore Papineni",), year=2002, doi="10.1000/bleu"
)
TREEBANK = Paper("ptb", "The Penn Treebank", authors=("Mitchell Marcus",), year=1993)


def text(*, header: Paper | None = None, references: tuple[Paper, ...] = (BLEU, TREEBANK)) -> list[Record]:
    """A full text `mine`, which cites BLEU in two sentences and the Treebank in one."""
    said = (
        CitingSentence(3, "Intro", ("We use ", ("b0",), " on ", ("b1",), ".")),
        CitingSentence(4, "Intro", ("Others (", ("b0", "b9"), ") do.")),
    )
    listed = tuple(Reference(f"b{n}", paper) for n, paper in enumerate(references))
    return [
        Header(header or Paper("mine", "My Own Text", "An abstract.", ("Ada Lovelace",), 2010)),
        FullText("mine", (Sentence(3, "Intro", "We use …"),)),
        ReferenceList("mine", listed, said, 2010, "grobid"),
    ]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", create=True) as opened:
        yield opened


def contexts(library: Library) -> list[Context]:
    return [context for _, context in library.numbered_contexts()]


def test_references_that_are_there_become_contexts_and_citations(library: Library) -> None:
    """By DOI, or by title and first author; what is not there is another citation, and no paper."""
    library.add([BLEU])
    result = library.add(text(references=(Paper("x", "BLEU, a method", doi="10.1000/bleu"), TREEBANK)))
    assert result.new == {"papers": 1, "full texts": 1, "contexts": 2, "citations": 1}
    assert contexts(library) == [
        Context("mine_3", "mine", ("bleu",), "We use TARGETCIT on OTHERCIT.", 2010, "Intro"),
        Context("mine_4", "mine", ("bleu",), "Others (TARGETCIT) do.", 2010, "Intro"),
    ]
    assert list(library.edges()) == [("mine", "bleu")]
    assert library.counts()["papers"] == 2


def test_they_are_looked_up_again_when_the_text_comes_again(library: Library) -> None:
    """Papers that came meanwhile are found; the same again changes nothing."""
    library.add(text())
    assert (contexts(library), list(library.edges())) == ([], [])
    library.add([BLEU, TREEBANK])
    assert contexts(library) == []
    assert library.add(text()).new == {"contexts": 2, "citations": 2}
    assert contexts(library)[0].text == "We use TARGETCIT on TARGETCIT."
    assert contexts(library)[0].cited_ids == ("bleu", "ptb")
    assert not library.add(text()).changed


def test_papers_of_the_same_import_are_found(library: Library) -> None:
    """In whatever order the files are named."""
    report = ImportReport()
    library.add([*text(), TREEBANK, BLEU], report)
    assert sorted(library.edges()) == [("mine", "bleu"), ("mine", "ptb")]
    assert (report.read["contexts"], report.read["citations"], report.warnings) == (2, 2, [])


def test_a_paper_does_not_cite_itself(library: Library) -> None:
    """An entry that turns out to be the citing paper is passed over."""
    library.add(text(references=(Paper("x", "My own text", authors=("A. Lovelace",), year=2010),)))
    assert (contexts(library), list(library.edges())) == ([], [])


def test_a_header_fills_gaps(library: Library) -> None:
    """Before or after, in one import or two: what others say counts, abstract and year are added."""
    known = Paper("mine", "My Own Text: an Essay", authors=("Ada Lovelace", "Charles Babbage"), venue="Notes")
    expected = Paper(
        "mine", "My Own Text: an Essay", "An abstract.", ("Ada Lovelace", "Charles Babbage"), 2010, "Notes"
    )
    library.add([known])
    library.add(text())
    assert library.paper("mine") == expected
    library.remove(["mine"])
    library.add([*text(), known])
    assert library.paper("mine") == expected


def test_a_header_that_names_another_paper_is_not_believed(library: Library) -> None:
    """The sentences go to the id, the person is told."""
    library.add([Paper("mine", "Notes by the Translator", authors=("Charles Babbage",), year=1843)])
    report = ImportReport()
    library.add(text(), report)
    assert library.paper("mine").title == "Notes by the Translator"
    assert library.full_text("mine") is not None
    assert "only its sentences are used" in report.warnings[0].why
    assert library.counts()["papers"] == 1


def test_a_header_may_be_a_paper_that_is_there(library: Library) -> None:
    """Sentences are found under the id of the bibliography, which counts even where it sorts last."""
    library.add([*text(), Paper("zzz", "My own text.", authors=("A. Lovelace",), year=2010, venue="Notes")])
    assert library.canonical("mine") == "zzz"
    found = library.full_text("zzz")
    assert found is not None
    assert found.sentences[0].text == "We use …"
    assert library.paper("mine").venue == "Notes"


def test_a_folder_of_full_texts_and_a_bibliography(library: Library, toy: Path) -> None:
    """The toy files together: two texts, whose references are papers of the bibliography."""
    for name in ("papers.jsonl", "paper_aliases.tsv"):
        library.add(read(toy / name, ImportReport()))
    before = library.counts()["papers"]
    for path in sorted((toy / "full_texts").iterdir()):
        library.add(read(path, ImportReport()), source=path.name)
    assert library.counts()["papers"] == before
    assert sorted(library.edges()) == [
        ("N03-1017", "J93-2003"),
        ("N03-1017", "J93-2004"),
        ("N03-1017", "P02-1040"),
        ("P03-1021", "J93-2003"),
        ("P03-1021", "P02-1040"),
    ]
    assert {(context.citing_id, context.text) for context in contexts(library)} == {
        ("N03-1017", "Words are translated one by one in the early models (TARGETCIT)."),
        ("N03-1017", "We measure with the score of TARGETCIT, see Figure 1."),
        ("N03-1017", "The Treebank [TARGETCIT] has none."),
        ("P03-1021", "Most use BLEU (TARGETCIT) or a word error rate (OTHERCIT)."),
        ("P03-1021", "Q&A systems follow TARGETCIT."),
    }


def test_a_cluster_gives_its_texts(library: Library, toy: Path) -> None:
    """Of CL-SciSumm, cited and citing papers become full texts, and papers where nobody else names them."""
    for path in sorted((toy / "clscisumm").rglob("*.xml")):
        library.add(read(path, ImportReport(strict=True)))
    assert library.counts()["with_full_text"] == 2
    found = library.full_text("P02-1040")
    assert found is not None
    assert len(found.sentences) == 7
    assert library.paper("P03-1021").abstract == "We train for the measure that counts."


def test_what_cannot_be_stored_is_skipped(library: Library) -> None:
    """A reference list with half a character in it, by name; the rest of the import stays."""
    report = ImportReport()
    bad = ReferenceList("mine", (Reference("b0", Paper("x", "\ud800")),))
    library.add([bad, Header(Paper("h", "\ud800")), BLEU, Citation("a", "bleu")], report)
    assert [problem.why.split(" cannot")[0] for problem in report.skips] == [
        "a reference list ('mine')",
        "a paper ('h')",
    ]
    assert library.canonical("bleu") == "bleu"
