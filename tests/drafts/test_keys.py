"""Keys of new bibliography entries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.records import Paper
from citewhy.drafts.edit.bibliography_file import new_key


@pytest.mark.parametrize(
    ("title", "authors", "year", "key"),
    [
        (
            "BLEU: a Method for Automatic Evaluation",
            ("Kishore Papineni", "Salim Roukos"),
            2002,
            "papineni2002bleu",
        ),
        ("A Neural Attention Model", ("Jan van der Berg",), 2015, "berg2015neural"),
        ("On the 20 Newsgroups", ("Jordan Boyd-Graber",), 2009, "boydgraber2009newsgroups"),
        ("Über das Parsen", ("Jan Šnajder",), 2010, "snajder2010uber"),
        ("Łódź", ("Øystein Łoś",), 2011, "los2011lodz"),
        ("Tree", ("王小明", "Bo Li"), 2012, "li2012tree"),
        ("依存", ("王小明",), 2012, "2012"),
        ("1984", ("Ann Lee",), None, "lee1984"),
        ("", (), None, "paper"),
    ],
)
def test_key_of_a_paper(title: str, authors: tuple[str, ...], year: int | None, key: str) -> None:
    """First surname, year, first significant title word, in lower-case ASCII; what is unknown is left out."""
    assert new_key(Paper("x", title, authors=authors, year=year), ()) == key


def test_taken_keys_get_a_letter() -> None:
    """Letters go on after z, and case does not count: BibTeX does not tell Lee2000A from lee2000a."""
    paper = Paper("x", "Tree", authors=("Ann Lee",), year=2000)
    taken: set[str] = {"LEE2000TREE"}
    for _ in range(28):
        taken.add(new_key(paper, taken))
    assert {"lee2000treea", "lee2000treez", "lee2000treeaa", "lee2000treeab"} <= taken
    assert len(taken) == 29


@given(
    title=st.text(),
    authors=st.lists(st.text()).map(tuple),
    year=st.none() | st.integers(1, 9999),
    taken=st.sets(st.text(alphabet="leE2a", max_size=6)),
)
def test_keys_are_ascii_and_free(
    title: str, authors: tuple[str, ...], year: int | None, taken: set[str]
) -> None:
    """Whatever the paper, its key is ASCII letters and digits, and nobody has it."""
    key = new_key(Paper("x", title, authors=authors, year=year), taken)
    assert key.isascii()
    assert key.isalnum()
    assert key == key.lower()
    assert key not in {other.casefold() for other in taken}
