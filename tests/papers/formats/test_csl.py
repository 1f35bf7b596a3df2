"""CSL-JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from citewhy.base.errors import InputError, TooLargeError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Name, Paper
from citewhy.papers.formats import Record, read
from citewhy.text import json_files

Take = Callable[..., tuple[list[Record], ImportReport]]


def papers_of(path: Path) -> list[Paper]:
    return [paper for paper in read(path, ImportReport(strict=True)) if isinstance(paper, Paper)]


def test_the_toy_library_is_papers_jsonl_again(toy: Path) -> None:
    """Particles, markup and upper-case DOIs come out as the same records."""
    known = papers_of(toy / "papers.jsonl")
    papers = papers_of(toy / "csl.json")
    assert len(papers) == 13
    assert set(papers) <= set(known)


@pytest.mark.parametrize(
    ("person", "name"),
    [
        ({"given": "Kishore", "family": "Papineni"}, "Kishore Papineni"),
        ({"given": "Jan", "non-dropping-particle": "van der", "family": "Berg"}, "Jan van der Berg"),
        ({"given": "Alexis", "dropping-particle": "de", "family": "Tocqueville"}, "Alexis de Tocqueville"),
        ({"given": "Martin Luther", "family": "King", "suffix": "Jr."}, "Martin Luther King Jr."),
        ({"literal": "World Health Organization"}, "World Health Organization"),
        ({"family": "Plato"}, "Plato"),
        ("Ada Lovelace", "Ada Lovelace"),
    ],
)
def test_names(take: Take, person: object, name: str) -> None:
    """Every way to write a person becomes "First von Last Jr."."""
    records, report = take(json.dumps([{"id": "a", "title": "T", "author": [person]}]))
    assert records == [Paper("a", "T", authors=(name,))]
    assert report.warned == 0


@pytest.mark.parametrize(
    ("issued", "year"),
    [
        ({"date-parts": [[2002, 7, 6]]}, 2002),
        ({"date-parts": [["2002"]]}, 2002),
        ({"date-parts": [[2002], [2003]]}, 2002),
        ({"raw": "2002-07"}, 2002),
        ({"literal": "July 2002"}, 2002),
        ("2002-07-06", 2002),
        (2002, 2002),
        ({}, None),
        (None, None),
    ],
)
def test_dates(take: Take, issued: object, year: int | None) -> None:
    """The first year of `issued`, in the forms that are found in the wild."""
    records, report = take(json.dumps([{"id": "a", "title": "T", "issued": issued}]))
    assert records == [Paper("a", "T", year=year)]
    assert report.warned == 0


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("issued", {"literal": "n.d."}, "names no year"),
        ("issued", {"date-parts": [[]]}, "names no year"),
        ("issued", {"date-parts": [[None]]}, "names no year"),
        ("issued", [1], "names no year"),
        ("DOI", "none", "'none' is not a DOI"),
        ("author", [{}], "an author has no name"),
        ("author", [5], "an author has no name"),
    ],
)
def test_a_bad_field_is_left_empty_with_a_warning(take: Take, field: str, value: object, why: str) -> None:
    """The paper stays; the item's number says where to look."""
    records, report = take(json.dumps([{"id": "a", "title": "T", field: value}]), strict=True)
    assert records == [Paper("a", "T")]
    assert report.warned == 1
    assert why in report.warnings[0].why
    assert "item 1" in report.warnings[0].why


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (5, "expected an object"),
        (None, "expected an object"),
        ({"title": "T"}, "item 2: no id"),
        ({"id": True, "title": "T"}, "item 2: no id"),
        ({"id": "b"}, "item 2: no title"),
        ({"id": "b", "title": 5}, "item 2: no title"),
    ],
)
def test_a_bad_item_is_skipped_and_named(take: Take, item: object, why: str) -> None:
    """The items around it are read."""
    records, report = take(json.dumps([{"id": "a", "title": "A"}, item, {"id": 7, "title": "Seven"}]))
    assert records == [Paper("a", "A"), Paper("7", "Seven")]
    assert report.skipped == 1
    assert why in report.skips[0].why


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": "a", "title": "T"}]',
        '\ufeff[\n  {"id": "a",\n   "title": "T"}\n]',
        '{\n  "items": [\n    {"id": "a", "title": "T", "type": "book"}\n  ]\n}',
        '{\n  "id": "a",\n  "title": "T",\n  "type": "book"\n}',
        '[{"id": "a", "title": ["T", "Second title"]}]',
        '[{"id": "a", "title": "<i>T</i>"}]',
    ],
)
def test_layouts(take: Take, text: str) -> None:
    """A list on one line or on many, an export with `items`, one item alone."""
    assert take(text)[0] == [Paper("a", "T")]


