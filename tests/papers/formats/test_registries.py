"""What the registries of DOIs answer beyond articles: DataCite's JSON by layout, Crossref's XML by kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewhy.base.errors import InputError, NoPapersError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Name, Paper, Publication, ReferenceList
from citewhy.papers.formats import detect, read


def papers(folder: Path, text: str, expected: str) -> list[Paper]:
    """The papers of a file, which must be of the expected format."""
    path = folder / "download"
    path.write_text(text, encoding="utf-8")
    assert detect(path).name == expected
    return [each for each in read(path, ImportReport()) if isinstance(each, Paper)]


# DataCite -----------------------------------------------------------------------------------------------

NET = {
    "doi": "10.5555/net",
    "creators": [{"name": "Ott, Uwe", "nameType": "Personal"}],
    "titles": [{"title": "A net"}],
    "publicationYear": 2019,
    "types": {"resourceTypeGeneral": "Software"},
}


def work(folder: Path, **changes: object) -> Paper:
    return papers(folder, json.dumps(NET | changes), "DataCite JSON")[0]


def published(folder: Path, **changes: object) -> Publication:
    publication = work(folder, **changes).publication
    assert publication is not None
    return publication


@pytest.mark.parametrize(
    "layout",
    [
        lambda net: json.dumps({"data": {"id": "10.5555/net", "type": "dois", "attributes": net}}),
        lambda net: json.dumps({"data": [{"id": "10.5555/net", "type": "dois", "attributes": net}]}),
        lambda net: json.dumps([{"id": "10.5555/net", "type": "dois", "attributes": net}]),
        lambda net: json.dumps({"id": "10.5555/net", "type": "dois", "attributes": net}) + "\n",
        lambda net: json.dumps(net, indent=2),
        lambda net: json.dumps({"id": "https://doi.org/10.5555/net", **net, "doi": None}),
        lambda net: json.dumps(
            {**net, "doi": None, "identifiers": [{"identifier": "10.5555/net", "identifierType": "DOI"}]}
        ),
        lambda net: json.dumps(
            {**net, "doi": None, "identifier": {"identifier": "10.5555/NET", "identifierType": "DOI"}}
        ),
    ],
)
def test_the_layouts_of_datacite(layout: Any, tmp_path: Path) -> None:
    """One answer, a list, a line of the public data, and the metadata of older and newer versions are one."""
    (paper,) = papers(tmp_path, layout(NET), "DataCite JSON")
    assert (paper.id, paper.title, paper.authors, paper.year) == ("10.5555/net", "A net", ("Uwe Ott",), 2019)


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ({"resourceTypeGeneral": "Dataset"}, ("dataset", "")),
        ({"resourceTypeGeneral": "Software", "resourceType": "Code"}, ("software", "")),
        ({"resourceTypeGeneral": "Dissertation", "resourceType": "PhD thesis"}, ("thesis", "PhD thesis")),
        ({"resourceTypeGeneral": "Text", "resourceType": "Journal Article"}, ("article-journal", "")),
        ({"resourceTypeGeneral": "Text", "resourceType": "Doctoral thesis"}, ("thesis", "Doctoral thesis")),
        ({"resourceTypeGeneral": "Text", "bibtex": "phdthesis"}, ("thesis", "")),
        ({"resourceTypeGeneral": "Preprint"}, ("article", "")),
        ({"resourceTypeGeneral": "ConferencePaper"}, ("paper-conference", "")),
        ({"resourceTypeGeneral": "BookChapter", "bibtex": "misc"}, ("chapter", "")),
        ({"resourceTypeGeneral": "PhysicalObject"}, ("document", "")),
    ],
)
def test_types_of_datacite(types: dict[str, str], expected: tuple[str, str], tmp_path: Path) -> None:
    """By the general type, or by what a text calls itself."""
    publication = published(tmp_path, types=types)
    assert (publication.type, publication.genre) == expected


@pytest.mark.parametrize(
    ("person", "name"),
    [
        ({"name": "Roe, Bo", "familyName": "van der Roe", "givenName": "Bo"}, Name("Bo", "Roe", "van der")),
        ({"name": "García Ruiz, Eva"}, Name("Eva", "García Ruiz")),
        ({"name": "Net, Inc", "nameType": "Organizational"}, Name.literal("Net, Inc")),
        ({"name": "World Health Organization"}, Name.literal("World Health Organization")),
        ({"creatorName": "Lee, Ann"}, Name("Ann", "Lee")),
        ({"familyName": "van der Roe", "name": "van der Roe"}, Name("", "Roe", "van der")),
        ({"familyName": "Net Consortium"}, Name.literal("Net Consortium")),
    ],
)
def test_people_of_datacite(person: dict[str, str], name: Name, tmp_path: Path) -> None:
    author = work(tmp_path, creators=[person]).authors[0]
    assert isinstance(author, Name)
    assert (str(author), author.family, author.particle) == (str(name), name.family, name.particle)


def test_codes_for_nothing_are_nothing(tmp_path: Path) -> None:
    nobody = {"name": ":unav", "familyName": "(:unav)", "givenName": ":unav"}
    paper = work(tmp_path, creators=[{"name": ":unav"}, nobody], publisher="(:tba)", publicationYear=":tba")
    assert (paper.authors, paper.venue, paper.year) == ((), "", None)
    assert paper.publication is not None
    assert paper.publication.date == ""


def test_what_a_chapter_of_datacite_is_in(tmp_path: Path) -> None:
    """The related item that it is published in tells more than the summary of the service."""
    book = {
        "relatedItemType": "Book",
        "relationType": "IsPublishedIn",
        "relatedItemIdentifier": {
            "relatedItemIdentifier": "978-0-00-000000-2",
            "relatedItemIdentifierType": "ISBN",
        },
        "titles": [{"title": "On nets"}],
        **{"volume": "2", "edition": "3", "firstPage": "11", "lastPage": "29"},
        "contributors": [{"name": "Itor, Ed", "contributorType": "Editor"}],
    }
    publication = published(
        tmp_path,
        types={"resourceTypeGeneral": "BookChapter"},
        container={"title": "another"},
        relatedItems=[{"relationType": "Cites", "titles": [{"title": "No"}]}, book],
    )
    assert (publication.type, publication.container, publication.volume) == ("chapter", "On nets", "2")
    assert (publication.edition, publication.pages, publication.isbn) == ("3", "11-29", "978-0-00-000000-2")
    assert publication.editors == ("Ed Itor",)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"number": "e12", "numberType": "Article"}, ("", "e12", "")),
        ({"number": "e12", "numberType": "Article", "issue": "2", "firstPage": "7"}, ("2", "7", "")),
        ({"number": "7", "numberType": "Chapter", "firstPage": "1", "lastPage": "9"}, ("", "1-9", "7")),
        ({"number": "12", "numberType": "Report"}, ("12", "", "")),
    ],
)
def test_the_number_in_what_a_work_of_datacite_is_in(
    item: dict[str, str], said: tuple[str, str, str], tmp_path: Path
) -> None:
    whole = {"relatedItemType": "Other", "relationType": "IsPublishedIn", "titles": [{"title": "Knots"}]}
    publication = published(tmp_path, relatedItems=[whole | item])
    assert (publication.number, publication.pages, publication.chapter) == said


def test_references_of_datacite_to_arxiv(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    cited = {"relatedIdentifier": "arXiv:1706.03762v2", "relatedIdentifierType": "arXiv"}
    others = {"relatedIdentifier": "arXiv:1706.03763", "relatedIdentifierType": "arXiv"}
    related = [cited | {"relationType": "References"}, others | {"relationType": "IsCitedBy"}]
    path.write_text(json.dumps(NET | {"relatedIdentifiers": related}))
    (listed,) = (one for one in read(path, ImportReport()) if isinstance(one, ReferenceList))
    assert [reference.paper.id for reference in listed.references] == ["arXiv:1706.03762"]


def test_a_preprint_of_datacite_has_its_number(tmp_path: Path) -> None:
    doi = "10.48550/arXiv.1706.03762"
    assert published(tmp_path, doi=doi, types={"resourceTypeGeneral": "Preprint"}).arxiv == "1706.03762"


@pytest.mark.parametrize(
    ("dates", "date"),
    [
        ([{"date": "2019-05-02", "dateType": "Issued"}], "2019-05-02"),
        (
            [{"date": "2020-05-02", "dateType": "Issued"}, {"date": "2019-04", "dateType": "Available"}],
            "2019-04",
        ),
        ([{"date": "2021", "dateType": "Updated"}], "2019"),
    ],
)
def test_dates_of_datacite(dates: list[dict[str, str]], date: str, tmp_path: Path) -> None:
    """The year of publication decides which of the dates it is."""
    assert published(tmp_path, dates=dates).date == date


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"data": [], "meta": {"total": 0}, "links": {}}, "of an answer of DataCite is empty"),
        ({"errors": [{"status": "404", "title": "It does not exist."}]}, "It does not exist."),
    ],
)
def test_an_answer_of_datacite_without_works(answer: object, why: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(answer), encoding="utf-8")
    with pytest.raises(NoPapersError, match=why):
        detect(path)


# Crossref's JSON, and what it has in common with the others ---------------------------------------------


def crossref(folder: Path, **changes: object) -> tuple[Paper, Publication]:
    message = {"DOI": "10.5555/net", "title": ["A net"], "issued": {"date-parts": [[2004]]}} | changes
    (paper,) = papers(folder, json.dumps({"status": "ok", "message": message}), "Crossref works")
    assert paper.publication is not None
    return paper, paper.publication


@pytest.mark.parametrize(
    ("titles", "subtitles", "plain", "marked"),
    [
        ("<i>Araneae</i>", "a survey", "Araneae: a survey", "<i>Araneae</i>: a survey"),
        ("Nets", "on <i>Araneae</i>", "Nets: on Araneae", "Nets: on <i>Araneae</i>"),
        ("Nets: a survey", "A survey", "Nets: a survey", ""),
        ("Nets:", "A survey", "Nets: A survey", ""),
        ("<p></p>", "A survey", "A survey", ""),
    ],
)
def test_titles_and_subtitles(titles: str, subtitles: str, plain: str, marked: str, tmp_path: Path) -> None:
    """In all three formats: what is printed has the markup of both."""
    paper, publication = crossref(tmp_path, title=[titles], subtitle=[subtitles])
    assert (paper.title, publication.title) == (plain, marked)
    given = [{"title": titles}, {"title": subtitles, "titleType": "Subtitle"}]
    other = work(tmp_path, titles=given)
    if "<p>" not in titles:
        assert (other.title, other.publication and other.publication.title) == (plain, marked)
        inside = f"<titles><title>{titles}</title><subtitle>{subtitles}</subtitle></titles>{DOI}"
        paper, publication = record(
            tmp_path, f"<journal><journal_article>{inside}</journal_article></journal>"
        )
        assert (paper.title, publication.title) == (plain, marked)


def test_the_first_title_with_text_counts(tmp_path: Path) -> None:
    assert crossref(tmp_path, title=["<p></p>", "A net"])[0].title == "A net"
    assert work(tmp_path, titles=[{"title": "<p></p>"}, {"title": "A net"}]).title == "A net"


@pytest.mark.parametrize(
    ("abstract", "text"),
    [
        ("<jats:title>ABSTRACT</jats:title><jats:p>mRNA is a net.</jats:p>", "mRNA is a net."),
        ("<jats:p>Abstract: We knot.</jats:p>", "We knot."),
        ("<jats:p>Abstract We knot.</jats:p>", "We knot."),
        ("<jats:p>Abstract interpretation is sound.</jats:p>", "Abstract interpretation is sound."),
    ],
)
def test_the_heading_of_an_abstract_is_none_of_its_words(abstract: str, text: str, tmp_path: Path) -> None:
    assert crossref(tmp_path, abstract=abstract)[0].abstract == text
    description = {"descriptionType": "Abstract", "description": abstract}
    assert work(tmp_path, descriptions=[description]).abstract == text


@pytest.mark.parametrize(
    ("kind", "titles", "series", "container", "venue"),
    [
        ("book-chapter", ["Knots", "On nets"], "Knots", "On nets", "On nets"),
        ("proceedings-article", ["Knots", "Nets II"], "Knots", "Nets II", "Nets II"),
        ("journal-article", ["Acta Nodi", "Knoten"], "", "Acta Nodi", "Acta Nodi"),
        ("monograph", ["Knots"], "Knots", "", "Knots"),
        ("monograph", [], "", "", "Wall Press"),
    ],
)
def test_a_series_is_no_container(
    kind: str, titles: list[str], series: str, container: str, venue: str, tmp_path: Path
) -> None:
    """Crossref's JSON names the series of a book first, and then the book."""
    paper, publication = crossref(tmp_path, type=kind, publisher="Wall Press", **{"container-title": titles})
    assert (publication.series, publication.container, paper.venue) == (series, container, venue)


