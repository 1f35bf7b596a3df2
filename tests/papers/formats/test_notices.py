"""Retractions and other notices, as Retraction Watch, Crossref, PubMed and OpenAlex write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Notice
from citewhy.papers.formats import detect, read

COLUMNS = (
    "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,RetractionDate,"
    "RetractionDOI,RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,OriginalPaperPubMedID,"
    "RetractionNature,Reason,Paywalled,Notes"
)
DAY = {"date-parts": [[2010, 2, 6]]}
MOSS = "Moss on Northern Walls: A Survey of Shade"


def row(**fields: str) -> str:
    return ",".join(f'"{fields.get(column, "")}"' for column in COLUMNS.split(","))


def notices(path: Path, text: str) -> tuple[list[Notice], ImportReport]:
    path.write_text(text, encoding="utf-8")
    report = ImportReport()
    return [record for record in read(path, report) if isinstance(record, Notice)], report


def test_retraction_watch(tmp_path: Path) -> None:
    """Each row is a notice; what is unavailable is empty, dates are American, reasons lose their signs."""
    rows = [
        row(
            Title="Moss, and a title\nof two lines",
            RetractionDate="2/6/2010 0:00",
            RetractionDOI="10.5555/NOTICE.1",
            OriginalPaperDate="3/1/2004 0:00",
            OriginalPaperDOI="10.5555/JWS.2004.001",
            OriginalPaperPubMedID="55500001",
            RetractionNature="Retraction",
            Reason="+Concerns/Issues About Data;+Investigation by Journal/Publisher;",
            Author="Ann Lee",
        ),
        row(
            Title="Bricks",
            RetractionDOI="unavailable",
            OriginalPaperDOI="Unavailable",
            OriginalPaperPubMedID="0",
            RetractionNature="Expression of concern",
        ),
        row(Title="Lost", RetractionNature="Burned"),
        row(RetractionNature="Correction", OriginalPaperDOI="unavailable"),
    ]
    path = tmp_path / "retraction_watch.csv"
    found, report = notices(path, "\ufeff" + "\r\n".join([COLUMNS, *rows]) + "\r\n")
    assert detect(path).name == "Retraction Watch (CSV)"
    assert found == [
        Notice(
            "retracted",
            "10.5555/jws.2004.001",
            "55500001",
            "Moss, and a title of two lines",
            2004,
            "2010-02-06",
            "10.5555/notice.1",
            "Concerns/Issues About Data; Investigation by Journal/Publisher",
        ),
        Notice("concern", title="Bricks"),
    ]
    assert [problem.line for problem in report.skips] == [5, 6]
    assert "'Burned'" in str(report.skips[0])
    assert report.not_kept == {"Retraction Watch": {"Author": 1}}


def test_a_table_that_ends_in_a_quotation_is_cut_off(tmp_path: Path) -> None:
    text = f"{COLUMNS}\n{row(Title='Moss', RetractionNature='Retraction')}\n" + '"2","' + "x" * 200_000
    with pytest.raises(InputError, match="truncated"):
        notices(tmp_path / "a.csv", text)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"updated-by": [{"DOI": "10.5555/N.1", "type": "retraction", "updated": DAY}]},
            [Notice("retracted", "10.5555/moss", "", MOSS, 2004, "2010-02-06", "10.5555/n.1")],
        ),
        (
            {"update-to": [{"DOI": "10.5555/BRICK", "type": "expression_of_concern", "updated": {}}]},
            [Notice("concern", "10.5555/brick", notice_doi="10.5555/moss")],
        ),
        ({"updated-by": [{"DOI": "10.5555/v2", "type": "new_version"}, {"DOI": "10.5555/x"}]}, []),
        ({"updated-by": "retraction", "update-to": [{"type": "retraction"}]}, []),
    ],
)  # fmt: skip
def test_crossref(tmp_path: Path, fields: dict[str, Any], expected: list[Notice]) -> None:
    """Of the paper itself, and of the notice; new versions take nothing back."""
    work = {"DOI": "10.5555/moss", "title": [MOSS], "issued": {"date-parts": [[2004]]}, **fields}
    assert notices(tmp_path / "a.json", json.dumps(work))[0] == expected


def test_openalex(tmp_path: Path) -> None:
    work = {
        "id": "https://openalex.org/W1",
        "title": MOSS,
        "doi": "https://doi.org/10.5555/moss",
        "authorships": [],
    }
    lines = "\n".join(json.dumps({**work, "is_retracted": flag}) for flag in (True, False))
    assert notices(tmp_path / "a.jsonl", lines)[0] == [Notice("retracted", "10.5555/moss", title=MOSS)]


def test_pubmed(tmp_path: Path) -> None:
    """By publication types and by the comments that name the notice, in both of its formats."""
    text = (
        "PMID- 55500001\nOWN - NLM\nTI  - Moss on northern walls.\nDP  - 2004 Mar\n"
        "PT  - Journal Article\nPT  - Retracted Publication\nRIN - J Wall Stud. 2010 Feb;9(1):1. PMID: 5\n"
        "EIN - J Wall Stud. 2005 Feb;4(1):1\n\n"
        "PMID- 55500002\nOWN - NLM\nTI  - Bricks.\nPT  - Journal Article\n"
    )
    moss = {"pmid": "55500001", "title": "Moss on northern walls", "year": 2004}
    expected = [Notice("retracted", **moss), Notice("corrected", **moss)]  # type: ignore[arg-type]
    assert notices(tmp_path / "a.nbib", text)[0] == expected
    xml = (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>55500001</PMID><Article>"
        "<Journal><JournalIssue><PubDate><Year>2004</Year></PubDate></JournalIssue></Journal>"
        "<ArticleTitle>Moss on northern walls.</ArticleTitle><PublicationTypeList>"
        "<PublicationType>Retracted Publication</PublicationType></PublicationTypeList></Article>"
        "<CommentsCorrectionsList><CommentsCorrections RefType='ErratumIn'><RefSource>J</RefSource>"
        "</CommentsCorrections><CommentsCorrections RefType='Cites'/></CommentsCorrectionsList>"
        "</MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    assert notices(tmp_path / "a.xml", xml)[0] == expected
