"""What is said of the first author and the sentence is so."""

from __future__ import annotations

import pytest

from citewhy.base.records import Paper
from citewhy.ranking.explain.first_author import first_author_in

KING = Paper("king", "The Faerie Leveller", authors=("John N. King",))
YOUNG = Paper("young", "Dialogue", authors=("Steve Young", "Ann Lee"))
FDR = Paper("fdr", "False Discovery", authors=("Yoav Benjamini", "Yosef Hochberg"))
DOUBLE = Paper("bg", "Topics", authors=("Jordan Boyd-Graber",))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("This follows King, who disagrees.", KING),
        ("King's reading is older.", KING),
        ("Young and Lee train it.", YOUNG),
        ("Young et al. train it.", YOUNG),
        ("Benjamini TARGETCIT tests it.", FDR),
        ("It was trained by Young Lee.", YOUNG),
        ("The Benjamini-Hochberg procedure was used.", FDR),
        ("E. B. King writes of it.", KING),
        ("As Boyd-Graber shows, it works.", DOUBLE),
    ],
)
def test_a_person(text: str, found: Paper) -> None:
    """The word cannot be another: by its place, or by what follows."""
    assert first_author_in(text, found) == f"the sentence names its first author, {found.authors[0]}"


@pytest.mark.parametrize(
    ("text", "found", "word"),
    [
        ("McGuire explores the end of King Lear in both texts.", KING, "King"),
        ("King penguins like fish.", KING, "King"),
        ("Older ones do not. “King penguins do.”", KING, "King"),
        ("It is liked TARGETCIT King penguins like it", KING, "King"),
    ],
)
def test_a_word(text: str, found: Paper, word: str) -> None:
    """The beginning of a sentence, or a part of another name: nobody is said to be named."""
    claim = f"the sentence has the word “{word}”, the surname of its first author, {found.authors[0]}"
    assert first_author_in(text, found) == claim


@pytest.mark.parametrize(
    "text",
    [
        "Young people like it.",
        "“Young ones do.”",
        "Liked TARGETCIT Young people do",
        "Young TARGETCIT is it.",
    ],
)
def test_an_ordinary_word(text: str) -> None:
    """It has its capital by its place, and says nothing of anybody."""
    assert first_author_in(text, YOUNG) == ""


def test_a_word_that_the_text_around_has_in_small_letters() -> None:
    """It is a word of this text, whatever the language says."""
    assert first_author_in("King penguins like fish.", KING, "The king penguin is large.") == ""


@pytest.mark.parametrize("text", ["The young king is here.", "Kingdoms fall.", "TARGETCIT shows", ""])
def test_nobody(text: str) -> None:
    """Without a capital, inside another word, or where no author is known."""
    assert first_author_in(text, KING) == ""
    assert first_author_in(f"King and {text}", Paper("x", "T")) == ""
