"""BibTeX that styles and people can use."""

from __future__ import annotations

import pytest

from citewhy.present import as_bibtex
from citewhy.records import Paper


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
        ("", "misc"),
    ],
)
def test_the_kind_follows_the_venue(venue: str, kind: str) -> None:
    """Meetings have proceedings; anything else that has a name is taken for a journal."""
    assert as_bibtex.entry(Paper("a", "T", venue=venue), "a").startswith(f"@{kind}{{a,")


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
