"""Names in author fields of BibTeX and biblatex."""

from __future__ import annotations

import pytest

from citewhy.base.records import Name
from citewhy.text.bibtex_values import people


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("Orr, Nils and Kay Lind", [Name("Nils", "Orr"), Name("Kay", "Lind")]),
        ("van der Aa, Piet", [Name("Piet", "Aa", "van der")]),
        ("Piet van der Aa", [Name("Piet", "Aa", "van der")]),
        ("Aa, Piet van der", [Name("Piet", "Aa", dropping="van der")]),
        ("De Groot, Ida and Van den Bosch, A.", [Name("Ida", "De Groot"), Name("A.", "Van den Bosch")]),
        ("Ruiz Soler, Luc{\\'i}a", [Name("Lucía", "Ruiz Soler")]),
        ("Luc{\\'i}a {Ruiz Soler}", [Name("Lucía", "Ruiz Soler")]),
        ("Ponce de Prado, Juan", [Name("Juan", "Ponce de Prado")]),
        ("Ana Costa y Prado", [Name("Ana", "Costa y Prado")]),
        ("Reed, Jr., Tom", [Name("Tom", "Reed", suffix="Jr.")]),
        ("Reed III, Tom", [Name("Tom", "Reed", suffix="III")]),
        ("{\\v S}ima, {\\c{C}}{\\u a}lin", [Name("Çălin", "Šima")]),
        ("{Fern{\\' a}ndez}, J.", [Name("J.", "Fernández")]),
        ("J. d'Orme", [Name("J.", "d'Orme")]),
        ("ada lund", [Name("ada", "lund")]),
    ],
)  # fmt: skip
def test_parts(field: str, names: list[Name]) -> None:
    """Small words are particles, before the family name or after the given one; large words and what stands
    in braces belong to the family name."""
    parsed = people(field)
    assert parsed == tuple(names)
    assert [(name.given, name.family, name.particle, name.suffix, name.dropping) for name in parsed] == [
        (name.given, name.family, name.particle, name.suffix, name.dropping) for name in names
    ]


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("{Board of Rivers and Lakes}", ["Board of Rivers and Lakes"]),
        ("{Moss, Fern and Co.} and Lee, Ann", ["Moss, Fern and Co.", "Ann Lee"]),
        ("{{Board of Rivers}}", ["Board of Rivers"]),
        ("Ministry of Tides", ["Ministry of Tides"]),
        ("Moss {\\&} Sons", ["Moss & Sons"]),
        ("Tide Collaboration and Lee, Ann", ["Tide Collaboration", "Ann Lee"]),
        ("R Core Team", ["R Core Team"]),
        ("The European Parliament", ["The European Parliament"]),
        ("the packages Fern", ["the packages Fern"]),
        ("Moss Research, Inc.", ["Moss Research, Inc."]),
        ("University of Lakes, Hill", ["University of Lakes, Hill"]),
    ],
)
def test_organisations(field: str, names: list[str]) -> None:
    """What is wholly in braces, or has a word that no person's name has, is one whole."""
    parsed = people(field)
    assert list(parsed) == names
    assert parsed[0].is_literal


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("Orr, N.; Lind, K.", ("N. Orr", "K. Lind")),
        ("Orr, Nils; and Lind, Kay; and Roe, Bo", ("Nils Orr", "Kay Lind", "Bo Roe")),
        ("Nils Orr; Kay Lind; Bo Roe", ("Nils Orr", "Kay Lind", "Bo Roe")),
        ("Orr, N. & Lind, K.", ("N. Orr", "K. Lind")),
        ("Orr, N. \\& Lind, K.", ("N. Orr", "K. Lind")),
        ("M&uuml;ller, Ada", ("Ada Müller",)),
        ("Orr, N. AND others", ("N. Orr",)),
        ("family=Aa, given=Piet, prefix=van, useprefix=true and Poe, Kim", ("Piet van Aa", "Kim Poe")),
        ('given="Jean, Paul", family={Orr and Lind}', ("Jean, Paul Orr and Lind",)),
    ],
)
def test_separators(field: str, names: tuple[str, ...]) -> None:
    """People write semicolons and ampersands for "and", too; biblatex has names by parts, in any order."""
    assert people(field) == names


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("A. Orr et al.", ("A. Orr",)),
        ("Orr, Ada, et al. and Lee, Ann", ("Ada Orr", "Ann Lee")),
        ("Le Quay et al, Corinne", ("Corinne Le Quay",)),
        ("Orr, Ada and Lee, Ann and", ("Ada Orr", "Ann Lee")),
        ("Reed, Tom, III", ("Tom Reed III",)),
        ("Jean des Lacs", ("Jean des Lacs",)),
        ("Wilson, AG and Smith, S.A. and Bell, Co", ("AG Wilson", "S.A. Smith", "Co Bell")),
    ],
)
def test_what_is_no_part_of_a_name(field: str, names: tuple[str, ...]) -> None:
    """Others who are not named are nobody's family name, a suffix is one wherever it stands, and initials
    that are also the name of a kind of company belong to a person."""
    parsed = people(field)
    assert parsed == names
    assert all(name.family for name in parsed)


def test_a_prefix_that_is_not_used_falls_away() -> None:
    """As biblatex's ``useprefix=false`` says."""
    (name,) = people("prefix=von, family=Orr, useprefix=false, given=Nils, suffix=Jr.")
    assert (str(name), name.particle, name.dropping) == ("Nils von Orr Jr.", "", "von")


def test_a_long_name_takes_time_in_proportion() -> None:
    """Many small words are no reason to wait."""
    assert len(people("a " * 50_000 + "B")) == 1
