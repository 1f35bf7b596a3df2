"""BibTeX that styles and people can use."""

from __future__ import annotations

import pytest

from citewhy.base.records import Paper
from citewhy.writers import bibtex as as_bibtex
from citewhy.writers import csl as as_csl
from citewhy.writers import hayagriva as as_hayagriva
from citewhy.writers import ris as as_ris


def test_an_entry() -> None:
    """Fields in a fixed order, capitals protected, accents as macros, addresses as they stand."""
    paper = Paper(
        "W05-0620",
        "Introduction to the CoNLL-2005 Shared Task: 50% more Roles",
        authors=("Xavier Carreras", "Lluís Màrquez"),
        year=2005,
        venue="Proceedings of CoNLL & Friends",
        doi="10.1000/a_b",
        url="https://aclanthology.org/W05-0620",
    )
    assert as_bibtex.entry(paper, "carreras2005") == (
        "@inproceedings{carreras2005,\n"
        "  title     = {Introduction to the {CoNLL}-2005 Shared Task: 50\\% more Roles},\n"
        "  author    = {Carreras, Xavier and M{\\`a}rquez, Llu{\\'i}s},\n"
        "  booktitle = {Proceedings of CoNLL \\& Friends},\n"
        "  year      = {2005},\n"
        "  doi       = {10.1000/a_b},\n"
        "  url       = {https://aclanthology.org/W05-0620}\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("venue", "kind"),
    [
        ("Proceedings of ACL", "inproceedings"),
        ("Findings of EMNLP", "inproceedings"),
        ("Computational Linguistics", "article"),
        ("Proceedings of the National Academy of Sciences", "article"),
        ("Proceedings of the National Academy of Sciences of the United States of America", "article"),
        ("Proceedings of the Royal Society of London. Series B, Biological Sciences", "article"),
        ("Proceedings of the American Mathematical Society", "article"),
        ("Proceedings of the IEEE", "article"),
        ("Proceedings of the ACM on Programming Languages", "article"),
        ("Proceedings of the IEEE Conference on Computer Vision", "inproceedings"),
        ("Proceedings of the Annual Meeting of the Cognitive Science Society", "inproceedings"),
        ("Proceedings of the 5th Society of Trees", "inproceedings"),
        (
            "Proceedings of the International Society for Music Information Retrieval Conference",
            "inproceedings",
        ),
        ("Advances in Neural Information Processing Systems (NeurIPS)", "inproceedings"),
        ("University of Chicago Press", "book"),
        ("Presses universitaires de France", "book"),
        ("The MIT Press", "book"),
        ("Springer", "book"),
        ("Springer-Verlag New York", "book"),
        ("John Wiley & Sons, Inc.", "book"),
        ("Farrar, Straus and Giroux", "book"),
        ("W. W. Norton & Company", "book"),
        ("New York Review of Books", "article"),
        ("Sage Open Journal", "article"),
        ("Springer Tracts", "article"),
        ("Oxford Handbook of Innovation", "incollection"),
        ("Stanford University", "misc"),
        ("Massachusetts Institute of Technology", "misc"),
        ("Stanford University Journal of Law", "article"),
        ("NBER Working Paper 12", "misc"),
        ("https://example.org/data", "misc"),
        ("Nature", "article"),
        ("", "misc"),
    ],
)
def test_the_kind_follows_the_venue(venue: str, kind: str) -> None:
    """Meetings have proceedings, and academies journals of this name; a publisher has books; an institution
    or an address is no journal. Anything else that has a name is taken for one."""
    assert as_bibtex.entry(Paper("a", "T", venue=venue), "a").startswith(f"@{kind}{{a,")


def test_a_publisher_is_no_journal() -> None:
    """In any format, it has a field of its own."""
    paper = Paper("a", "Trees", venue="University of Chicago Press")
    assert "  publisher = {University of Chicago Press}" in as_bibtex.entry(paper, "a")
    assert "TY  - BOOK" in as_ris.entry(paper)
    assert "PB  - University of Chicago Press" in as_ris.entry(paper)
    item = as_csl.entry(paper)
    assert (item["type"], item["publisher"]) == ("book", "University of Chicago Press")
    assert "type: book\n" in as_hayagriva.entry(paper, "a")
    assert '  publisher: "University of Chicago Press"\n' in as_hayagriva.entry(paper, "a")


def test_a_doi_with_an_isbn_is_of_a_book() -> None:
    """What appeared in it is a chapter."""
    paper = Paper("a", "Trees", venue="Forests of the North", doi="10.1007/978-3-540-77058-9_52")
    assert as_bibtex.entry(paper, "a").startswith("@incollection{a,")


@pytest.mark.parametrize(
    ("author", "written"),
    [
        ("Jan van der Berg", "van der Berg, Jan"),
        ("Martin Luther King Jr.", "King, Jr., Martin Luther"),
        ("Plato", "Plato"),
        ("Barnes and Noble", "{Barnes and Noble}"),
        ("Amazon.com, Inc.", "{Amazon.com, Inc.}"),
        ("others", "{others}"),
    ],
)
def test_names_are_written_so_that_bibtex_cannot_misread_them(author: str, written: str) -> None:
    """Inverted where the parts are plain, in braces where BibTeX would take them apart."""
    assert f"author    = {{{written}}}" in as_bibtex.entry(Paper("a", "T", authors=(author,)), "a")


@pytest.mark.parametrize(
    ("key", "clean"), [("P02-1040", "P02-1040"), ("10.1/a b{c},d", "10.1/a-b-c-d"), ("{}", "unnamed")]
)
def test_keys_are_clean(key: str, clean: str) -> None:
    """No character that would end a key or start something else."""
    assert as_bibtex.entry(Paper("a", "T"), key).startswith(f"@misc{{{clean},\n")
