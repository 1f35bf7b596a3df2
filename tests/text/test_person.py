"""Parts of names."""

from __future__ import annotations

import pytest

from citewhy.base.records import Name
from citewhy.text.person import can_invert, name_of, parts


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Kishore Papineni", Name("Kishore", "Papineni")),
        ("Jan van der Berg", Name("Jan", "Berg", "van der")),
        ("Martin Luther King Jr.", Name("Martin Luther", "King", suffix="Jr.")),
        ("Martin Luther King, Jr.", Name("Martin Luther", "King", suffix="Jr.")),
        ("Plato", Name("", "Plato")),
        ("Hal Daumé III", Name("Hal", "Daumé", suffix="III")),
        ("van Noord", Name("", "Noord", "van")),
        ("III", Name("", "III")),
        ("", Name("", "")),
    ],
)
def test_a_name_has_parts(name: str, expected: Name) -> None:
    """The last word is the family name; particles before it and a suffix after it stand apart."""
    assert parts(name) == expected
    assert str(parts(name)) == " ".join(name.replace(",", " ").split())


@pytest.mark.parametrize(
    ("inverted", "name"),
    [
        ("Papineni, Kishore", "Kishore Papineni"),
        ("van der Berg, Jan", "Jan van der Berg"),
        ("King, Martin Luther, Jr.", "Martin Luther King Jr."),
        ("King, Jr.", "King Jr."),
        ("Plato", "Plato"),
        ("Plato,", "Plato"),
        ("  Doe ,  Jane ", "Jane Doe"),
    ],
)
def test_an_inverted_name_is_turned(inverted: str, name: str) -> None:
    """ "Last, First, Suffix" becomes "First Last Suffix"; a name without a comma stays."""
    assert name_of(inverted) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smith, S.A.", Name("S.A.", "Smith")),
        ("Wilson, AG", Name("AG", "Wilson")),
        ("Beethoven, Ludwig van", Name("Ludwig", "Beethoven", dropping="van")),
        ("Martin Luther King, Jr.", Name("Martin Luther", "King", suffix="Jr.")),
        ("Moss and Fern, Inc.", Name.literal("Moss and Fern, Inc.")),
        ("Ministère des Lacs", Name.literal("Ministère des Lacs")),
    ],
)
def test_parts_of_an_inverted_name_and_organisations(text: str, expected: Name) -> None:
    """Initials are a person's, particles after the first name fall away, and a company is one whole."""
    name = name_of(text)
    assert isinstance(name, Name)
    assert name.__reduce__() == expected.__reduce__()


def test_others_are_nobody() -> None:
    """What stands for people who are not named is no name."""
    assert [name_of(text) for text in ("et al.", "others", "[Anonymous]", "")] == ["", "", "", ""]


def test_a_company_cannot_be_inverted() -> None:
    """A comma before anything but a suffix belongs to the name."""
    assert not can_invert("Amazon.com, Inc.")
    assert can_invert("Martin Luther King, Jr.")
    assert can_invert("World Health Organization")
