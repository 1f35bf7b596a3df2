"""What citation keys consist of, and how well they describe a paper."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.answers.resolve.fit import Described, Fit
from citewhy.answers.resolve.keys import key_parts
from citewhy.base.records import Name, Paper

PAPER = Paper(
    "x",
    "The Curious Case of Neural Text Degeneration",
    "We propose Nucleus Sampling.",
    ("Ari Holtzman", "Jan Buys", "Li Du"),
    2020,
    "International Conference on Learning Representations",
)


@pytest.mark.parametrize(
    ("key", "words", "years"),
    [
        ("och2003minimum", ("och", "minimum"), {2003}),
        ("Müller:etal-98", ("muller", "etal"), {1998}),
        ("koehn2003b", ("koehn",), {2003}),
        ("HuZEB14", ("hu", "zeb"), {2014}),
        ("su:2009:1592474.1722966", ("su",), {2009}),
        ("word2vec", ("word", "vec"), set()),
        ("", (), set()),
    ],
)
def test_parts(key: str, words: tuple[str, ...], years: set[int]) -> None:
    """Letters and digits, capitals and small letters are separated; only years count among the digits."""
    parts = key_parts(key)
    assert (parts.words, set(parts.years)) == (words, years)


def fit(key: str) -> Fit:
    return Described(PAPER).fit(key_parts(key))


def test_what_parts_stand_for() -> None:
    """Authors, words of the title, and what stands for nothing that is known of the paper."""
    assert fit("holtzman2020curious") == Fit(first_author=True, lead=1, dated=True)
    assert fit("holtzman-buys-du-2020") == Fit(first_author=True, coauthors=2, dated=True)
    assert fit("HoltzmanBD20") == Fit(first_author=True, coauthors=1, dated=True)
    assert fit("holtzman20text") == Fit(first_author=True, title=1, dated=True)
    assert fit("holtzman19degen") == Fit(first_author=True, hints=1, years_apart=1, dated=True)
    assert fit("holtzman2020zebra") == Fit(first_author=True, unexplained=1, dated=True)
    assert fit("buys20") == Fit(coauthors=1, dated=True)


def test_organisations_among_the_authors() -> None:
    """A work is known by the collaboration that signs it, wherever that stands."""
    paper = Paper("y", "A search", "", (Name("Nora", "Woods"), Name.literal("XYZ Collaboration")), 2019)
    for key in ("xyz-collaboration-2019", "XYZ2019", "woods2019", "woods-xyz-2019"):
        reading = Described(paper).fit(key_parts(key))
        assert reading.first_author, key
        assert not reading.unexplained, key


def test_fillers_and_venues_say_nothing() -> None:
    """Neither for nor against a paper."""
    for key in ("holtzman-etal-2020", "DBLP:conf/iclr/Holtzman2020", "the_holtzman_2020"):
        assert fit(key) == Fit(first_author=True, dated=True)


def test_words_without_a_sign_between_them() -> None:
    """Surname and words of the title in one piece."""
    assert fit("holtzmancurious").lead == 1
    assert fit("holtzmanetal20") == Fit(first_author=True, dated=True)
    assert fit("holtzmanzebra").unexplained == 1


def test_words_that_are_not_whole() -> None:
    """Another form of a word, beginnings of several in their order, the initials of the venue, and a venue
    directly after the surname explain a piece of a key, and count little."""
    for key in ("holtzman2020degenerated", "holtzman20neurdegen", "Holtzman20ICLR", "Holtzman:ICL:20"):
        assert fit(key).unexplained == 0, key
    assert fit("holtzmaniclr2020") == Fit(first_author=True, dated=True)
    assert fit("holtzman20degenneur").unexplained == 1


def test_certain() -> None:
    """Surname and year alone are not enough, and a year beside it needs more than a word."""
    assert fit("holtzman2020curious").certain
    assert fit("holtzman-buys-2020").certain
    assert not fit("holtzman2020").certain
    assert not fit("holtzman2020text").certain
    assert fit("holtzman2020neural-text").certain
    assert not fit("holtzman2019curious").certain
    assert fit("holtzman-buys-2019-curious").certain
    assert not fit("holtzman2020zebra").certain


PIECES = (
    "holtzman",
    "holtz",
    "Buys",
    "du",
    "curious",
    "Case",
    "case",
    "neural",
    "NeuralText",
    "degen",
    "nucleus",
)
MORE = (
    "Nucleus-Sampling",
    "sampling",
    "ICLR",
    "NTD",
    "CCNTD",
    "etal",
    "2020",
    "2019",
    "xyz",
    "of",
    "Holtzmannucleus",
)


@given(
    st.lists(st.sampled_from((*PIECES, *MORE)), min_size=1, max_size=4), st.sampled_from(("", "-", ":", "_"))
)
def test_what_is_ruled_out(pieces: list[str], sign: str) -> None:
    """A reading with the first author, or of the title alone, is never ruled out before it is sought."""
    key = key_parts(sign.join(pieces))
    described = Described(PAPER)
    if described.fit(key).first_author:
        assert Described(PAPER).may_be_first(key)
    if described.fit(key).of_title:
        assert Described(PAPER).may_be_of_title(key)
    assert not Described(PAPER).may_be_first(key_parts("smith-case"))
    assert not Described(PAPER).may_be_of_title(key_parts("smith-case"))
