"""What is written of a paper's record: names by parts, types, fields, markup; and the source's own entry."""

from __future__ import annotations

import orjson
import pytest

from citewhy.base.records import Name, Paper, Publication, SourceEntry
from citewhy.drafts.edit.bibliography_file import new_key
from citewhy.writers import bibtex, csl, hayagriva, ris
from citewhy.writers.described import date_parts


def written(paper: Paper, field: str) -> str:
    """The value of a field of the BibTeX entry, without its delimiters; empty if it is not there."""
    for line in bibtex.entry(paper, "k").splitlines():
        name, _, value = line.strip().rstrip(",").partition("=")
        if name.strip() == field:
            return value.strip().removeprefix("{").removesuffix("}")
    return ""


def of(**known: object) -> Paper:
    """A paper with a publication of the given fields."""
    return Paper("p", "Reed beds", publication=Publication(**known))  # type: ignore[arg-type]


# Names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "in_bibtex", "in_ris"),
    [
        (Name.literal("Board of Fisheries"), "{Board of Fisheries}", "Board of Fisheries,"),
        (Name.literal("UNESCO"), "{UNESCO}", "UNESCO,"),
        (Name.literal("Pike and Sons, Ltd."), "{Pike and Sons, Ltd.}", "Pike and Sons, Ltd."),
        (Name.literal("Reeds, Rushes"), "{Reeds, Rushes}", "Reeds Rushes,"),
        (Name("Ana", "Ruiz Campos"), "Ruiz Campos, Ana", "Ruiz Campos, Ana"),
        (Name("Dirk", "Van Loon"), "Van Loon, Dirk", "Van Loon, Dirk"),
        (Name("Jan", "Loon", "van der"), "van der Loon, Jan", "van der Loon, Jan"),
        (Name("Ludwig", "Bach", dropping="von"), "Bach, Ludwig von", "Bach, Ludwig von"),
        (Name("Tom", "Hill", suffix="Jr."), "Hill, Jr., Tom", "Hill, Tom, Jr."),
        (Name("", "Two Words"), "{Two Words}", "Two Words"),
    ],
)
def test_names_are_written_by_their_parts(name: Name, in_bibtex: str, in_ris: str) -> None:
    """An organisation stays whole, and a surname has all its words."""
    paper = Paper("p", "Reed beds", authors=(name,))
    assert f"author    = {{{in_bibtex}}}" in bibtex.entry(paper, "k")
    assert f"AU  - {in_ris}\n" in ris.entry(paper)


def test_parts_of_names_in_csl() -> None:
    """CSL has a field for each part, and one for a name that is one whole."""
    names = (Name("Jan", "Loon", "van der", "Jr."), Name.literal("Board of Fisheries"))
    assert csl.entry(Paper("p", "Reed beds", authors=names))["author"] == [
        {"given": "Jan", "non-dropping-particle": "van der", "family": "Loon", "suffix": "Jr."},
        {"literal": "Board of Fisheries"},
    ]


# Types and fields -----------------------------------------------------------------------------------------


def test_a_thesis_is_a_thesis() -> None:
    """Its university is the school; a genre tells a master's thesis."""
    thesis = of(type="thesis", publisher="University of Reeds", genre="PhD thesis")
    assert bibtex.entry(thesis, "k").startswith("@phdthesis{k,")
    assert written(thesis, "school") == "University of Reeds"
    assert bibtex.entry(of(type="thesis", genre="Master’s thesis"), "k").startswith("@mastersthesis{k,")
    assert ris.entry(thesis).startswith("TY  - THES\n")
    assert csl.entry(thesis)["type"] == "thesis"
    assert "type: thesis\n" in hayagriva.entry(thesis, "k")


def test_the_fields_of_an_article() -> None:
    """Volume, number, pages and date are in every format."""
    paper = of(
        type="article-journal",
        container="Wetlands",
        volume="12",
        number="3",
        pages="100-120",
        date="2011-07-06",
    )
    fields = {"journal": "Wetlands", "volume": "12", "number": "3", "pages": "100--120", "year": "2011"}
    assert {name: written(paper, name) for name in fields} == fields
    assert "  month     = jul,\n" in bibtex.entry(paper, "k")
    item = csl.entry(paper)
    assert (item["container-title"], item["volume"], item["issue"], item["page"]) == (
        "Wetlands", "12", "3", "100-120",
    )  # fmt: skip
    assert item["issued"] == {"date-parts": [[2011, 7, 6]]}
    lines = ris.entry(paper).splitlines()
    expected = ("T2  - Wetlands", "VL  - 12", "IS  - 3", "SP  - 100", "EP  - 120", "DA  - 2011/07/06")
    assert set(expected) <= set(lines)
    assert '  page-range: "100-120"\n' in hayagriva.entry(paper, "k")
    assert "    volume: 12\n    issue: 3\n" in hayagriva.entry(paper, "k")