def test_posted_theses_and_places_of_institutions(tmp_path: Path) -> None:
    institution = {"name": "University of Knots &amp; Nets", "place": ["Bath"]}
    paper, publication = crossref(
        tmp_path, type="posted-content", subtype="dissertation", institution=[institution]
    )
    assert (publication.type, publication.place, paper.venue) == (
        "thesis",
        "Bath",
        "University of Knots & Nets",
    )
    assert crossref(tmp_path, type="posted-content", subtype="other")[1].type == "article"


def test_people_of_whom_crossref_knows_one_name(tmp_path: Path) -> None:
    given = [{"family": "Net Consortium"}, {"family": "van der Roe"}, {"given": "Plato"}]
    expected = (Name.literal("Net Consortium"), Name("", "Roe", "van der"), Name.literal("Plato"))
    persons = "".join(
        f'<person_name contributor_role="author"><{tag}>{name}</{tag}></person_name>'
        for one in given
        for part, name in one.items()
        for tag in ("surname" if part == "family" else "given_name",)
    )
    inside = f"<contributors>{persons}</contributors>{TITLE}{DOI}"
    for paper, _ in (
        crossref(tmp_path, author=given),
        record(tmp_path, f"<journal><journal_article>{inside}</journal_article></journal>"),
    ):
        names = [(name.family, name.particle) for name in paper.authors if isinstance(name, Name)]
        assert names == [(name.family, name.particle) for name in expected]


