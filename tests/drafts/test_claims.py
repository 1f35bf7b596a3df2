"""Which sentences of a draft may need a citation, and what is no running text."""

from __future__ import annotations

import pytest

from citewhy.drafts import read_files
from citewhy.drafts.claims import claims, neighbours
from citewhy.text.claims import is_of_body, may_need_citation, needs_none

CLAIM = "Neural parsers have become the standard in recent years."


def texts(files: dict[str, str]) -> list[str]:
    return [claim.sentence.text for claim in claims(read_files(files, None))]


@pytest.mark.parametrize(
    ("text", "may"),
    [
        (CLAIM, True),
        ("We use the parser of the group in Prague.", True),
        ("We show that our parser is better than all.", False),
        ("In this paper we describe a parser of trees.", False),
        ("Our results are better than those of all the others.", False),
        ("To our knowledge, there is nothing like it in parsing.", False),
        ("Figure 3: The trees that the parser finds.", False),
        ("The trees are listed in Table 2 by their size.", False),
        ("What does a parser need to know of trees?", False),
        ("Too short a claim.", False),
        ("and it begins in the middle of a sentence.", False),
        ("1.3 2.4 5.6 7.8 9.0 1.2 3.4 MATH MATH MATH.", False),
    ],
)
def test_what_a_review_is_silent_about(text: str, may: bool) -> None:
    assert may_need_citation(text) == may


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The parsers of all these groups are listed in.", "pointer"),
        ("The remainder of this thesis is about trees.", "self"),
        ("The method that is presented here is about trees.", "self"),
        ("Since trees grow, we water them once a day.", "own"),
        ("The trees were carefully measured with a ruler.", "own"),
        ("Future work may be about trees in winter.", "outlook"),
        ("Other trees could be studied with more care.", "outlook"),
        ("Therefore, the trees of this kind are rare.", "argument"),
        ("They also found that trees are of this kind.", "continuation"),
        (CLAIM, ""),
        ("Input and output (I/O) are slow in trees.", ""),
        ("So-called suffix trees are widely used for it.", ""),
        ("It has been shown that trees are useful.", ""),
        ("As can be seen from, trees are green.", "pointer"),
        ("Trees are described in section , and leaves in and.", "pointer"),
        ("In a distributed hash table, all trees are leaves.", ""),
        ("By and large, trees of this kind are rare.", ""),
        ("Such is the forest that the trees are drawn from.", ""),
        ("The memory of trees is taken with malloc() alone.", ""),
        ("In this case I also think of other trees.", "own"),
        ("Type I errors of trees are made by all.", ""),
        ("Since World War I was lost, trees are rare.", ""),
        ("A phase I trial has shown that trees are green.", ""),
        ("The trees and data are available upon request.", "own"),
        ("Skip lists are available in most of the forests.", ""),
        ("Trees were trained on these leaves by many groups.", ""),
    ],
)
def test_why_a_sentence_needs_no_citation(text: str, why: str) -> None:
    """Wherever it stands."""
    assert needs_none(text) == why


@pytest.mark.parametrize("heading", ["Results", "Experimental Setup", "Proof of the Theorem", "Aims of It"])
def test_parts_in_which_authors_say_what_they_found(heading: str) -> None:
    assert needs_none(CLAIM, heading) == "own"
    for other in ("Related Work", "Related Results", "Known results"):
        assert needs_none(CLAIM, other) == ""


def test_one_person_is_who_was_just_cited() -> None:
    for text, why in (("In her view, trees grow.", "continuation"), ("One asks his or her physician.", "")):
        assert needs_none(text, after_citation=True) == why
        assert needs_none(text) == ""


@pytest.mark.parametrize(
    "start", ["It has", "Their tool has", "In this framework, a parser has", "The method has"]
)
def test_more_of_a_work_that_was_just_cited(start: str) -> None:
    """Of a paragraph, it goes on behind a citation alone; a new paragraph does not."""
    more, cites = f"{start} a tree of its own.", "It is known that trees are useful [@lee]."
    assert texts({"a.md": f"# A\n\n## One\n\n{cites} {more} {CLAIM} {more}\n\n{cites}\n\n{more}\n"}) == [
        *(CLAIM, more, more)
    ]


@pytest.mark.parametrize("heading", ["Abstract", "Acknowledgements", "References", "List of Figures"])
def test_parts_without_citations(heading: str) -> None:
    assert not is_of_body(heading)
    assert is_of_body("Related Work")


def test_sentences_that_cite_are_no_claims() -> None:
    cites = "It is known that trees are useful [@lee]."
    third = "A third one has no sense at all."
    assert texts({"a.md": f"# A\n\n## One\n\n{CLAIM} {cites} {third}\n"}) == [CLAIM, third]


@pytest.mark.parametrize(
    ("name", "draft"),
    [
        (
            "a.tex",
            "\\documentclass{article}\\begin{document}\\begin{abstract}%s\\end{abstract}\\section{One}%s"
            "\\footnote{%s}\\begin{figure}\\caption{%s}\\end{figure}\\section*{Acknowledgements}%s\\end{document}",
        ),
        (
            "a.md",
            "# T\n\n## Abstract\n\n%s\n\n## One\n\n%s^[%s]\n\n![%s](a.png)\n\n## Thanks\n\n%s\n",
        ),
        (
            "a.typ",
            '= Abstract\n%s\n\n= One\n%s#footnote[%s]\n\n#figure(image(""), caption: [%s])\n\n= Thanks\n%s\n',
        ),
        ("a.org", "* Abstract\n%s\n\n* One\n%s[fn:: %s]\n\n#+CAPTION: %s\n[[a.png]]\n\n* Thanks\n%s\n"),
    ],
)
def test_abstract_notes_captions_and_thanks_are_left_out(name: str, draft: str) -> None:
    """Of five sentences in every format, only that of the running text."""
    words = ("first", "second", "third", "fourth", "fifth")
    sentences = tuple(f"The {word} of all parsers is known to be slow." for word in words)
    assert texts({name: draft % sentences}) == [sentences[1]]


def test_neighbours_with_their_citations() -> None:
    """Those of the paragraph, in whatever way they cite; none before the first and after the last."""
    text = "One cites [@a; @b] here. Two cites nothing at all.\n\nAs @c says."
    draft = read_files({"a.md": text}, None)
    first, other = draft.paragraphs
    assert neighbours(first, 0) == ("", "Two cites nothing at all.")
    assert neighbours(first, 1) == ("One cites [1] here.", "")
    assert neighbours(other, 0) == ("", "")


def test_surroundings_of_claims() -> None:
    """A draft with citations tells where they are; one without any tells nothing."""
    cited = " ".join(f"It is known that trees of kind {n} are useful [@k{n}]." for n in range(6))
    (claim,) = claims(read_files({"a.md": f"## One\n\n{cited} {CLAIM}\n"}, None))
    told = claim.in_context.surroundings
    assert told is not None
    assert (told.since, told.part_share, told.document_share) == (1, 1, 1)
    for bare in claims(read_files({"a.md": f"## One\n\n{CLAIM} {CLAIM}\n"}, None)):
        assert bare.in_context.surroundings is None
