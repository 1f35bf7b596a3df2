"""The languages of titles, and texts that are not English."""

from __future__ import annotations

import pytest

from citewhy.text.languages import count_languages, is_english, language_of


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


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("de", "Zur Theorie der Moose"),
        ("de", "Grundlagen der Mechanik"),
        ("de", "Die Entstehung des Schattens im 19. Jahrhundert"),
        ("fr", "L’archéologie du jardin"),
        ("fr", "Les mots et les mousses"),
        ("fr", "La distinction des mousses : critique du jugement"),
        ("es", "La invención del musgo en los muros del norte"),
        ("es", "Historia de la filosofía"),
        ("pt", "A formação dos musgos: o imaginário da sombra"),
        ("pt", "Análise de dados em redes neurais"),
        ("it", "Storia della letteratura italiana"),
        ("it", "Il nome del muschio"),
        ("nl", "De geschiedenis van het Nederlandse landschap"),
        ("pl", "Wstęp do teorii literatury"),
        ("ru", "Введение в теорию мхов"),
        ("zh", "苔藓研究"),
        ("ja", "苔の研究"),
        ("en", "A note on moss"),
        ("en", "Being and shade"),
        ("en", "Non-linear models of moss in S"),
        ("en", "Learning to walk over challenging terrain"),
        ("en", "El Niño and the global climate"),
        ("en", "De novo assembly of genomes by van den Berg"),
        ("", "BERT"),
        ("", "Quaderni"),
        ("", "1984"),
    ],
)
def test_titles_tell_their_language(language: str, title: str) -> None:
    """A title has few function words; endings, letters and scripts help."""
    assert language_of(title) == language


def test_titles_that_do_not_tell_go_with_most() -> None:
    """A library in Italian has short titles, too."""
    titles = ["Il nome del muschio", "Storia della letteratura", "Quaderni", "A note on moss"]
    assert count_languages(titles) == {"it": 3, "en": 1}
    assert count_languages(["BERT"]) == {"en": 1}
    assert count_languages([]) == {}
