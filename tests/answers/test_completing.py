"""Which keys complete which letters."""

from __future__ import annotations

import pytest

from citewhy.answers.completing import completions
from citewhy.base.records import Paper, Reason, Suggestion

BOURDIEU = Paper("1", "Distinction: A Social Critique", authors=("Pierre Bourdieu",), year=1984)
FOUCAULT = Paper("2", "Discipline and Punish", authors=("Foucault, Michel",), year=1975)
LATOUR = Paper("3", "Laboratory Life", authors=("Bruno Latour", "Steve Woolgar"), year=1979)
MUELLER = Paper("4", "Socialist Figures", authors=("Jörg Müller",), year=1990)

ENTRIES = [("x1", BOURDIEU), ("discipline", FOUCAULT), ("x3", LATOUR), ("x4", MUELLER)]
RANKED = [
    Suggestion(LATOUR, 2.0, (Reason("order", "first"),), key="x3", in_bibliography=True, probability=0.5),
    Suggestion(Paper("5", "New", authors=("Ann Fox",)), 1.0, (Reason("order", "second"),), key="fox"),
]


def keys(letters: str, *, beside: tuple[str, ...] = (), k: int = 50) -> list[str]:
    return [one.key for one in completions(letters, RANKED, ENTRIES, beside, k)]


def test_without_letters_the_order_is_that_of_the_sentence_and_then_of_the_bibliography() -> None:
    assert keys("") == ["x3", "fox", "x1", "discipline", "x4"]
    assert keys("", k=2) == ["x3", "fox"]
    assert keys("", beside=("x3",)) == ["fox", "x1", "discipline", "x4"]


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("fo", ["fox", "discipline"]),
        ("fou", ["discipline"]),
        ("foucault75", []),
        ("Foucault1975", ["discipline"]),
        ("woo", ["x3"]),
        ("mul", ["x4"]),
        ("müll", ["x4"]),
        ("1984", ["x1"]),
        ("dis", ["discipline", "x1"]),
        ("soc", ["x1", "x4"]),
        ("scipl", ["discipline"]),
        ("zzz", []),
    ],
)
def test_letters_are_of_a_key_a_surname_a_year_or_a_word_of_the_title(
    letters: str, expected: list[str]
) -> None:
    assert keys(letters) == expected


def test_what_the_sentence_cites_elsewhere_comes_first_once_its_letters_are_typed() -> None:
    def listed(letters: str) -> list[str]:
        return [one.key for one in completions(letters, RANKED, ENTRIES, around=("discipline",))]

    assert listed("fo") == ["discipline", "fox"]
    assert listed("") == keys("")


def test_what_matched_is_told() -> None:
    (woolgar,) = completions("woo", RANKED, ENTRIES)
    assert (woolgar.matched, woolgar.in_bibliography, woolgar.probability) == ("woolgar", True, 0.5)
    (fox,) = completions("fox", RANKED, ENTRIES)
    assert not fox.in_bibliography