def test_editors_and_series() -> None:
    """A chapter has the editors, the place and the series of its book."""
    paper = of(
        type="chapter", container="Marshes", editors=(Name("Eva", "Moor"),), publisher="Bog Press",
        place="Delft", series="Wet Lands",
    )  # fmt: skip
    assert bibtex.entry(paper, "k").startswith("@incollection{k,")
    fields = {"booktitle": "Marshes", "editor": "Moor, Eva", "address": "Delft", "series": "Wet Lands"}
    assert {name: written(paper, name) for name in fields} == fields
    assert {"A2  - Moor, Eva", "T3  - Wet Lands", "CY  - Delft"} <= set(ris.entry(paper).splitlines())


@pytest.mark.parametrize(
    ("date", "year"),
    [("in press", "in press"), ("2001/2003", "2001--2003"), ("-0044", "45 BC"), ("0731", "731")],
)
def test_dates_that_are_no_year(date: str, year: str) -> None:
    """Words, ranges, and years before our era, which the ISO counts from 1 BC as 0."""
    assert written(of(type="book", date=date), "year") == year


def test_date_parts_of_words() -> None:
    """Words have no parts, and CSL writes them as they are."""
    assert date_parts("in press") == []
    assert csl.entry(of(type="book", date="in press"))["issued"] == {"literal": "in press"}


# Titles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "latex"),
    [
        ('The <span class="nocase">Gaussian</span> reed', "The {Gaussian} reed"),
        ("Reeds of <i>Phragmites</i>", "Reeds of \\emph{Phragmites}"),
        ('<span class="nocase"><i>E. coli</i></span> here', "{{\\emph{E. coli}}} here"),
        ("Uptake of CO<sub>2</sub>", "Uptake of {CO}\\textsubscript{2}"),
        ("Bounds of $O(n^2)$ size", "Bounds of {$O(n^2)$} size"),
        ("For $5 or $6", "For \\$5 or \\$6"),
        ("The α-helix of β and ≤ 3", "The {$\\alpha$}-helix of {$\\beta$} and {$\\leq$} 3"),
        ("Λίμνη", "Λίμνη"),
        ("a < b", "a < b"),
    ],
)
def test_markup_of_titles(title: str, latex: str) -> None:
    """Protected words, emphasis and mathematics are written as LaTeX, and signs so that every engine prints
    them; a word of Greek stays."""
    assert f"  title     = {{{latex}}}" in bibtex.entry(of(type="book", title=title), "k")


def test_ris_has_plain_titles_and_csl_its_markup() -> None:
    """RIS knows no markup; CSL's is that of the record."""
    paper = of(type="book", title="Reed <i>beds</i>")
    assert "TI  - Reed beds\n" in ris.entry(paper)
    assert csl.entry(paper)["title"] == "Reed <i>beds</i>"


# The source's own entry -----------------------------------------------------------------------------------

OWN = "@Article{Moor99,\n\ttitle   = {The {B}og},\n\tnote\t= {mine},\n}"


def test_an_entry_of_bibtex_is_written_as_it_is() -> None:
    """Byte for byte, whatever its layout and fields; another key replaces its own."""
    paper = Paper("x", "The Bog", source=SourceEntry("BibTeX", OWN, "Moor99"))
    assert bibtex.entry(paper, "Moor99") == f"{OWN}\n"
    assert bibtex.entry(paper, "moor1999bog") == f"{OWN}\n".replace("Moor99", "moor1999bog")


def test_an_entry_of_another_language_is_converted() -> None:
    """RIS of a paper that was read from BibTeX is made from its record."""
    paper = Paper("x", "The Bog", source=SourceEntry("BibTeX", OWN, "Moor99"))
    assert ris.entry(paper).startswith("TY  - GEN\nID  - x\nTI  - The Bog\n")


def test_an_entry_on_one_line_is_laid_out() -> None:
    """An export has a line for each field, with the values as they were."""
    text = '@book{a, title={Bogs, {and} fens}, author = "Moor, E.", year=1999}'
    paper = Paper("a", "Bogs, and fens", source=SourceEntry("BibTeX", text, "a"))
    assert bibtex.entries([paper]) == (
        '@book{a,\n  title     = {Bogs, {and} fens},\n  author    = "Moor, E.",\n  year      = 1999\n}\n'
    )
    assert bibtex.entry(paper, "a") == f"{text}\n"


