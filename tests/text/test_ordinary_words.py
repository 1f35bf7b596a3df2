"""Which words have a capital by their place alone, and which are names."""

from __future__ import annotations

import pytest

from citewhy.text.ordinary_words import is_ordinary, ordinary_words

NAMES = ("See", "Early", "Note", "Best", "May", "Price", "Long", "Further", "Recent", "Young", "Green")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "{} TARGETCIT.",
        "{}, e.g., TARGETCIT, .",
        "It rises. {} work is older.",
        "It rises OTHERCIT {} work is older.",
        "It rises ({} TARGETCIT).",
        "It rises: “{} work is older.”",
        "It rises (cf. {} work, TARGETCIT).",
        "It rises; see also {} work TARGETCIT",
    ],
)
def test_a_capital_by_place(text: str, name: str) -> None:
    """At the beginning of a sentence, a bracket, a quotation or a remark an ordinary word is no name."""
    assert name.lower() in ordinary_words(text.format(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "{} et al. rise.",
        "{} and Chen show it.",
        "{}'s tables are older.",
        "E. B. {} shows it.",
        "As {} shows, it rises.",
        "It was {} who showed it.",
        "{} work; as {} says.",
    ],
)
def test_a_name(text: str, name: str) -> None:
    """By what follows it, by its place inside a sentence, or by one such occurrence."""
    assert name.lower() not in ordinary_words(text.format(name, name))


def test_a_part_of_a_longer_name() -> None:
    """Every word of "Long Short-Term Memory" has a capital; "Long Chen" is a person."""
    assert "long" in ordinary_words("We train a Long Short-Term Memory network.")
    assert "long" not in ordinary_words("It was shown by Long Chen.")


def test_other_surnames_are_names_anywhere() -> None:
    """Unless the text has the same word in small letters."""
    assert ordinary_words("Chen TARGETCIT shows it. Kőszegi does, too.") == frozenset()
    assert ordinary_words("Zebu TARGETCIT are cattle.", "A zebu has a hump.") == {"zebu"}


def test_the_list() -> None:
    """It has words that are mostly written in small letters, and no surnames that are hardly words."""
    assert all(map(is_ordinary, ("see", "however", "price")))
    assert not any(map(is_ordinary, ("chen", "smith", "brown", "papineni", "markov", "")))
