"""Lists of people on one line."""

from __future__ import annotations

import pytest
from growth import assert_linear

from citewhy.text.listed_names import people, turned


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lee, Ann; van der Roe, Bo", ("Ann Lee", "Bo van der Roe")),
        ("Lee, Ann", ("Ann Lee",)),
        ("Ann Lee, Bo Roe, Cy Doe", ("Ann Lee", "Bo Roe", "Cy Doe")),
        ("Ann Lee, Bo Roe and Cy Doe", ("Ann Lee", "Bo Roe", "Cy Doe")),
        ("Lee A., van der Roe B.C., Doe J.-P.", ("A. Lee", "B.C. van der Roe", "J.-P. Doe")),
        ("Lee AB, Roe C", ("AB Lee", "C Roe")),
        ("Lee A.", ("A. Lee",)),
        ("Ann Lee & Bo Roe", ("Ann Lee", "Bo Roe")),
        ("Ann Lee|Bo Roe", ("Ann Lee", "Bo Roe")),
        ("King, Jr., Martin Luther", ("Martin Luther King Jr.",)),
        ("Lee, A.; et al.", ("A. Lee",)),
        ("World Health Organization", ("World Health Organization",)),
        ("Plato", ("Plato",)),
        ("", ()),
        (" ; , ", ()),
    ],
)
def test_lists(text: str, names: tuple[str, ...]) -> None:
    """Semicolons, bars, "and" and commas; a family name with initials behind it is turned round."""
    assert people(text) == names


def test_one_name() -> None:
    """Only initials are turned: "Yo La" is no family name with an initial."""
    assert turned("Lee AB") == "AB Lee"
    assert turned("Ann Lee") == "Ann Lee"
    assert turned("J. R. R. Tolkien") == "J. R. R. Tolkien"


@pytest.mark.parametrize("unit", ["Lee A., ", "; ", " and ", "A", "a b, "])
def test_no_list_takes_long(unit: str) -> None:
    """Work grows with the length of the list."""
    assert_linear(people, unit)