@pytest.mark.parametrize(
    "text",
    ['[{"id": "a", "title": "T"', '["\\ud800"]', "[" * 1_000_000, "[1] x"],
)
def test_what_is_not_json_is_refused(take: Take, text: str) -> None:
    """One value either parses or does not; depth is the parser's to bound, and it does."""
    with pytest.raises(InputError, match=r"not JSON|nested too deeply|unexpected text"):
        take(text)


def test_a_large_file_is_too_large(take: Take, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list may be as long as it likes, but an item has an end."""
    monkeypatch.setattr(json_files, "MAX_LINE", 100)
    with pytest.raises(TooLargeError):
        take('[{"id": "a", "title": "T", "type": "book"},\n{"id": "b", "title": "' + "x" * 200)


def test_an_item_keeps_how_it_was_published_and_itself(take: Take) -> None:
    """Names keep their parts, identifiers in the note of Zotero are read, and the item is kept as it is."""
    item = {
        "id": "ort2002",
        "type": "chapter",
        "title": "Plane <math><mi>m</mi></math> of <em>Murus</em>",
        "author": [
            {"family": "Ort", "given": "Tom", "non-dropping-particle": "van"},
            {"literal": "Wall Club"},
        ],
        "editor": [{"family": "Moor", "given": "Lia"}],
        "container-title": "Walls",
        "page": "5–9",
        "issued": {"date-parts": [[2002, 7]]},
        "note": "Read again.\nDOI: 10.5555/abc\nPMID: 99",
    }
    records, _ = take(json.dumps([item]))
    paper = records[0]
    assert isinstance(paper, Paper)
    publication = paper.publication
    assert publication is not None
    assert (paper.title, paper.doi) == ("Plane m of Murus", "10.5555/abc")
    assert publication.title == "Plane m of <i>Murus</i>"
    person, group = paper.authors
    assert isinstance(person, Name)
    assert (person.particle, person.family) == ("van", "Ort")
    assert isinstance(group, Name)
    assert group.is_literal
    assert (publication.type, publication.editors, publication.container) == (
        "chapter",
        ("Lia Moor",),
        "Walls",
    )
    assert (publication.pages, publication.date) == ("5-9", "2002-07")
    assert (publication.pmid, publication.note) == ("99", "Read again.")
    assert paper.source is not None
    assert (paper.source.format, paper.source.key) == ("CSL-JSON", "ort2002")
    assert json.loads(paper.source.text) == item


@pytest.mark.parametrize(
    "text",
    [
        "---\nreferences:\n- author:\n  - {family: Roe, given: Ann}\n  id: roe\n  issued: 2001-05\n"
        "  title: A *Quercus* wall\n  type: book\n---\n",
        "nocite: '@*'\nreferences:\n\n  - id: roe\n    title: A _Quercus_ wall\n    type: book\n"
        '    issued: {date-parts: [["2001", 5]]}\n    author: [{family: Roe, given: Ann}]\n',
        "- id: roe\n  title: A *Quercus* wall\n  type: book\n  issued: [{year: 2001, month: 5}]\n"
        "  author:\n  - given: Ann\n    family: Roe\n",
    ],
)
def test_libraries_in_yaml(take: Take, text: str) -> None:
    """As Pandoc writes them, with Markdown in titles; as ``references`` or alone."""
    records, _ = take(text, strict=True)
    (paper,) = records
    assert isinstance(paper, Paper)
    assert paper.publication is not None
    assert (paper.id, paper.title, paper.authors, paper.year) == ("roe", "A Quercus wall", ("Ann Roe",), 2001)
    assert (paper.publication.title, paper.publication.date) == ("A <i>Quercus</i> wall", "2001-05")
    assert paper.publication.type == "book"


def test_items_of_yaml_that_cannot_be_read(take: Take) -> None:
    """Others are read; YAML that is none is named with its line."""
    records, report = take("references:\n- title: No id\n  id: ''\n- 7\n- id: b\n  title: Wall\n")
    assert [record.id for record in records if isinstance(record, Paper)] == ["b"]
    assert [skip.why for skip in report.skips] == ["item 1: no id", "item 2: no id"]
    with pytest.raises(InputError, match="invalid YAML"):
        take("references:\n- id: [x\n  title: y\n")
