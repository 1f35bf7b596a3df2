"""How works were published, as BibTeX and biblatex say it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Paper, Publication
from citewhy.papers.formats import Record
from citewhy.text.latex_text import marked_up, plain

Take = Callable[..., tuple[list[Record], ImportReport]]


def published(take: Take, entry: str) -> Publication:
    (paper,) = (record for record in take(entry)[0] if isinstance(record, Paper))
    assert paper.publication is not None
    return paper.publication


@pytest.mark.parametrize(
    ("entry", "publication"),
    [
        (
            "@article{a, title={T}, journal={J}, volume=3, number={4}, pages={1--9}, year=2001,"
            " month=mar, issn={1-2}}",
            Publication(
                "article-journal",
                container="J",
                volume="3",
                number="4",
                pages="1-9",
                date="2001-03",
                issn="1-2",
            ),
        ),
        (
            "@inproceedings{a, title={T}, booktitle={B}, booksubtitle={C}, editor={Orr, N.}, series={S},"
            " number=7, publisher={P}, address={Ulm}, date={2001-07-06}}",
            Publication(
                "paper-conference",
                container="B: C",
                editors=("N. Orr",),
                series="S",
                series_number="7",
                publisher="P",
                place="Ulm",
                date="2001-07-06",
            ),
        ),
        (
            "@phdthesis{a, title={T}, school={U}, year={1999}}",
            Publication("thesis", publisher="U", date="1999", genre="PhD thesis"),
        ),
        (
            "@techreport{a, title={T}, institution={I}, number={TR-1}, year={in press}, keywords={a, b; c}}",
            Publication(
                "report",
                publisher="I",
                number="TR-1",
                date="in press",
                genre="Technical report",
                keywords=("a", "b", "c"),
            ),
        ),
        (
            "@book{a, title={{ABC} of \\emph{moss}}, isbn={1}, edition={2nd},"
            " origdate={1901}, urldate={2020-01-02}}",
            Publication(
                "book",
                title='<span class="nocase">ABC</span> of <i>moss</i>',
                isbn="1",
                edition="2nd",
                original_date="1901",
                accessed="2020-01-02",
            ),
        ),
        (
            "@misc{a, title={T}, eprint={2001.00001v2}, archiveprefix={arXiv}, year={2001--03}}",
            Publication("article", arxiv="2001.00001", date="2001/2003"),
        ),
    ],
)  # fmt: skip
def test_what_is_kept(take: Take, entry: str, publication: Publication) -> None:
    """The fields of CSL that an entry tells, in the terms of CSL."""
    assert published(take, entry) == publication


@pytest.mark.parametrize(
    ("fields", "year", "date"),
    [
        ("year={1066}", 1066, "1066"),
        ("year={731}", 731, "0731"),
        ("year={c. 870}", 870, "0870"),
        ("year={44 BC}", -43, "-0043"),
        ("year={AD 98}", 98, "0098"),
        ("date={-0043-03-15}", -43, "-0043-03-15"),
        ("year={forthcoming}", None, "forthcoming"),
        ("year=2001, month={6--8 June}", 2001, "2001-06"),
        ("year=2001, month={" + "1" * 5000 + "}", 2001, "2001"),
        ("year=2001, month={10~} # jan", 2001, "2001-01-10"),
        ("year=2001, month={12}", 2001, "2001-12"),
    ],
)
def test_dates(take: Take, fields: str, year: int | None, date: str) -> None:
    """Years of all times, months in words and numbers; other words stay as they are."""
    (paper,) = (one for one in take(f"@misc{{a, title={{T}}, {fields}}}")[0] if isinstance(one, Paper))
    assert paper.publication is not None
    assert (paper.year, paper.publication.date) == (year, date)


@pytest.mark.parametrize(
    "fields",
    [
        "journal={arXiv preprint arXiv:2001.00001}",
        "journal={CoRR}, volume={abs/2001.00001}",
        "note={arXiv:2001.00001v3 [cs.CL]}",
        "howpublished={\\url{https://arxiv.org/abs/2001.00001}}",
    ],
)
def test_numbers_at_arxiv(take: Take, fields: str) -> None:
    """They stand in many fields; the paper goes by them, too."""
    (paper,) = take(f"@misc{{a, title={{T}}, {fields}}}")[0]
    assert isinstance(paper, Paper)
    assert paper.url == "https://arxiv.org/abs/2001.00001"
    records, _ = take(f"@misc{{a, title={{T}}, url={{https://moss.example}}, {fields}}}")
    assert records[1:] == [Alias("a", "arXiv:2001.00001")]


def test_numbers_at_pubmed(take: Take) -> None:
    """PMIDs and PMC numbers are other ids of the paper."""
    records, _ = take("@article{a, title={T}, pmid={1234567}, pmcid={PMC7654321}}")
    assert records[1:] == [Alias("a", "PMID:1234567"), Alias("a", "PMC7654321")]


@pytest.mark.parametrize(
    ("latex", "marked", "text"),
    [
        ("{\\\"U}ber {\\'E}tudes", "Über Études", "Über Études"),
        ("A {{nested} ONE}", 'A <span class="nocase">nested ONE</span>', "A nested ONE"),
        ("\\emph{A {B}}, {\\bf c}", '<i>A <span class="nocase">B</span></i>, <b>c</b>', "A B, c"),
        ("CO\\textsubscript{2}: $\\langle 1\\rangle$", "CO<sub>2</sub>: $\\langle 1\\rangle$", "CO2: ⟨1⟩"),
        ("$\\frac{a}{b}$ of $\\left(c\\right)$", "$\\frac{a}{b}$ of $\\left(c\\right)$", "a/b of (c)"),
    ],
)  # fmt: skip
def test_markup_of_titles(latex: str, marked: str, text: str) -> None:
    """Protection, emphasis and formulas survive beside the plain text, which has no commands."""
    assert (marked_up(latex), plain(latex)) == (marked, text)


def test_tags_in_titles(take: Take) -> None:
    """Crossref's BibTeX has tags of HTML; the plain title has none."""
    entry = "@misc{a, title={<i>Bryum</i> {\\textless}sub{\\textgreater}2"
    entry += "{\\textless}/sub{\\textgreater} &amp; ice}}"
    (paper,) = take(entry)[0]
    assert isinstance(paper, Paper)
    assert paper.title == "Bryum 2 & ice"
    assert published(take, entry).title == "<i>Bryum</i> <sub>2</sub> & ice"