def test_escaped_signs_of_crossref(tmp_path: Path) -> None:
    """Publishers deposit them escaped once too often."""
    event = {"name": "Nets &amp; Knots", "location": "Bath &amp; Wells"}
    publication = crossref(tmp_path, publisher="Wall &amp; Press", event=event)[1]
    assert (publication.publisher, publication.event) == ("Wall & Press", "Nets & Knots")
    assert publication.event_place == "Bath & Wells"
    around = "<journal_metadata><full_title>Nets &amp;amp; Knots</full_title></journal_metadata>"
    inside = f"<journal>{around}<journal_article>{TITLE}{DOI}</journal_article></journal>"
    assert record(tmp_path, inside)[0].venue == "Nets & Knots"


@pytest.mark.parametrize(
    ("parts", "date"),
    [([2020, 3], "2020-03"), (2020, "2020"), ([["2020", "3"]], "2020-03"), ([[None]], ""), ({}, "")],
)
def test_dates_of_crossref_in_any_form(parts: object, date: str, tmp_path: Path) -> None:
    paper, publication = crossref(tmp_path, issued={"date-parts": parts})
    assert (publication.date, paper.year) == (date, int(date[:4]) if date else None)


# Crossref's XML -----------------------------------------------------------------------------------------


def record(folder: Path, inside: str) -> tuple[Paper, Publication]:
    """The only work of an answer."""
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<doi_records>\n  <doi_record owner="10.5555" timestamp="x">'
    )
    text = f"{head}<crossref>{inside}</crossref></doi_record></doi_records>"
    (paper,) = papers(folder, text, "Crossref XML (unixref)")
    assert paper.publication is not None
    return paper, paper.publication


