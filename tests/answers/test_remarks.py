"""What is said of a text, and of titles, in another language."""

from __future__ import annotations

import pytest

from citewhy.answers.questions import remarks_on

ENGLISH = "Attention replaces recurrence in the translation of long sentences."
TITLES = [
    "The structure of scientific revolutions",
    "Die Verwandlung der Welt",
    "Zur Theorie des kommunikativen Handelns",
    "Les mots et les choses",
    "BERT",
]


def test_titles_in_other_languages() -> None:
    """They are counted once, with their languages; a title that tells none is not counted among them."""
    (said,) = remarks_on(ENGLISH, None, TITLES)
    counts = "3 of the 5 titles in the bibliography are not in English (2 in German, 1 in French)"
    assert said.startswith(f"{counts}: under an English text ")


@pytest.mark.parametrize(
    ("text", "encoder", "titles"),
    [(ENGLISH, None, TITLES[:1]), (ENGLISH, object(), TITLES), (ENGLISH, None, ())],
)
def test_nothing_to_say(text: str, encoder: object, titles: list[str]) -> None:
    """All are in English, or an encoder was chosen that may know other languages."""
    assert remarks_on(text, encoder, titles) == ()


def test_a_text_in_another_language() -> None:
    """It is said of the text, and not of the titles once more."""
    (said,) = remarks_on("Die Verwandlung der Welt ist nicht das Werk von einem.", None, TITLES)
    assert said.startswith("the text is in German, not in English")
