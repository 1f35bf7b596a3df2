"""Types of publications in several vocabularies."""

from __future__ import annotations

from typing import get_args

import pytest

from citewhy.base.publication_types import TYPES, Vocabulary, csl_type, type_in


def test_each_type_of_csl_has_one_row() -> None:
    """No type is written in two ways."""
    assert len({row.csl for row in TYPES}) == len(TYPES)


@pytest.mark.parametrize(
    ("name", "vocabulary", "csl"),
    [
        ("phdthesis", "bibtex", "thesis"),
        ("Misc", "bibtex", "document"),
        ("online", "biblatex", "webpage"),
        ("JOUR", "ris", "article-journal"),
        ("Book Section", "endnote", "chapter"),
        ("proceedings-article", "crossref", "paper-conference"),
        ("nonsense", "ris", ""),
    ],
)
def test_a_type_is_read_as_one_of_csl(name: str, vocabulary: Vocabulary, csl: str) -> None:
    """Names are read in any case; one that is not known gives none."""
    assert csl_type(name, vocabulary) == csl


@pytest.mark.parametrize("vocabulary", get_args(Vocabulary))
def test_a_type_that_is_written_is_read_again(vocabulary: Vocabulary) -> None:
    """What is written for a type is read as a type that is written the same."""
    for row in TYPES:
        name = type_in(row.csl, vocabulary)
        assert type_in(csl_type(name, vocabulary), vocabulary) == name


def test_an_unknown_type_is_written_as_a_document() -> None:
    """No entry is without a type."""
    assert type_in("", "bibtex") == "misc"
    assert type_in("no such type", "ris") == "GEN"