def people(*names: str, role: str = "author") -> str:
    persons = (
        f'<person_name contributor_role="{role}"><given_name>{given}</given_name><surname>{family}</surname>'
        "</person_name>"
        for given, family in (name.rsplit(" ", 1) for name in names)
    )
    return f"<contributors>{''.join(persons)}</contributors>"


DOI = "<doi_data><doi>10.5555/net</doi><resource>https://net.example</resource></doi_data>"
TITLE = "<titles><title>A net</title></titles>"
BOOK = (
    f"{people('Ed Itor', role='editor')}<titles><title>On nets</title></titles>"
    "<edition_number>2</edition_number><publication_date><year>2011</year></publication_date>"
    "<isbn>978-0-00-000000-2</isbn><publisher><publisher_name>Wall Press</publisher_name>"
    "<publisher_place>Bath</publisher_place></publisher>"
)
SERIES = "<series_metadata><titles><title>Knots</title></titles><issn>0000-0019</issn></series_metadata>"


def test_a_paper_of_proceedings(tmp_path: Path) -> None:
    paper, publication = record(
        tmp_path,
        f"<conference>{people('Ed Itor', role='editor')}<event_metadata>"
        "<conference_name>Second Workshop</conference_name><conference_location>Bath</conference_location>"
        f"</event_metadata><proceedings_metadata>{SERIES}<proceedings_title>Nets II</proceedings_title>"
        "<publication_date><year>2012</year></publication_date></proceedings_metadata>"
        f"<conference_paper>{people('Ann Lee')}{TITLE}<pages><first_page>5</first_page></pages>{DOI}"
        "</conference_paper></conference>",
    )
    assert (paper.id, paper.title, paper.authors, paper.year) == ("10.5555/net", "A net", ("Ann Lee",), 2012)
    assert publication == Publication(
        "paper-conference",
        editors=(Name("Ed", "Itor"),),
        container="Nets II",
        pages="5",
        series="Knots",
        event="Second Workshop",
        event_place="Bath",
        date="2012",
        issn="0000-0019",
    )