def test_fields_that_share_a_line_are_laid_out() -> None:
    """In an export, whatever stands on the first line; values of several lines stay as they are."""
    text = "@book{a,\ntitle={Bogs, {and}\n fens}, year=1999}"
    paper = Paper("a", "Bogs, and fens", source=SourceEntry("BibTeX", text, "a"))
    assert bibtex.entries([paper]) == "@book{a,\n  title     = {Bogs, {and}\n fens},\n  year      = 1999\n}\n"


@pytest.mark.parametrize(
    "text", [OWN, "@book{a,\n title={Bogs}\n, year=1999\n}", "@book{a, title={Bogs, year=1}"]
)
def test_other_entries_are_exported_as_they_are(text: str) -> None:
    """With each field on a line of its own, or with a value that is not closed."""
    paper = Paper("a", "Bogs", source=SourceEntry("BibTeX", text, "a"))
    written = bibtex.entries([paper])
    assert written.partition(",")[2] == text.partition(",")[2] + "\n"


def test_html_of_services_becomes_latex() -> None:
    """In what is printed; all else of the entry stays."""
    text = (
        "@article{a,\n title={Growth of <i>Quercus</i> in H<sub>2</sub>O &amp; <span>{Fire}</span>},\n"
        " journal = {Ecology &amp; &lt;i&gt;Evo&lt;/i&gt;},\n"
        " url={http://a.example?b=1&amp;c=2},\n year=2016\n}"
    )
    paper = Paper("a", "Growth", source=SourceEntry("BibTeX", text, "a"))
    assert bibtex.entry(paper, "a") == (
        "@article{a,\n title={Growth of \\emph{Quercus} in H\\textsubscript{2}O \\& {Fire}},\n"
        " journal = {Ecology \\& \\emph{Evo}},\n url={http://a.example?b=1&amp;c=2},\n year=2016\n}\n"
    )


def test_extended_names_are_exported_as_bibtex_reads_them() -> None:
    """And written into the draft's own file as they are."""
    names = "family=Deursen, given=Alma, prefix=van, useprefix=true and Poe, Kim"
    text = f"@article{{a,\n author={{{names}}},\n title={{Skills}}\n}}"
    authors = (Name("Alma", "Deursen", "van"), Name("Kim", "Poe"))
    paper = Paper("a", "Skills", authors=authors, source=SourceEntry("BibTeX", text, "a"))
    assert bibtex.entries([paper]) == text.replace(names, "van Deursen, Alma and Poe, Kim") + "\n"
    assert bibtex.entry(paper, "a") == text + "\n"


def test_records_of_ris_csl_and_hayagriva_are_written_as_they_are() -> None:
    """With the id under which the paper goes."""
    record = "TY  - JOUR\nXX  - kept\nID  - old\nTI  - Bog\nER  - \n"
    paper = Paper("new", "Bog", source=SourceEntry("RIS", record, "old"))
    assert ris.entry(paper) == record.replace("old", "new")
    item = {"id": "old", "type": "book", "title": "Bog", "custom": {"a": 1}}
    paper = Paper("new", "Bog", source=SourceEntry("CSL-JSON", orjson.dumps(item).decode(), "old"))
    assert csl.entry(paper) == {**item, "id": "new"}
    yaml = "old:\n  type: book # mine\n  title: Bog\n"
    paper = Paper("old", "Bog", source=SourceEntry("Hayagriva", yaml, "old"))
    assert hayagriva.entry(paper, "old") == yaml
    assert hayagriva.entry(paper, "new") == yaml.replace("old:", '"new":')


def test_the_key_of_the_library_is_the_key_of_the_new_entry() -> None:
    """Unless the draft has it for another paper, or it is an id that nobody cites by."""
    paper = Paper(
        "x", "The Bog", authors=("Eva Moor",), year=1999, source=SourceEntry("BibTeX", OWN, "Moor99")
    )
    assert new_key(paper, ()) == "Moor99"
    assert new_key(paper, ("moor99",)) == "moor1999bog"
    for key in ("21century", "Bär2004", "Smith&Jones99", "x"):
        named = Paper("x", "The Bog", source=SourceEntry("BibTeX", OWN, key))
        assert new_key(named, ()) == key
    ris_paper = Paper(
        "x", "The Bog", authors=("Eva Moor",), year=1999, source=SourceEntry("RIS", "", "Moor99")
    )
    assert new_key(ris_paper, ()) == "moor1999bog"
