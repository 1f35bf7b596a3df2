"""ACL Anthology XML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from memory import memory_limit

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import Record, read
from citewhy.papers.formats.anthology import paper_id

Take = Callable[..., tuple[list[Record], ImportReport]]


def papers_of(path: Path) -> list[Paper]:
    return [paper for paper in read(path, ImportReport(strict=True)) if isinstance(paper, Paper)]


@pytest.mark.parametrize(
    ("collection", "volume", "paper", "identifier"),
    [
        ("P02", "1", "40", "P02-1040"),
        ("J93", "2", "3", "J93-2003"),
        ("W04", "10", "13", "W04-1013"),
        ("W05", "6", "20", "W05-0620"),
        ("W19", "1", "100", "W19-01100"),
        ("C69", "1", "1", "C69-0101"),
        ("D19", "1", "371", "D19-1371"),
        ("D19", "50", "3", "D19-5003"),
        ("2020.acl", "main", "207", "2020.acl-main.207"),
        ("1952.earlymt", "1", "1", "1952.earlymt-1.1"),
        ("2020.findings", "emnlp", "12", "2020.findings-emnlp.12"),
    ],
)
def test_ids_are_the_anthologys(collection: str, volume: str, paper: str, identifier: str) -> None:
    """Workshops have two digits for volume and paper, others one and three; from 2020 names with dots."""
    assert paper_id(collection, volume, paper) == identifier


@pytest.mark.parametrize(
    ("collection", "volume", "paper"),
    [
        ("P02", "one", "1"),
        ("P02", "1", "x"),
        ("P02", "1", ""),
        ("P02", "1", "-1"),
        ("nowhere", "1", "1"),
        ("", "", "1"),
    ],
)
def test_impossible_ids_are_refused(collection: str, volume: str, paper: str) -> None:
    """No id is made up from parts that the Anthology would not have."""
    with pytest.raises(ValueError, match=r".*"):
        paper_id(collection, volume, paper)


def test_both_generations_give_the_same_records(toy: Path) -> None:
    """Old and new files agree with papers.jsonl in everything but the abstracts that they lack."""
    known = {paper.id: paper for paper in papers_of(toy / "papers.jsonl")}
    for paper in papers_of(toy / "anthology_old.xml") + papers_of(toy / "anthology_new.xml"):
        expected = known[paper.id]
        assert paper in (expected, replace(expected, abstract=""))


def test_a_flat_workshop_volume(take: Take) -> None:
    """One file holds many workshops; each front matter names the venue of the papers after it."""
    xml = """<volume id="W05">
      <paper id="0500"><title>Workshop Five</title></paper>
      <paper id="0501"><title>A</title><author>Ada Lovelace</author></paper>
      <paper id="0600"><title>Workshop Six</title><editor><first>E</first><last>D</last></editor></paper>
      <paper id="0620"><title>B</title><booktitle>Its Own</booktitle><year>2006</year></paper>
      <paper id="0621"><title>C</title>
        <author><first>Hal</first><last>Daumé</last><suffix>III</suffix></author></paper>
    </volume>"""
    records, _ = take(xml)
    page = "https://aclanthology.org/"
    assert records == [
        Paper("W05-0501", "A", "", ("Ada Lovelace",), 2005, "Workshop Five", "", page + "W05-0501"),
        Paper("W05-0620", "B", "", (), 2006, "Its Own", "", page + "W05-0620"),
        Paper("W05-0621", "C", "", ("Hal Daumé III",), 2005, "Workshop Six", "", page + "W05-0621"),
    ]


COLLECTION = """<?xml version='1.0' encoding='UTF-8'?>
<collection id="P99"><volume id="1"><meta><booktitle>The <i>Meeting</i></booktitle><year>1999</year></meta>
<frontmatter><title>Front</title><url>P99-1000</url></frontmatter>
%s
</volume></collection>"""


def test_markup_becomes_text(take: Take) -> None:
    """Fixed case, emphasis, formulas and addresses inside a title leave only their text."""
    paper = (
        '<paper id="1"><title>On <fixed-case>B</fixed-case>LEU, <i>n</i>-grams and '
        "<tex-math>O(n^2) \\alpha</tex-math> at <url>http://x.org</url> &amp; more<!-- no --></title>"
        "<abstract>Two\n  lines.</abstract></paper>"
    )
    records, _ = take(COLLECTION % paper)
    assert isinstance(records[0], Paper)
    assert records[0].title == "On BLEU, n-grams and O(n^2) α at http://x.org & more"
    assert records[0].abstract == "Two lines."
    assert records[0].venue == "The Meeting"


def test_people_are_first_and_last(take: Take) -> None:
    """Names in another script, affiliations and editors are not the paper's author names."""
    paper = (
        '<paper id="1"><title>T</title><author id="x"><first>Wei</first><last>Li</last>'
        '<variant script="hani"><first>伟</first><last>李</last></variant>'
        "<affiliation>X</affiliation></author>"
        "<author><first/><last>Plato</last></author><editor><first>E</first><last>D</last></editor></paper>"
    )
    records, _ = take(COLLECTION % paper)
    assert isinstance(records[0], Paper)
    assert records[0].authors == ("Wei Li", "Plato")