@pytest.mark.parametrize(
    ("book", "kind"),
    [('book_type="edited_book"', "chapter"), ('book_type="reference"', "entry-encyclopedia")],
)
def test_a_chapter(book: str, kind: str, tmp_path: Path) -> None:
    """The book around it has the editors, the edition and the publisher."""
    paper, publication = record(
        tmp_path,
        f'<book {book}><book_metadata language="en">{BOOK}</book_metadata>'
        f"<content_item component_type='chapter'>{people('Ann Lee')}{TITLE}"
        f"<component_number>3</component_number><pages><first_page>7</first_page><last_page>9</last_page></pages>{DOI}</content_item></book>",
    )
    assert (paper.title, paper.authors, paper.venue, paper.year) == ("A net", ("Ann Lee",), "On nets", 2011)
    assert publication == Publication(
        kind,
        editors=(Name("Ed", "Itor"),),
        container="On nets",
        pages="7-9",
        publisher="Wall Press",
        place="Bath",
        edition="2",
        chapter="3",
        date="2011",
        isbn="978-0-00-000000-2",
        language="en",
    )


@pytest.mark.parametrize("metadata", ["book_metadata", "book_series_metadata"])
def test_a_book(metadata: str, tmp_path: Path) -> None:
    """Edited, in a series: its editors stand for authors."""
    paper, publication = record(
        tmp_path, f"<book><{metadata}>{SERIES}{BOOK}<volume>4</volume>{DOI}</{metadata}></book>"
    )
    assert (paper.title, paper.authors, paper.venue) == ("On nets", ("Ed Itor",), "Knots")
    assert (publication.type, publication.container, publication.series) == ("book", "", "Knots")
    assert (publication.volume, publication.edition, publication.issn) == ("4", "2", "0000-0019")


