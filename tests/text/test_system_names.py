"""Names of systems and data sets, in titles, abstracts and sentences."""

from __future__ import annotations

import pytest

from citewhy.text.system_names import MOST_NAMES, introduced_names, spellings, title_names


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
    assert list(spellings("We use SemBLEU and GloVe, not words.")) == ["sembleu", "glove"]
    assert "bleu" not in spellings("SemBLEU")


def test_function_words_are_no_names() -> None:
    """Nor where a title has one before its colon."""
    assert introduced_names("What: a Question") == ()
    assert spellings("The IN of It") == {}


def test_names_of_the_title_alone() -> None:
    """What the abstract presents is not among them."""
    assert introduced_names("BERT: a Model", "We present BooksCorpus.") == ("bert", "bookscorpus")
    assert title_names("BERT: a Model") == ("bert",)


def test_names_keep_their_first_spelling() -> None:
    """By their folded form."""
    assert spellings("SQuAD, then SQUAD and 20NG.") == {"squad": "SQuAD", "20ng": "20NG"}


def test_names_are_bounded() -> None:
    """However many an abstract presents."""
    abstract = " ".join(f"We present NAME{number}." for number in range(100))
    assert len(introduced_names("", abstract)) == MOST_NAMES
