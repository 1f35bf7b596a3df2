"""How a work was published, as each source tells it: type, what it appeared in, numbers, dates, people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from test_sources import sample_file

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Name, Paper, Publication
from citewhy.papers.formats import read
from citewhy.text.dates import date_with
from citewhy.text.identifiers import keywords_of, serial_numbers, without_identifiers

MOSS = Publication(
    "article-journal",
    container="Journal of Wall Studies",
    volume="3",
    number="1",
    pages="1-9",
    date="2004-03",
    issn="0000-0019",
)
"""What most samples say of their first paper."""
SHORT, KEYWORDS = "J Wall Stud", ("moss", "shade")
STONE = "Proceedings of the Second Workshop on Stone"
MARKED = "Moss on Northern Walls: A Survey of <i>Shade</i>"
EDITED = (Name("Ed", "Itor"),)


def moss(**changes: object) -> Publication:
    return replace(MOSS, **changes)  # type: ignore[arg-type]


PUBLICATIONS = {
    "openalex.jsonl": (
        moss(title=MARKED, publisher="Wall Press", date="2004-03-01", pmid="55500001", language="en"),
        Publication(date="2011"),
    ),
    "better_bibtex.json": (
        moss(title=MARKED, editors=EDITED, issn=""),
        Publication("legal_case", date="1999-05-05"),
    ),
    "zotero_api.json": (moss(number="", pages="", issn=""),),
    "zotero.csv": (
        moss(container_short="J. Wall Stud.", language="en", keywords=("moss",)),
        Publication(
            "book",
            editors=(Name("Cy", "Doe"),),
            publisher="Stone Press",
            place="Gravel",
            date="2011",
            isbn="978-0-00-000000-2",
        ),
    ),
    "zotero.rdf": (
        moss(language="en", keywords=("moss",)),
        Publication(
            "paper-conference",
            container=STONE,
            publisher="Stone Press",
            date="2011",
            isbn="978-0-00-000000-2",
        ),
    ),
    "zotero.sql": (
        moss(editors=EDITED, number="", pages=""),
        Publication("paper-conference", container=STONE, date="2011"),
    ),
    "crossref.json": (
        moss(container_short=SHORT, publisher="Wall Press", language="en"),
        Publication("book", editors=EDITED, publisher="Stone Press"),
    ),
    "crossref_unixsd.xml": (
        moss(title=MARKED, container_short=SHORT, publisher="Wall Press", language="en"),
    ),
    "datacite.json": (
        moss(editors=EDITED, publisher="Wall Press", language="en", keywords=KEYWORDS),
        Publication("dataset", publisher="Stone Archive", date="2011", version="1.2"),
    ),
    "s2_batch.json": (
        moss(number="", date="2004-03-01", pmid="55500001", arxiv="0403.00001"),
        Publication(date="2011"),
    ),
    "s2_papers.jsonl": (moss(type="", number="", issn="", date="2004-03-01"),),
    "arxiv.atom": (Publication(date="2004-03-01", arxiv="0403.00001"),),
    "arxiv_metadata.jsonl": (
        Publication(date="2004", arxiv="0403.00001"),
        Publication("article", number="W-1", date="2004", arxiv="math/0401001"),
    ),
    "pubmed.xml": (
        moss(container_short=SHORT, pmid="55500001", pmcid="PMC5550001", language="eng"),
        Publication("article-journal", container="Stone", date="2001-11", pmid="55500002"),
    ),
    "pubmed.nbib": (
        moss(container_short=SHORT, pmid="55500001", language="eng"),
        Publication("article-journal", container="Stone", date="2001-11", pmid="55500002"),
    ),
    "pubmed.csv": (Publication(container=SHORT, date="2004", pmid="55500001", pmcid="PMC5550001"),),
    "scopus.csv": (
        moss(date="2004", issn="", keywords=KEYWORDS),
        Publication("article-journal", container="Stone", volume="2", pages="7-12", date="2011"),
    ),
    "endnote.xml": (
        moss(container_short=SHORT, language="English", keywords=KEYWORDS),
        Publication("book", editors=(Name("Cy", "Doe"),), publisher="Stone Press", date="2011"),
    ),
    "endnote.enw": (
        moss(date="2004", keywords=KEYWORDS),
        Publication("paper-conference", container=STONE, publisher="Stone Press", date="2011"),
    ),
    "wos.txt": (
        moss(
            container="JOURNAL OF WALL STUDIES",
            container_short="J WALL STUD",
            language="English",
            keywords=KEYWORDS,
        ),
        Publication("book", editors=(Name("E", "Itor"),), series="Stone Series", date="2011"),
    ),
    "wos_table.txt": (
        moss(container="JOURNAL OF WALL STUDIES", number="", pages="", date="2004", issn="", pmid="55500001"),
    ),
    "jats.xml": (
        moss(
            editors=EDITED,
            publisher="Wall Press",
            date="2004-12-01",
            pmid="55500001",
            pmcid="PMC5550001",
            keywords=KEYWORDS,
        ),
    ),
    "hayagriva.yml": (
        moss(volume="7", number="", pages="1-20", accessed="2020-11-28", issn="1234-5678"),
        Publication("webpage", date="2011"),
    ),
    "mods.xml": (
        moss(editors=EDITED, volume="", number="", issn="", publisher="Wall Press", language="eng"),
    ),
    "CITATION.cff": (
        moss(),
        Publication("software", date="2005-06-07", version="2.1.0"),
        Publication(
            "paper-conference",
            container="Proceedings of the Second Workshop on Stone",
            pages="11-18",
            publisher="Wall Press",
            place="Bath",
            event="Second Workshop on Stone",
            date="2011",
        ),
    ),
    "word_sources.xml": (
        moss(),
        Publication(
            "chapter",
            editors=EDITED,
            container="Stone in Dry Years",
            publisher="Wall Press",
            place="Bath",
            date="2011",
        ),
        Publication("webpage", date="2005", accessed="2006-05-04"),
    ),
    "dblp.xml": (
        moss(container="J. Wall Stud.", number="", date="2004", issn=""),
        Publication("paper-conference", container="Stone", date="2011"),
        Publication("book", editors=EDITED, publisher="Stone Press", date="2011"),
    ),
}


@pytest.mark.parametrize("file", PUBLICATIONS)
def test_a_source_tells_how_a_work_was_published(file: str, tmp_path: Path) -> None:
    """All that its sample says of the publications, in the order of the file."""
    papers = [each for each in read(sample_file(file, tmp_path), ImportReport()) if isinstance(each, Paper)]
    assert tuple(paper.publication for paper in papers) == PUBLICATIONS[file]


@pytest.mark.parametrize(
    ("file", "authors"),
    [
        ("pubmed.xml", [("Lee", "Ann B"), ("Roe", "Bo"), ("", "")]),
        ("pubmed.nbib", [("Lee", "Ann B"), ("Roe", "Bo")]),
        ("crossref.json", [("Lee", "Ann"), ("Roe", "Bo"), ("", "")]),
        ("jats.xml", [("Lee", "Ann"), ("Roe", "Bo"), ("", "")]),
        ("zotero.sql", [("Lee", "Ann"), ("Roe", "Bo")]),
        ("zotero.rdf", [("Lee", "Ann"), ("Roe", "Bo")]),
        ("zotero_api.json", [("Lee", "Ann"), ("", "")]),
        ("hayagriva.yml", [("Lee", "Ann"), ("Roe", "Bo")]),
        ("endnote.xml", [("Lee", "Ann"), ("Roe", "Bo")]),
        ("wos.txt", [("Lee", "Ann"), ("Roe", "Bo")]),
        ("mods.xml", [("Lee", "Ann"), ("", "")]),
        ("CITATION.cff", [("Lee", "Ann"), ("Roe", "Bo")]),
        ("word_sources.xml", [("Lee", "Ann"), ("Roe", "Bo")]),
    ],
)
def test_names_have_the_parts_that_the_source_gives(
    file: str, authors: list[tuple[str, str]], tmp_path: Path
) -> None:
    """Family name without particle, and given name; both empty for an organisation."""
    first = next(
        each for each in read(sample_file(file, tmp_path), ImportReport()) if isinstance(each, Paper)
    )
    names = [name for name in first.authors if isinstance(name, Name)]
    assert [(name.family, name.given) for name in names] == authors
    assert {name.particle for name in names if name.family == "Roe"} <= {"van der"}


def test_an_entry_of_hayagriva_is_kept_as_it_is(tmp_path: Path) -> None:
    """Its text, and its key."""
    first = next(iter(read(sample_file("hayagriva.yml", tmp_path), ImportReport())))
    assert isinstance(first, Paper)
    assert first.source is not None
    assert (first.source.format, first.source.key) == ("Hayagriva", "lee2004moss")
    assert first.source.text.startswith("lee2004moss:\n    type: Article\n")
    assert first.source.text.endswith("volume: 7")


def test_numbers_of_books_and_journals() -> None:
    """Told apart in any order, with remarks behind them, once each."""
    assert serial_numbers(["0000-0019 (Print)", "9780000000002"]) == ("9780000000002", "0000-0019 (Print)")
    assert serial_numbers(["0000-0019", "00000019"]) == ("", "0000-0019")
    assert serial_numbers(["0-00-000000-0", ""]) == ("0-00-000000-0", "")


def test_dates_in_two_fields() -> None:
    """The more precise of them, of one year."""
    assert date_with("2004", "") == "2004"
    assert date_with("2004", "Mar") == "2004-03"
    assert date_with("2004", "2004/03/05") == "2004-03-05"
    assert date_with("in press", "") == "in press"


def test_identifiers_in_notes() -> None:
    """Only what is one is taken out of the note."""
    assert without_identifiers("DOI: 10.5555/r.1\nRead it.") == ("Read it.", {"doi": "10.5555/r.1"})
    assert without_identifiers("arXiv: see the appendix") == ("arXiv: see the appendix", {})
    assert without_identifiers("PMID: 123\nPMCID: PMC45")[1] == {"pmid": "123", "pmcid": "PMC45"}


def test_keywords_of_a_field() -> None:
    """One a line, or between semicolons."""
    assert keywords_of(["moss; shade", "wall\nstone"]) == ("moss", "shade", "wall", "stone")
