"""Names in citation keys and in printed citations: organisations, compound surnames, particles, umlauts."""

from __future__ import annotations

import pytest

from citewhy.base.records import Name, Paper
from citewhy.text.markers import find, resolve
from citewhy.text.names import key_surnames, said

PEOPLE = {
    "bank": Name.literal("Bank of Inland Harbours"),
    "compound": Name("Ana", "Ríos Cantera"),
    "particle": Name("Jan", "Hoek", particle="van den"),
    "umlaut": Name("Uwe", "Grünberg"),
    "written out": Name("Uwe", "Gruenberg"),
}


@pytest.mark.parametrize(
    ("who", "forms"),
    [
        ("bank", {"bankofinlandharbours", "bih", "bank", "inland", "harbours"}),
        ("compound", {"cantera", "rioscantera", "rios"}),
        ("particle", {"hoek", "vandenhoek", "van", "hok", "vandenhok"}),
        ("written out", {"gruenberg", "grunberg"}),
    ],
)
def test_forms_in_keys(who: str, forms: set[str]) -> None:
    """The name as a whole and by its parts, and nothing of the given name."""
    assert set(key_surnames(PEOPLE[who])) == forms


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Bank of Inland Harbours (2015) counts ships.", "bank"),
        ("Ships are counted (BIH, 2015).", "bank"),
        ("Ríos Cantera (2015) counts ships.", "compound"),
        ("Ríos (2015) counts ships.", "compound"),
        ("Van den Hoek (2015) counts ships.", "particle"),
        ("Gruenberg (2015) counts ships.", "umlaut"),
        ("Grünberg (2015) counts ships.", "written out"),
    ],
)
def test_printed_names(text: str, who: str) -> None:
    """A printed citation means the paper by whichever form of the name it has."""
    papers = [Paper(who, "Ships", authors=(PEOPLE[who],), year=2015)]
    papers.append(Paper("other", "Ships", authors=(Name.literal("Guild of Outer Harbours"),), year=2015))
    meant = resolve(find(text)[0].groups[0], papers)
    assert meant is not None
    assert meant.id == who


def test_what_a_sentence_says() -> None:
    """Of an organisation its acronym: the last word of its name is no surname."""
    assert said(PEOPLE["bank"]) == ("bih",)
    assert said(PEOPLE["compound"]) == ("cantera", "rios")
    assert said("Ada Ashby") == ("ashby",)
