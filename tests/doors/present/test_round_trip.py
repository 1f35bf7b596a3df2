"""What the writers write, the readers read: the same papers again."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import bibtex, csl, read, tagged
from citewhy.text.latex_text import plain as plain_latex
from citewhy.text.marked_up import plain, with_mathematics
from citewhy.text.person import is_company
from citewhy.text.repair import unescaped
from citewhy.text.tidy import in_one_direction, tidy
from citewhy.writers import bibtex as as_bibtex
from citewhy.writers import csl as as_csl
from citewhy.writers import ris as as_ris

# Text -----------------------------------------------------------------------------------------------------

PIECES = [
    *("@string{x = {y}}", "@article{key,", "{nested {braces}}", "{", "}", "}}{{", "\\", "\\'e", "\\{", '"'),
    *("# acl #", "%", "a%b", "$", "$x$", "$1,000", "&", "_", "^", "~", "``", "''", "--", "---", "?`"),
    *("Müller", "Ångström", "Šnajder", "Łukasz", "Straße", "ı", "ﬁ", "e\u0301", "x\u0301\u0323"),
    *("中文", "हिन्दी", "🙂", "\u200d", "\u00a0", "\u2028", "\u0085", "\t", "\r\n", "\x00", "\x1b", "\ufeff"),
    *("CO₂", "10⁻³", "x₁₀", "5′", "a − b", "ʿAlī", "α", "∇"),
    *("BLEU", "WordNet", "mT5", "and", "others", "et al.", "TY  - JOUR", "ER  - ", "AU  - X", "n.d.", "1999"),
    *("<b", "a < b", "&amp;", "</x>", "Jr.", "III", "van der", "http://x.org/a_b?c=d&e"),
]
pieces = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12), st.sampled_from(PIECES)
)
texts = st.lists(pieces, max_size=6).map(" ".join)
titles = texts.filter(lambda text: tidy(text) != "")
words = st.text(st.characters(categories=["L", "M", "Nd"]), min_size=1, max_size=8)
NAMES = [
    *("Kishore Papineni", "Jan van der Berg", "Martin Luther King Jr.", "Hal Daumé III", "Plato", "others"),
    *("Barnes and Noble", "Amazon.com, Inc.", "{Braces} Inside", "J. R. R. Tolkien", "et al.", "Jr. Smith"),
    *("Jean-Paul Sartre", "M\u0308uller", "and", "O'Hara", "de la Cruz", "Ng", "Lluís Màrquez", "50% & Co"),
]
names = st.one_of(st.lists(words, min_size=1, max_size=3).map(" ".join), st.sampled_from(NAMES))
dois = st.from_regex(r"10\.[1-9][0-9]{3}/[a-z0-9_()/:.<>-]{0,20}[a-z0-9]", fullmatch=True)
addresses = st.from_regex(r"https://[a-z]{1,8}\.org/[A-Za-z0-9_~%&=?#.+-]{0,20}", fullmatch=True)
papers = st.builds(
    Paper,
    id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9.:_/-]{0,11}[A-Za-z0-9]", fullmatch=True),
    title=titles,
    abstract=texts,
    authors=st.lists(names, max_size=3).map(tuple),
    year=st.one_of(st.none(), st.integers(1500, 2099)),
    venue=texts,
    doi=st.one_of(st.just(""), dois),
    url=st.one_of(st.just(""), addresses),
)


def normal(paper: Paper) -> Paper:
    """What every format has in common: composed characters and single spaces, no characters that change the
    direction of writing, no empty names."""

    def text(value: str) -> str:
        return tidy(unicodedata.normalize("NFC", in_one_direction(tidy(value))))

    return replace(
        paper,
        title=text(paper.title),
        abstract=text(paper.abstract),
        authors=tuple(name for author in paper.authors if (name := text(author))),
        venue=text(paper.venue),
    )


def without_commas(paper: Paper) -> Paper:
    """RIS cannot write a comma that belongs to a name, except for a company's, and takes "others" for
    nobody."""

    def written(name: str) -> str:
        company = name.count(",") == 1 and is_company(name.rpartition(", ")[2])
        return name if company else " ".join(name.replace(",", " ").split())

    names = [written(name) for name in paper.authors]
    return replace(paper, authors=tuple(name for name in names if name.lower() != "others"))


# Formats --------------------------------------------------------------------------------------------------


def without_markup(paper: Paper) -> Paper:
    """CSL-JSON takes a literal ``<i>`` for formatting, ``&amp;`` for what it stands for, and what is between
    dollars in a title for mathematics."""
    abstract, venue = plain(paper.abstract), plain(paper.venue)
    title, _ = with_mathematics(paper.title)
    authors = tuple(map(plain, paper.authors))
    return replace(paper, title=title, abstract=abstract, venue=venue, authors=authors)


def without_markup_of_titles(paper: Paper) -> Paper:
    """RIS takes ``<i>`` and ``&amp;`` in titles for what they stand for, beside what it cannot write."""
    return without_commas(replace(paper, title=plain(paper.title), venue=plain(paper.venue)))


def without_entities(paper: Paper) -> Paper:
    """BibTeX takes ``&amp;`` for what it stands for and tags for formatting, and has a spelling for signs
    that no engine prints."""
    spelled: dict[str, str | int] = {sign: plain_latex(latex) for sign, latex in as_bibtex.SPELLED.items()}
    spelled |= {sign: unicodedata.normalize("NFKC", sign) for sign in RAISED_OR_LOWERED}

    table = str.maketrans(spelled)

    def read_again(text: str) -> str:
        return without_tags(text).translate(table).replace("−", "-")

    def without_tags(text: str) -> str:
        text = unescaped(text)
        return plain(text) if "<" in text else text

    title, abstract, venue = map(read_again, (paper.title, paper.abstract, paper.venue))
    return replace(
        paper, title=title, abstract=abstract, venue=venue, authors=tuple(map(without_tags, paper.authors))
    )


RAISED_OR_LOWERED = [
    chr(code) for code in (*range(0x2070, 0x2072), *range(0x2074, 0x208F), *range(0x2090, 0x209D))
]


Write = Callable[[Iterable[Paper]], str]
Read = Callable[[Path, ImportReport], Iterator[Any]]
FORMATS: dict[str, tuple[Write, Read, Callable[[Paper], Paper]]] = {
    "bibtex": (as_bibtex.entries, bibtex.read, without_entities),
    "ris": (as_ris.entries, tagged.read_ris, without_markup_of_titles),
    "csl": (as_csl.entries, csl.read, without_markup),
}


def check_round_trips(name: str, path: Path, examples: int) -> None:
    write, read_back, also = FORMATS[name]

    @settings(
        max_examples=examples,
        deadline=timedelta(seconds=5),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(papers)
    @example(Paper("k", "$\x08 0$"))
    def round_trip(paper: Paper) -> None:
        expected = normal(also(normal(paper)))
        assume(expected.title)
        path.write_bytes(write([paper]).encode())
        report = ImportReport(strict=True)
        entries = [normal(one) for one in read_back(path, report)]
        assert entries == [expected], (path.read_text(), report.warnings)
        path.write_bytes(write(entries).encode())
        assert [normal(one) for one in read_back(path, report)] == [normal(also(expected))]

    round_trip()


@pytest.mark.parametrize("name", FORMATS)
def test_papers_survive_a_round_trip(tmp_path: Path, name: str) -> None:
    """Write, read, write, read: equal but for composed characters and white space, whatever the text."""
    check_round_trips(name, tmp_path / name, 300)


@pytest.mark.full
@pytest.mark.parametrize("name", FORMATS)
def test_ten_thousand_papers_survive_a_round_trip(tmp_path: Path, name: str) -> None:
    """The same in full."""
    check_round_trips(name, tmp_path / name, 10_000)


@pytest.mark.parametrize("name", FORMATS)
def test_a_library_survives_a_round_trip(toy: Path, tmp_path: Path, name: str) -> None:
    """A list of papers is one file, recognised by its content, in the order of the list."""
    write, _, _ = FORMATS[name]
    known = [paper for paper in read(toy / "papers.jsonl", ImportReport()) if isinstance(paper, Paper)]
    path = tmp_path / "exported"
    path.write_text(write(known))
    assert list(read(path, ImportReport(strict=True))) == known


def test_entries_are_written_in_one_direction() -> None:
    """Characters that change the direction of writing are in no entry of any format: they would show a title,
    or what follows it in the file, in another order than the one it has."""
    marks = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    paper = Paper(
        f"k{marks}ey",
        f"Trees {marks}and banks",
        f"We {marks}grow",
        (f"Ann {marks}Lee",),
        2001,
        f"AC{marks}L",
        f"10.1/{marks}x",
        f"https://a.org/{marks}",
    )
    for form in (as_bibtex, as_ris, as_csl):
        text = form.entries([paper])
        assert not set(marks) & set(text)
        assert "rees and banks" in text.replace("{", "").replace("}", "")
