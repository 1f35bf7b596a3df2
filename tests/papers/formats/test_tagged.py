"""Tagged text of PubMed and Web of Science, and Hayagriva's YAML, with the names that others write."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import Record

Take = Callable[..., tuple[list[Record], ImportReport]]


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("PMID- 1\nTI  - Walls\nCN  - Wall Group\nFAU - Ort, Tom\nAU  - Ort T\n", ("Tom Ort", "Wall Group")),
        ("PMID- 1\nTI  - Walls\nFAU - Ort, Tom\nAU  - Ort T\nCN  - Wall Group\n", ("Tom Ort", "Wall Group")),
        ("OWN - ERIC\nTI  - Walls\nAU  - Ort, Tom\nDP  - 2001\n", ("Tom Ort",)),
        (
            "FN ISI Export Format\nVR 1.0\nPT J\nAU Ort, Tom; Moor, Lia\nTI Walls\nER\nEF\n",
            ("Tom Ort", "Lia Moor"),
        ),
        ("FN ISI Export Format\nVR 1.0\nPT J\nAU ORT T\n   MOOR L\nTI Walls\nER\nEF\n", ("T ORT", "L MOOR")),
        (
            "a:\n  type: inproceedings\n  title: Walls\n  author:\n    - {family: Ort, given: Tom}\n"
            "b:\n  type: article\n  title: Wells\n",
            ("Tom Ort",),
        ),
    ],
)
def test_authors(take: Take, text: str, authors: tuple[str, ...]) -> None:
    """Groups stand beside people, names may share a line, and an entry of a strange type is read."""
    paper = take(text)[0][0]
    assert isinstance(paper, Paper)
    assert (paper.title, paper.authors) == ("Walls", authors)


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        (
            "<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>1</PMID><Book><BookTitle>Walls</BookTitle>"
            "<AuthorList><Author><LastName>Ort</LastName><ForeName>Tom</ForeName></Author></AuthorList></Book>"
            "</BookDocument></PubmedBookArticle></PubmedArticleSet>",
            ("Tom Ort",),
        ),
        (
            "<mods><titleInfo><title>Walls</title></titleInfo><name><namePart>Ort, Tom</namePart>"
            '<namePart type="date">1901-1999</namePart></name></mods>',
            ("Tom Ort",),
        ),
        ('Title,Authors,Year\nWalls,"van der Ort, Tom Jan",2001\n', ("Tom Jan van der Ort",)),
    ],
)
def test_authors_of_books_and_names_in_one_part(take: Take, text: str, authors: tuple[str, ...]) -> None:
    """The authors of a book are its own, and an inverted name is one person."""
    paper = take(text)[0][0]
    assert isinstance(paper, Paper)
    assert (paper.title, paper.authors) == ("Walls", authors)
