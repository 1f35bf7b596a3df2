"""XML of ParsCit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from citewhy.base.import_report import ImportReport
from citewhy.base.records import CitingSentence, FullText, Header, Paper, ReferenceList, Sentence
from citewhy.papers.formats import Record, detect, read

Take = Callable[..., tuple[list[Record], ImportReport]]

XML = (
    '<algorithms><algorithm name="SectLabel"><variant>%s</variant></algorithm>'
    '<algorithm name="ParsCit"><citationList>%s</citationList></algorithm></algorithms>'
)


def citation(title: str, author: str, date: str, marker: str = "") -> str:
    return (
        f"<citation><authors><author>{author}</author></authors><title>{title}</title>"
        f"<date>{date}</date><marker>{marker}</marker></citation>"
    )


def references(records: list[Record]) -> ReferenceList:
    (found,) = (record for record in records if isinstance(record, ReferenceList))
    return found


def test_a_paper_of_the_anthology(toy: Path) -> None:
    """Title, authors and abstract of ParsHed; sentences go on behind page numbers and captions; words are
    mended with the hyphen that they have elsewhere; nothing behind the heading of the references."""
    path = toy / "full_texts" / "P03-1021-parscit.130908.xml"
    assert detect(path).name == "XML of ParsCit"
    report = ImportReport(strict=True)
    header, text, found = read(path, report)
    title = "Minimum Error Rate Training in Statistical Machine Translation"
    assert header == Header(
        Paper("P03-1021", title, "We train for the measure that counts.", ("Franz Josef Och",))
    )
    assert text == FullText(
        "P03-1021",
        (
            Sentence(0, "title", title),
            Sentence(1, "abstract", "We train for the measure that counts."),
            Sentence(2, "abstract", "The significance of it is shown."),
            Sentence(3, "1 Introduction", "Systems are tuned on the error rate."),
            Sentence(
                4,
                "1 Introduction",
                "Error rates are well-known, as is log-linear training, and training is well-known to be "
                "slow.",
            ),
            Sentence(
                5,
                "1 Introduction",
                "Most use BLEU (Papineni et al., 2002) or a word error rate (Vidal, 1997; Smith, 1990).",
            ),
            Sentence(6, "1.1 Related", "Q&A systems follow Brown et al. (1993)."),
        ),
    )
    assert isinstance(found, ReferenceList)
    assert [(r.key, r.paper.authors[0], r.paper.year, r.paper.venue) for r in found.references] == [
        ("c1", "P F Brown", 1993, "Computational Linguistics"),
        ("c2", "Kishore Papineni", 2002, "In ACL"),
    ]
    assert found.sentences == (
        CitingSentence(
            5,
            "1 Introduction",
            ("Most use BLEU (", ("c2",), ") or a word error rate (", "OTHERCIT", ")."),
        ),
        CitingSentence(6, "1.1 Related", ("Q&A systems follow ", ("c1",), ".")),
    )
    assert report.warnings == []


def test_numbers_are_looked_up_by_their_markers(take: Take) -> None:
    """``[2]`` is the entry that the list calls 2, wherever it stands."""
    entries = citation("Second", "A Bee", "1999", "[2]") + citation("First", "C Dee", "1998", "1.")
    records, _ = take(XML % ("<bodyText>As in [2] and [1, 7].</bodyText>", entries))
    assert references(records).sentences[0].pieces == ("As in [", ("c1",), "] and [", ("c2",), "].")


def test_a_marker_that_fits_two_entries_means_none(take: Take) -> None:
    """Neither is cited, rather than the wrong one."""
    entries = citation("One", "A Bee", "1999") + citation("Other", "A Bee", "1999")
    entries += citation("Third", "A Bee", "2001")
    records, _ = take(XML % ("<bodyText>As in (Bee, 1999). Then Bee (2001) came.</bodyText>", entries))
    assert [sentence.pieces for sentence in references(records).sentences] == [("Then ", ("c3",), " came.")]


def test_without_blocks_there_is_no_text(take: Take) -> None:
    """Of a file of the reference list alone, only that is read."""
    xml = '<algorithms><algorithm name="ParsCit"><citationList>%s</citationList></algorithm></algorithms>'
    records, report = take(xml % citation("One", "A Bee", "1999"))
    assert [type(record) for record in records] == [ReferenceList]
    assert "no text" in report.skips[0].why
