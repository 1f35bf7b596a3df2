"""Texts that a library spells otherwise, titles that begin with a text, and how many papers fit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_library import make, paper

from citewhy.answers.resolve import Resolver
from citewhy.base.records import Publication
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index

PAPERS = [
    paper("prisons", "Discipline and Punish", year=1975, authors=("Michel Foucault",)),
    paper("noise", "Stochastic gene expression in a single cell", year=2002, authors=("Michael Elowitz",)),
    paper("genes", "Gene expression profiles", "A temporal expresssion.", authors=("Ada Ruiz",)),
    paper("deep", "Learning deep architectures", year=2009, authors=("Yoshua Bengio",)),
    paper("joshua", "Joshua, a toolkit", year=2009, authors=("Zhifei Li",)),
    paper("kohn", "Alignment of sentences", authors=("Philipp Kohn",)),
    paper("kuhn", "Structure of revolutions", authors=("Thomas Kuhn",)),
    paper("field", "Word alignment: a survey", year=2010, authors=("Ida Boyd-Graber",)),
    paper("survey", "A survey of the alignment of a word", year=2011),
    paper("attention", "Attention is all you need", year=2017, authors=("Ashish Vaswani",)),
    paper("heads", "All heads need attention", "Attention, attention, attention.", year=2018),
    paper("grader", "The grader of essays"),
    paper("ida", "Ida and Boyd", year=1990),
    paper("med", "Blood", publication=Publication(pmid="12345678", pmcid="PMC555")),
    paper("book", "Rivers", publication=Publication(isbn="0-262-03384-4")),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with make(tmp_path_factory.mktemp("spelled"), PAPERS) as made:
        yield made


@pytest.fixture(scope="module")
def resolver(library: Library) -> Resolver:
    return Resolver(library, open_index(library))


def test_names_of_people_are_not_misspelt(resolver: Resolver) -> None:
    """The whole name of an author, with a compound surname: no word of it is taken for another, though a part
    of the surname is nearly a word of the library, and other papers fit better."""
    finding = resolver.find("Ida Boyd-Graber 1990", 1)
    assert [paper.id for paper in finding.papers] == ["ida"]
    assert finding.corrected == ""


@pytest.mark.parametrize(
    ("text", "corrected", "paper_id"),
    [
        ("Foucalt", "Foucault", "prisons"),
        ("foucalt", "foucault", "prisons"),
        ("Fuocalt 1975", "Foucault 1975", "prisons"),
        ("Foucalt1975", "Foucault1975", "prisons"),
        ("stohcastic gene expresion", "stochastic gene expression", "noise"),
        ("Stohcastic gene expression", "Stochastic gene expression", "noise"),
        ("architectrues", "architectures", "deep"),
    ],
)
def test_misspelt(resolver: Resolver, text: str, corrected: str, paper_id: str) -> None:
    """One letter or two in a word: what the library has is found, and the text as it spells it is told."""
    finding = resolver.find(text, 5)
    assert (finding.text, finding.corrected) == (text, corrected)
    assert finding.papers[0].id == paper_id
    assert finding.papers == resolver.find(corrected, 5).papers


@pytest.mark.parametrize(
    "text",
    [
        "Foucault 1975",
        "gene expression",
        "expresssion",  # as an abstract has it
        "Yoshua Bengio",  # whose first name no index has
        "boyd-graber",
        "the and of",
        "genes",
        "zebras",
        "Kan",  # too short
        "10.9999/foucalt",
        "learning deep archi",  # the beginning of a title
    ],
)
def test_what_stays(resolver: Resolver, text: str) -> None:
    """Nothing is changed that the library has, that may not be a word, or that is like nothing it has."""
    assert resolver.find(text, 5).corrected == ""
    assert resolver.find(text, 5) == resolver.as_written(text, 5)


def test_several_that_may_be_meant(resolver: Resolver) -> None:
    """Of words that are as near, the one that is in a paper with the other words; else others are told."""
    finding = resolver.find("Kohhn", 5)
    assert (finding.corrected, finding.alternatives) == ("Kohn", ())
    finding = resolver.find("Kzhn", 5)
    assert {finding.corrected, *finding.alternatives} == {"Kohn", "Kuhn"}
    assert resolver.find("Kzhn revolutions", 5).corrected == "Kuhn revolutions"


def test_titles_that_begin_with_the_text(resolver: Resolver) -> None:
    """They come before others with the words; the last word may be unfinished."""
    for text, paper_id in (
        ("word alignment", "field"),
        ("attention is all", "attention"),
        ("Attention is all you ne", "attention"),
        ("all heads need at", "heads"),
    ):
        assert resolver.find(text, 5).papers[0].id == paper_id, text


def test_how_many_fit(resolver: Resolver) -> None:
    """All papers with all of the words, or all that the text names, however few are asked for."""
    assert [resolver.find("alignment", k).fitting for k in (1, 5)] == [3, 3]
    assert resolver.find("alignment 2010", 1).fitting == 1
    assert resolver.find("alignment zebras", 1).fitting == 0
    assert resolver.find("Foucault 1975", 1).fitting == 1


@pytest.mark.parametrize(
    ("text", "paper_id"),
    [
        ("pmid:12345678", "med"),
        ("PMID: 12345678", "med"),
        ("pmcid:PMC555", "med"),
        ("isbn:0-262-03384-4", "book"),
        ("ISBN 978-0-262-03384-8", "book"),
        ("978-0-262-03384-8", "book"),
    ],
)
def test_numbers_of_catalogues(resolver: Resolver, text: str, paper_id: str) -> None:
    """A number of PubMed and an ISBN of either length name the paper that was published with it."""
    finding = resolver.find(text, 5)
    assert [paper.id for paper in finding.papers] == [paper_id]
    assert (finding.resolution.kind, finding.resolution.certain) == ("id", True)


def test_numbers_that_no_paper_has(resolver: Resolver) -> None:
    """Nothing is found for their digits."""
    assert resolver.find("pmid:99", 5).papers == ()
    assert resolver.find("isbn:978-3-16-148410-0", 5).papers == ()
