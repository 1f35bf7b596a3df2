"""Texts that are not English."""

from __future__ import annotations

import pytest

from citewhy.text.languages import is_english


@pytest.mark.parametrize(
    "text",
    [
        "Moose wachsen an Mauern, die nach Norden zeigen.",
        "Les mousses poussent sur des murs orientés au nord.",
        "Los musgos crecen en los muros que miran al norte.",
        "Os musgos crescem em muros que não recebem sol.",
        "I muschi crescono sui muri della città esposti a nord.",
        "Mossen groeien op muren die naar het noorden wijzen.",
        "Mossor växer på murar som vetter mot norr och är fuktiga.",
        "Mchy rosną na murach, które nie są oświetlone przez słońce.",
        "Мхи растут на северных стенах.",
        "苔藓生长在朝北的墙上。",
        "コケは北向きの壁に生える。",
        "Τα βρύα φυτρώνουν σε βόρειους τοίχους.",
    ],
)
def test_other_languages_are_told(text: str) -> None:
    """A sentence is enough."""
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Moss",
        "墙",
        "BERT, ELMo, XLNet und RoBERTa",
        "Mosses prefer shaded walls (van der Roe, de la Cruz, von Lee and di Marco, 2004).",
        "Schatten und Moos (shade and moss) are terms of the handbook.",
        "Deep nets learn dense features, de facto and in vitro.",
        "α β γ δ ∈ ℝ holds for x",
        "Die casting of des Moines walls needs som data.",
    ],
)
def test_english_with_foreign_names_and_words_is_english(text: str) -> None:
    """Nor is anything said of a few words."""
    assert is_english(text)