def test_front_matter_and_indexes_are_no_papers(take: Take) -> None:
    """Neither the element, nor paper 0, nor what is called an index."""
    papers = "".join(
        f'<paper id="{number}"><title>{title}</title></paper>'
        for number, title in enumerate(["Front", "Author Index", "Back Matter", "Index Compression"])
    )
    records, report = take(COLLECTION % papers)
    assert [record.title for record in records if isinstance(record, Paper)] == ["Index Compression"]
    assert report.skipped == 0


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("<url>P99-1001</url>", "https://aclanthology.org/P99-1001"),
        ("<url>http://www.aclweb.org/anthology/P/P99/P99-1001</url>", "https://aclanthology.org/P99-1001"),
        ("<url>https://www.aclweb.org/anthology/P99-1001</url>", "https://aclanthology.org/P99-1001"),
        ("<url>https://example.org/paper.pdf</url>", "https://example.org/paper.pdf"),
        ("", "https://aclanthology.org/P99-1001"),
    ],
)
def test_addresses_lead_to_the_paper(take: Take, url: str, expected: str) -> None:
    """Addresses of earlier Anthology sites become today's; foreign ones stay."""
    records, _ = take(COLLECTION % f'<paper id="1"><title>T</title>{url}</paper>')
    assert isinstance(records[0], Paper)
    assert records[0].url == expected


@pytest.mark.parametrize(
    ("paper", "why"),
    [
        ('<paper id="x"><title>T</title></paper>', "'x' is no number of a paper"),
        ("<paper><title>T</title></paper>", "'None' is no number of a paper"),
        ('<paper id="5"/>', "paper P99-1005 has no title"),
        ('<paper id="5"><title> </title></paper>', "paper P99-1005 has no title"),
    ],
)
def test_a_bad_paper_is_skipped_and_named(take: Take, paper: str, why: str) -> None:
    """The others are read; the report has the line of the element."""
    good = '<paper id="1"><title>Good</title></paper>\n'
    records, report = take(COLLECTION % (good + paper))
    assert [record.id for record in records if isinstance(record, Paper)] == ["P99-1001"]
    assert report.skipped == 1
    assert report.skips[0].line == 5
    assert why in report.skips[0].why


def test_bad_years_and_dois_are_warnings(take: Take) -> None:
    """The volume's year stands in for a bad one; a DOI that is none is left out."""
    records, report = take(COLLECTION % '<paper id="1"><title>T</title><year>n.d.</year><doi>x</doi></paper>')
    assert isinstance(records[0], Paper)
    assert (records[0].year, records[0].doi, report.warned) == (1999, "", 2)


@pytest.mark.parametrize(
    ("xml", "why"),
    [
        ("<collection id='P99'><volume>", "not well-formed XML"),
        ("<", "not well-formed XML"),
        ("<?xml version='1.0' encoding='nonsense'?><collection/>", "not well-formed XML"),
        ("<page/>", "the content is of no known format"),
    ],
)
def test_what_is_not_anthology_xml_is_refused(take: Take, xml: str, why: str) -> None:
    """One sentence with path and line; a half-read tree would put papers into wrong volumes."""
    with pytest.raises(InputError, match=why) as caught:
        take(xml)
    assert caught.value.path is not None


LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 20))
EXPANDED = 1_000_000_000
"""Bytes of the least of these when all entities are replaced."""

HOSTILE = {
    "billion laughs": f"<!DOCTYPE collection [<!ENTITY l0 'ha'>{LAUGHS}]>",
    "quadratic blow-up": f"<!DOCTYPE collection [<!ENTITY l19 '{'x' * 1_000_000}'>]>",
    "external file": "<!DOCTYPE collection [<!ENTITY l19 SYSTEM 'file://SECRET'>]>",
    "external address": "<!DOCTYPE collection [<!ENTITY l19 SYSTEM 'http://127.0.0.1:9/x'>]>",
    "parameter entity": "<!DOCTYPE collection [<!ENTITY % p SYSTEM 'file://SECRET'> %p; <!ENTITY l19 'x'>]>",
    "external DTD": "<!DOCTYPE collection SYSTEM 'file://SECRET'>",
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_xml_is_harmless(take: Take, tmp_path: Path, attack: str) -> None:
    """Entities are neither expanded nor fetched: refused or left out, and their memory not taken."""
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    head = HOSTILE[attack].replace("SECRET", str(secret).lstrip("/"))
    uses = "&l19;" * (EXPANDED // 1_000_000 if "blow-up" in attack else 1)
    paper = f"<paper id='1'><title>T{uses}</title></paper>"
    xml = f"{head}<collection id='P99'><volume id='1'>{paper}</volume></collection>"
    try:
        with memory_limit(EXPANDED // 4):
            records, _ = take(xml)
    except InputError:
        records = []
    assert all(isinstance(record, Paper) and record.title == "T" for record in records)


def test_depth_is_bounded(take: Take) -> None:
    """A tree of a million levels is refused, not recursed into."""
    with pytest.raises(InputError, match="not well-formed XML"):
        take("<collection>" + "<i>" * 1_000_000)
