"""CITATION.cff and Word's sources, in the ways in which people and tools write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Name, Paper
from citewhy.papers.formats import detect, read

HEAD = "cff-version: 1.2.0\nmessage: Cite us.\n"
NAMESPACE = "http://schemas.openxmlformats.org/officeDocument/2006/bibliography"


def papers(folder: Path, text: str, expected: str) -> list[Paper]:
    """The papers of a file, which must be of the expected format."""
    path = folder / "download"
    path.write_text(text, encoding="utf-8")
    assert detect(path).name == expected
    return [each for each in read(path, ImportReport()) if isinstance(each, Paper)]


def cited(folder: Path, text: str) -> list[Paper]:
    return papers(folder, text, "Citation File Format (CITATION.cff)")


def source(folder: Path, fields: str, namespace: str = NAMESPACE) -> Paper:
    """The only source of a file of Word."""
    text = f'<?xml version="1.0"?>\n<Sources xmlns="{namespace}"><Source>{fields}</Source></Sources>'
    return papers(folder, text, "sources of Word (Sources.xml)")[0]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("title: A net\n" + HEAD, ["A net"]),
        ("# by hand\n---\n" + HEAD + "title: 'A: net'\n", ["A: net"]),
        (HEAD + "title: A net\nabstract: |\n  Cite it:\n  @misc{net, title={Another net}}\n", ["A net"]),
        (
            HEAD
            + "title: A net\nreferences:\n- id: b\n  type: book\n  title: On nets\n  publisher: {name: N}\n",
            ["A net", "On nets"],
        ),
        (
            HEAD + "title: A net\npreferred-citation:\n  title: The net\n  type: article\n",
            ["The net", "A net"],
        ),
    ],
)
def test_what_is_to_be_cited(text: str, titles: list[str], tmp_path: Path) -> None:
    """In any order, with what looks like another format inside; the preferred work comes first."""
    people = "authors: [{family-names: Ott, given-names: Uwe}]\n"
    assert [paper.title for paper in cited(tmp_path, text + people)] == titles


@pytest.mark.parametrize(
    ("person", "name"),
    [
        ("{family-names: Roe, given-names: Bo, name-particle: van der}", Name("Bo", "Roe", "van der")),
        ("{family-names: King, given-names: Ann, name-suffix: Jr.}", Name("Ann", "King", "", "Jr.")),
        ("{family-names: García Ruiz, given-names: Eva}", Name("Eva", "García Ruiz")),
        ("{name: The Net Project}", Name.literal("The Net Project")),
        ("{alias: netmaker}", Name.literal("netmaker")),
    ],
)
def test_people_of_a_cff(person: str, name: Name, tmp_path: Path) -> None:
    """All parts of a name are known, and organisations stay whole."""
    author = cited(tmp_path, f"{HEAD}title: A net\nauthors: [{person}]\n")[0].authors[0]
    assert isinstance(author, Name)
    assert (author.given, author.particle, author.family, author.suffix, str(author)) == (
        *(name.given, name.particle, name.family, name.suffix),
        str(name),
    )


@pytest.mark.parametrize(
    ("fields", "pages"),
    [
        ("start: 3\n  end: 12", "3-12"),
        ("start: 3", "3"),
        ("pages: 240", ""),
        ("pages: 3-12", "3-12"),
        ("start: '3'\n  end: '12'\n  pages: 10", "3-12"),
    ],
)
def test_pages_of_a_cff_are_their_number(fields: str, pages: str, tmp_path: Path) -> None:
    """The field is a number of pages, which is no page; ranges that people write there are read."""
    text = f"{HEAD}title: A net\npreferred-citation:\n  type: article\n  title: The net\n  {fields}\n"
    publication = cited(tmp_path, text + "authors: [{name: N}]\n")[0].publication
    assert publication is not None
    assert publication.pages == pages


@pytest.mark.parametrize(
    "fields",
    [
        "doi: 10.5555/net.1",
        "doi: https://doi.org/10.5555/net.1",
        "identifiers: [{type: swh, value: 'swh:1:x'}, {type: doi, value: 10.5555/net.1}]",
        "url: https://doi.org/10.5555/NET.1",
        "identifiers:\n  - type: doi\n    value: 10.5555/net.1\n    description: all versions",
    ],
)
def test_the_doi_of_a_cff(fields: str, tmp_path: Path) -> None:
    """It may be in a field, in the list of identifiers, or in the address."""
    assert (
        cited(tmp_path, f"{HEAD}title: A net\n{fields}\nauthors: [{{name: N}}]\n")[0].doi == "10.5555/net.1"
    )


def test_a_cff_that_is_no_yaml_names_its_line(tmp_path: Path) -> None:
    """A colon without quotes is the usual mistake."""
    path = tmp_path / "CITATION.cff"
    path.write_text(HEAD + "title: A net: a survey\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"CITATION\.cff:3: invalid YAML: a value with a colon"):
        list(read(path, ImportReport()))


@pytest.mark.parametrize(
    ("people", "authors"),
    [
        (
            "<Author><NameList><Person><Last>Roe</Last><Middle>Q.</Middle><First>Bo</First></Person></NameList></Author>",
            ("Bo Q. Roe",),
        ),
        ("<Author><Corporate>Net Society, The</Corporate></Author>", ("Net Society, The",)),
        ("<Author><NameList><Person><Last>Plato</Last></Person></NameList></Author>", ("Plato",)),
        (
            "<Inventor><NameList><Person><Last>Ott</Last><First>U</First></Person></NameList></Inventor>",
            ("U Ott",),
        ),
        (
            "<Editor><NameList><Person><Last>Ott</Last></Person><Person><Last>Roe</Last></Person></NameList></Editor>",
            ("Ott", "Roe"),
        ),
    ],
)
def test_people_of_word(people: str, authors: tuple[str, ...], tmp_path: Path) -> None:
    """Given names are two fields, and each kind of source has a role of its own."""
    found = source(tmp_path, f"<Tag>a</Tag><Title>A net</Title><Author>{people}</Author>")
    assert found.authors == authors


@pytest.mark.parametrize(
    ("fields", "type_", "venue"),
    [
        (
            "<SourceType>Report</SourceType><ThesisType>PhD</ThesisType><Institution>Bath</Institution>",
            "thesis",
            "Bath",
        ),
        ("<SourceType>Report</SourceType><Publisher>Bath</Publisher>", "report", "Bath"),
        (
            "<SourceType>ConferenceProceedings</SourceType><ConferenceName>Nets 9</ConferenceName>",
            "paper-conference",
            "Nets 9",
        ),
        (
            "<SourceType>ArticleInAPeriodical</SourceType><PeriodicalTitle>Fisher</PeriodicalTitle>",
            "article-magazine",
            "Fisher",
        ),
        ("<SourceType>DocumentFromInternetSite</SourceType>", "webpage", ""),
    ],
)
def test_kinds_of_word(fields: str, type_: str, venue: str, tmp_path: Path) -> None:
    """Its types are those of CSL, and each names what it appeared in by a field of its own."""
    found = source(tmp_path, f"<Tag>a</Tag><Title>A net</Title>{fields}")
    assert found.publication is not None
    assert (found.publication.type, found.venue) == (type_, venue)


def test_strict_files_of_word_have_another_namespace(tmp_path: Path) -> None:
    """ISO's strict form of Office files is read, too."""
    strict = "http://purl.oclc.org/ooxml/officeDocument/bibliography"
    found = source(tmp_path, "<Tag>a</Tag><Title>A net</Title>", strict)
    assert (found.id, found.title) == ("a", "A net")


def test_other_sources_are_not_those_of_word(tmp_path: Path) -> None:
    """A root element of this name says little."""
    path = tmp_path / "feeds.xml"
    path.write_text("<Sources><Source><Title>A feed</Title></Source></Sources>", encoding="utf-8")
    with pytest.raises(InputError, match="no known format"):
        detect(path)
