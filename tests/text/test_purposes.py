"""Words for the purpose of a citation, and whose work is cited."""

from __future__ import annotations

import pytest

from citewhy.text.own_work import is_own_work
from citewhy.text.purposes import purposes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We leave this for future work.", {"future"}),
        ("This was motivated by TARGETCIT.", {"motivation"}),
        ("Here TARGETCIT is extended to trees.", {"extension"}),
        ("Unlike TARGETCIT, it needs no trees.", {"comparison"}),
        ("We USED the corpus of TARGETCIT.", {"use"}),
        ("Grammars were induced from text TARGETCIT.", set()),
        ("The usefulness of futures, a likeness.", set()),
    ],
)
def test_purposes(text: str, expected: set[str]) -> None:
    """In any case of the letters, as whole words only."""
    assert set(purposes(text)) == expected


@pytest.mark.parametrize(
    ("citation", "own"),
    [
        ("(Wang and Ng, 2011)", True),
        ("Ng (2011)", True),
        ("Rosé 2000", True),
        ("(van der Berg, 1999)", True),
        ("(Ngo et al., 2011)", False),
        ("[3]", None),
        ("(2003)", None),
    ],
)
def test_own_work(citation: str, own: bool | None) -> None:
    """By the whole family name of any author, with or without accents; a number names nobody."""
    authors = ("Pidong Wang", "Ng, Hwee Tou", "Carolyn Penstein Rose", "Jan van der Berg")
    assert is_own_work(citation, authors) == own


def test_nobody_is_known() -> None:
    assert is_own_work("(Wang and Ng, 2011)", ()) is None