INSTITUTION = (
    "<institution><institution_name>Wall College</institution_name>"
    "<institution_place>Bath</institution_place></institution>"
)


def test_a_thesis(tmp_path: Path) -> None:
    """Its only author stands without a list, and it is dated by its approval."""
    author = people("Ann Lee").removeprefix("<contributors>").removesuffix("</contributors>")
    paper, publication = record(
        tmp_path,
        f"<dissertation>{author}{TITLE}<approval_date><month>7</month><year>2001</year></approval_date>"
        f"{INSTITUTION}<degree>PhD</degree>{DOI}</dissertation>",
    )
    assert (paper.authors, paper.year, paper.venue) == (("Ann Lee",), 2001, "Wall College")
    assert publication == Publication(
        "thesis", publisher="Wall College", place="Bath", genre="PhD", date="2001-07"
    )


@pytest.mark.parametrize(("kind", "expected"), [("preprint", "article"), ("working_paper", "report")])
def test_what_was_posted(kind: str, expected: str, tmp_path: Path) -> None:
    paper, publication = record(
        tmp_path,
        f'<posted_content type="{kind}"><group_title>Nets</group_title>{people("Ann Lee")}{TITLE}'
        f"<posted_date><month>2</month><day>3</day><year>2020</year></posted_date>{INSTITUTION}{DOI}"
        "</posted_content>",
    )
    assert (publication.type, publication.date) == (expected, "2020-02-03")
    assert (publication.publisher, paper.venue) == ("Wall College", "Wall College")


def test_a_report(tmp_path: Path) -> None:
    """Of a series, with a number and an organisation for an author."""
    paper, publication = record(
        tmp_path,
        f"<report-paper><report-paper_series_metadata>{SERIES}<contributors>"
        '<organization contributor_role="author">Society of Walls</organization></contributors>'
        f"{TITLE}<publication_date><year>2010</year></publication_date>{INSTITUTION}"
        f"<publisher_item><item_number>W-12</item_number></publisher_item>{DOI}</report-paper_series_metadata>"
        "</report-paper>",
    )
    assert (paper.title, paper.authors) == ("A net", ("Society of Walls",))
    assert isinstance(paper.authors[0], Name)
    assert paper.authors[0].is_literal
    assert (publication.type, publication.number, publication.series) == ("report", "W-12", "Knots")


def test_a_data_set_and_the_number_of_an_article(tmp_path: Path) -> None:
    _, publication = record(
        tmp_path,
        "<database><database_metadata><titles><title>All nets</title></titles></database_metadata>"
        f'<dataset dataset_type="record">{TITLE}{DOI}</dataset></database>',
    )
    assert (publication.type, publication.container) == ("dataset", "All nets")
    _, publication = record(
        tmp_path,
        f"<journal><journal_metadata><full_title>Nets</full_title></journal_metadata><journal_article>{TITLE}"
        '<publisher_item><item_number item_number_type="article_number">e17</item_number></publisher_item>'
        f"{DOI}</journal_article></journal>",
    )
    assert (publication.pages, publication.number) == ("e17", "")


def test_titles_of_crossref_keep_their_markup(tmp_path: Path) -> None:
    title = "<title>Growth of <i>Quercus</i> &amp; CO<sub>2</sub></title><subtitle>a net</subtitle>"
    paper, publication = record(tmp_path, f"<posted_content><titles>{title}</titles>{DOI}</posted_content>")
    assert paper.title == "Growth of Quercus & CO2: a net"
    assert publication.title == "Growth of <i>Quercus</i> & CO<sub>2</sub>: a net"


def test_an_error_of_crossref_is_a_record_that_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "answer.xml"
    path.write_text(
        "<doi_records><doi_record><crossref><error>doi not found</error></crossref></doi_record>"
        "</doi_records>",
        encoding="utf-8",
    )
    report = ImportReport()
    assert (list(read(path, report)), report.skipped) == ([], 1)
    with pytest.raises(InputError, match="Crossref answered: doi not found"):
        list(read(path, ImportReport(strict=True)))
