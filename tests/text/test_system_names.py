"""Names of systems and data sets, in titles, abstracts and sentences."""

from __future__ import annotations

import pytest

from citewhy.text.system_names import MOST_NAMES, introduced_names, names_in


@pytest.mark.parametrize(
    ("title", "abstract", "names"),
    [
        ("BERT: Pre-training of Deep Bidirectional Transformers", "", ("bert",)),
        ("BLEU: a Method for Automatic Evaluation", "", ("bleu",)),
        ("The Stanford Question Answering Dataset (SQuAD)", "", ("squad",)),
        ("Parsing", "In this paper we introduce HotpotQA, a new data set.", ("hotpotqa",)),
        ("Parsing", "We present a system called MaltParser.", ("maltparser",)),
        ("Parsing", "We present Results on trees.", ()),  # one capital is no sign in running text
        ("Trees and their use", "", ()),
        ("introduction: a note", "", ()),
        ("Machine Translation: A Survey", "", ()),  # two words before the colon are a topic
        ("", "", ()),
    ],
)
def test_introduced_names(title: str, abstract: str, names: tuple[str, ...]) -> None:
    """A title names before a colon or in brackets; an abstract where it presents something with a marked
    name."""
    assert introduced_names(title, abstract) == names


def test_names_are_whole_words() -> None:
    """SemBLEU is another name than BLEU; common words without a capital or a digit are none."""
    assert names_in("We use SemBLEU and GloVe, not words.") == ("we", "sembleu", "glove")
    assert "bleu" not in names_in("SemBLEU")


def test_names_are_bounded() -> None:
    """However many an abstract presents."""
    abstract = " ".join(f"We present NAME{number}." for number in range(100))
    assert len(introduced_names("", abstract)) == MOST_NAMES
