"""The entry that a paper was read from, and entries that break the rules of BibTeX."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import Record

Take = Callable[..., tuple[list[Record], ImportReport]]


def papers_of(take: Take, text: str) -> list[Paper]:
    return [record for record in take(text)[0] if isinstance(record, Paper)]


def texts(take: Take, text: str) -> dict[str, str]:
    return {paper.id: paper.source.text for paper in papers_of(take, text) if paper.source}


def test_the_entry_is_kept_as_it_is_written(take: Take) -> None:
    """Every character from the @ to the closing brace, with the key and the name of the file."""
    entry = '@Article{ Orr:1999 ,\n\ttitle = "{M}oss \\& {F}ern", Year=1999,\n  month = jan\n, }'
    (paper,) = papers_of(take, f"Text before\n{entry}\nand after")
    assert paper.source is not None
    assert paper.source.text == entry
    assert (paper.source.format, paper.source.key) == ("BibTeX", "Orr:1999")
    assert paper.source.file == "file"


def test_macros_are_written_out(take: Take) -> None:
    """The entry means the same without the file's definitions; the months of every style stay."""
    text = (
        "@string{jm = {Journal of Moss}}\n"
        '@article{a, title = {A # b}, journal = jm # {, } # "B", month = may, number = gone}'
    )
    assert texts(take, text) == {
        "a": "@article{a, title = {A # b}, journal = {Journal of Moss, B}, month = may, number = {gone}}"
    }


def test_what_is_inherited_is_written_out(take: Take) -> None:
    """An entry with a parent has its parent's fields, and no reference to it any more."""
    text = (
        "@inproceedings{a,\n  title = {A},\n  crossref = {v},\n  pages = {1--2}\n}\n"
        "@misc{b, title = {B}, xdata={x}}\n@misc{c, title={C}, crossref={gone}}\n"
        "@xdata{x, note={N}}\n@proceedings{v, title={V}, year=2001}"
    )
    found = texts(take, text)
    assert found["a"] == (
        "@inproceedings{a,\n  title = {A},\n  pages = {1--2},\n  year = {2001},\n  booktitle = {V}\n}"
    )
    assert found["b"] == "@misc{b, title = {B},\n  note = {N}\n}"
    assert found["c"] == "@misc{c, title={C}, crossref={gone}}"


def test_a_value_may_come_from_xdata(take: Take) -> None:
    """A field, or one name of it, as biblatex allows; the text has the value, too."""
    text = (
        "@xdata{x-1, author = {Ann Lee and Bo Roe}, location={Ulm}}\n"
        "@book{a, title={A}, author={xdata=x-1-author-2 and Cy Doe}, location={xdata=x-1-location}}\n"
        "@book{b, title={B}, author={xdata=x-1-author}}\n@book{c, title={xdata=y-title}}"
    )
    papers = papers_of(take, text)
    assert [paper.authors for paper in papers] == [("Bo Roe", "Cy Doe"), ("Ann Lee", "Bo Roe"), ()]
    assert papers[2].title == "xdata=y-title"
    assert texts(take, text)["a"] == "@book{a, title={A}, author={Bo Roe and Cy Doe}, location={Ulm}}"


@pytest.mark.parametrize(
    "entry",
    [
        "@article{a, title = {On {moss}},, author = {Orr, Nils}, year = 1999}",
        "@article{a, , title = {On {moss}}, author = {Orr, Nils},, year = 1999,,}",
        "@article(a, title = {On {moss}},, author = {Orr, Nils}, year = 1999)",
        "@article{a, title = {On \\{moss}, author = {Orr, Nils}, year = 1999}",
        "@article{a, title = {On \\{moss}}, author = {Orr, Nils}, year = 1999}",
    ],
)
def test_what_bibtex_understands_is_read(take: Take, entry: str) -> None:
    """Commas too many, and braces behind a backslash, which BibTeX counts like others, lose no field."""
    found = papers_of(take, f"@misc{{before, title={{B}}}}\n{entry}\n@misc{{after, title={{A}}}}")
    assert [paper.id for paper in found] == ["before", "a", "after"]
    assert (found[1].title.replace("{", ""), found[1].authors, found[1].year) == (
        "On moss",
        ("Nils Orr",),
        1999,
    )


def test_an_entry_may_lack_its_key(take: Take) -> None:
    """Some programs write none, not even the comma after it."""
    (paper,) = papers_of(take, "@article{\n  author = {Orr, Nils},\n  title = {On moss},\n  year = {1999} }")
    assert (paper.id, paper.title, paper.authors) == ("orr1999on", "On moss", ("Nils Orr",))


def test_a_chapter_inherits_the_title_of_its_book(take: Take) -> None:
    """As the title of an ``@inbook``, where BibTeX takes it from; in others it is the booktitle."""
    chapter = "{a, author={Moor, E.}, crossref={b}}\n@book{b, title={Bogs}, year=1999}"
    assert "title = {Bogs}" in texts(take, f"@inbook{chapter}")["a"].replace("booktitle", "")
    assert "title = {Bogs}" not in texts(take, f"@incollection{chapter}")["a"].replace("booktitle", "")
