"""Sentences of scholarly text."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from growth import assert_linear
from hypothesis import given, settings
from hypothesis import strategies as st

from citewhy.text.sentences import spans, split

# One string a sentence; joined by a space they are the text to split.
TRICKY = [
    ["We follow Brown et al. (1993).", "The model is old."],
    ["This was shown before (Brown et al., 1993).", "The model is old."],
    ["It is close to the model of Koehn et al.", "We use their code."],
    ["Och et al. [12] differ.", "So do we."],
    ["The parser of Collins et al. and others is fast."],
    ["Smith et al.'s parser is slow.", "Ours is not."],
    ["See Fig. 3 for details.", "It is large."],
    ["Figs. 4 and 5 show it.", "Fig. 6 does not."],
    ["As Eq. (3) says, it grows.", "Eqs. 4–6 agree."],
    ["In Sec. 2.1 we explain it.", "Sect. 3 evaluates."],
    ["Tab. 2 lists them.", "By Thm. 1 and Lem. 2 they end."],
    ["By Prop. A.1 it holds.", "Def. IV is used in App. B."],
    ["See Alg. 1, line 4.", "Then stop."],
    ["Several languages, e.g. German and Czech, inflect.", "English hardly does."],
    ["The best one, i.e. BLEU, was kept.", "We report it."],
    ["Others disagree (cf. Smith, 2001).", "Cf. also Jones (2002)."],
    ["We rank w.r.t. Similarity in this space.", "It works."],
    ["Train and test have 10 resp. 20 items.", "Both are small."],
    ["We compare SVM vs. CRF taggers.", "The CRF wins."],
    ["It has approx. 25,000 entries.", "Each has No. 7 on it."],
    ["See pp. 3-7 and p. 12 there.", "Vol. 2 has more."],
    ["It appeared in Proc. ACL in 2002.", "It was read."],
    ["Dr. Smith and Prof. Jones agree.", "Mr. Brown does not."],
    ["J. Smith and A. B. Jones wrote it.", "G. A. Kiraz did not."],
    ["We thank Apple Inc. for the data.", "They were kind."],
    ["Cats, dogs, etc. are animals.", "Trees are not."],
    ["We remove numbers, dates, etc.", "The rest is stemmed."],
    ["Markup, tables, etc. (see Section 2) are gone.", "Text remains."],
    ["Precision is 3.14 and recall 0.5.", "F1 is between."],
    ["Version 2.0 is out.", "It needs Python 3.11."],
    ["Is it fast?", "Yes!", "We like that."],
    ["We crawled Yahoo! in 2005.", "It was big."],
    ["We use data from Yahoo! Answers.", "It is noisy."],
    ["He said “it works.”", "Nobody replied."],
    ["(This is a note in brackets.)", "The text goes on."],
    ["It works (see the note. It is long) in most cases.", "Sometimes it fails."],
    ["The U.S. economy grew.", "The U.K. did not."],
    ["He lives in the U.S.", "The weather is fine."],
    ["Samples are i.i.d. and scaled.", "So a.k.a. normal ones."],
    ["We tune the weights α, β and λ.", "When λ is small, it fails."],
    ["Let w be in V.", "We write |w| for its length."],
    ["They gave up ... and left.", "We did not."],
    ["The results are better.2", "We explain them now."],
    ["The results are better.[3]", "We explain them now."],
    ["Two steps follow: 1. We parse.", "2. We rank."],
    ["The index is at www.example.org.", "It is free."],
    ["She has a Ph.D. in physics.", "He has none."],
    ["On Jan. 5 and Oct. 12 we met.", "On Sunday we did not."],
    ["St. Petersburg is in the corpus.", "Moscow too."],
    ["The factory in Hartford, Conn. was closed.", "It is a museum now."],
    ["word2vec is trained on it.", "The rest is random."],
    ["We use the method of (Och and Ney, 2003).", "It aligns words."],
    ["It differs (Lin, 1998; cf. Weeds et al., 2004).", "We use both."],
]


@pytest.mark.parametrize("sentences", TRICKY, ids=lambda sentences: sentences[0][:30])
def test_abbreviations_of_papers_end_no_sentence(sentences: list[str]) -> None:
    """Sentences joined by spaces come back as they were."""
    assert split(" ".join(sentences)) == sentences


# As above, of other languages.
ABROAD = [
    ["Das gilt z. B. für Moose.", "Es gilt u. a. auch für Farne."],
    ["Vgl. Müller (2010).", "Siehe Abb. 3 und Kap. 2."],
    ["Das ist, d. h. es war, bzw. es wird so.", "Die Nr. 5 folgt ggf. später."],
    ["Am 3. Mai 2010 begann es.", "Im 19. Jahrhundert war es anders."],
    ["Moose wachsen, wie Roe u. a. (2010) zeigen.", "Und Prof. Dr. Meyer sagt es."],
    ["„Das ist so.“", "Dann kam er."],
    ["»Das ist so.«", "Dann kam er."],
    ["« C'est vrai. »", "Puis il partit."],
    ["Voir p. 12 et chap. 3.", "C'est ainsi."],
    ["M. Dupont et Mme. Durand (cf. fig. 3) sont venus.", "Ils partent."],
    ["Véase pág. 12.", "Luego fue."],
    ["El Sr. García, p. ej. en Madrid, lo dice.", "¿Es verdad?", "¡Sí!", "Claro."],
    ["Segundo o Sr. Silva, por ex. em Lisboa, não foi.", "Ele disse."],
    ["Cfr. cap. 3.", "Il dott. Rossi lo dice."],
    ["Dat is bijv. zo.", "Zie blz. 12.", "Het is o.a. waar."],
    ["To jest np. tak.", "Zob. s. 12 i rys. 3."],
    ["См. рис. 3.", "Это т. е. верно.", "В 2010 г. было так."],
]


@pytest.mark.parametrize("sentences", ABROAD, ids=lambda sentences: sentences[0][:30])
def test_abbreviations_of_other_languages_end_no_sentence(sentences: list[str]) -> None:
    """Nor do ordinal numbers; closing quotation marks do."""
    assert split(" ".join(sentences)) == sentences


def test_sentences_without_white_space_between() -> None:
    """Chinese has full stops of its own."""
    assert split("这是真的。“那是假的。”他来了！") == ["这是真的。", "“那是假的。”", "他来了！"]


@pytest.mark.parametrize("word", ["Abb", "Kap", "vgl", "np", "cap", "mind", "ex"])
def test_abbreviations_of_other_languages_are_words_in_english(word: str) -> None:
    """They are abbreviations in a text of that language alone."""
    sentences = [f"This is the model that we have in {word}.", "Smith and others used it for the task."]
    assert split(" ".join(sentences)) == sentences


def test_a_blank_line_ends_a_sentence_and_a_line_break_does_not() -> None:
    """Only an empty line separates what has no full stop."""
    assert split("A heading\n\nThe text goes\nover two lines. It ends.") == [
        "A heading",
        "The text goes\nover two lines.",
        "It ends.",
    ]


def test_nothing_has_no_sentences() -> None:
    """Empty text and white space give an empty list."""
    assert spans("") == spans(" \n\t\n ") == []


def assert_sentences_partition(text: str) -> None:
    end = 0
    for start, stop in spans(text):
        assert end <= start < stop <= len(text)
        assert not text[end:start].strip()
        assert text[start:stop].strip() == text[start:stop]
        end = stop
    assert not text[end:].strip()


PIECES = st.lists(
    st.sampled_from(
        [
            "et al.",
            "Fig.",
            "3",
            "(",
            ")",
            "[12]",
            "The",
            "cat",
            "A.",
            ".",
            "!",
            "?",
            "…",
            "e.g.",
            " ",
            "\n",
            "\n\n",
        ]
    )
    | st.text(max_size=8)
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300) | PIECES)
def test_every_character_is_in_one_sentence(text: str) -> None:
    """Places are in order, never overlap, and leave out nothing but white space."""
    assert_sentences_partition(text)


@pytest.mark.full
@settings(max_examples=10_000, deadline=None)
@given(st.text(max_size=500) | PIECES)
def test_every_character_is_in_one_sentence_full(text: str) -> None:
    """The same, with the full number of examples."""
    assert_sentences_partition(text)


@pytest.mark.parametrize(
    "unit",
    [
        ".",
        ". ",
        "(",
        "A. ",
        "a.)",
        "! ?",
        "et al. ",
        "x",
        " ",
        "\n",
        ".\n",
        "(a. B ",
        ".[1]",
        "...",
        ". . ",
        "Fig. 3 ",
    ],
)
def test_time_grows_with_length_only(unit: str) -> None:
    """Eight times as much of one thing takes eight times as long, or little more."""
    assert_linear(assert_sentences_partition, unit)


# Real papers ----------------------------------------------------------------------------------------------

_NO_BOUNDARY = re.compile(r"\b(?:al|cf|e\.g|i\.e|vs|resp|Figs?|Eqs?|Sect?|etc|[Nn]o|Proc|pp?|Tab|ch|vol)\.$")


def _damaged(sentence: str) -> bool:
    """Tables, formulas and scraps, as PDF extraction leaves them."""
    words = sentence.split()
    letters = sum(character.isalpha() for character in sentence)
    return (
        len(words) < 4
        or sum(len(word) == 1 for word in words) > 0.3 * len(words)
        or letters < 0.6 * len(sentence)
    )


def _wrong_boundary(before: str, after: str) -> bool:
    """Stored boundaries that nobody would draw: no end mark, "et al. | (2003)", a small letter next."""
    return (
        not re.search(r"""[.!?…]["'”’)\]]*$""", before)
        or before.endswith("..")
        or re.search(r"[:;] \(?\d{1,2}[.)]$", before) is not None
        or re.match(r"[a-z,;:)\]%]|\d+\.?$|[\d.]+\s", after) is not None
        or (_NO_BOUNDARY.search(before) is not None and re.match(r"[\d(\[]", after) is not None)
    )


def _sections(path: Path) -> Iterator[list[str]]:
    with gzip.open(path) as lines:
        for line in lines:
            section = None
            sentences: list[str] = []
            for sentence in orjson.loads(line)["sentences"]:
                if sentence["section"] != section and sentences:
                    yield sentences
                    sentences = []
                section = sentence["section"]
                sentences.append(" ".join(sentence["text"].split()) or "-")
            yield sentences


@pytest.mark.data
def test_boundaries_of_published_papers_are_found(shared_data: Path) -> None:
    """Joined sentences of papers are split where they were, wherever the stored split is believable."""
    hits = missed = extra = 0
    for sentences in _sections(shared_data / "fulltext.citing.jsonl.gz"):
        text = " ".join(sentences)
        ours = {end for _, end in spans(text)}
        place, inside_damage = 0, set()
        believable = set()
        for sentence, following in zip(sentences, [*sentences[1:], ""], strict=True):
            if _damaged(sentence):
                inside_damage |= set(range(place, place + len(sentence) + 1))
            place += len(sentence)
            if _wrong_boundary(sentence, following) or _damaged(sentence) or _damaged(following):
                inside_damage.add(place)
            else:
                believable.add(place)
            place += 1
        hits += len(believable & ours)
        missed += len(believable - ours)
        extra += len(ours - believable - inside_damage)
    print(f"boundaries: recall {hits / (hits + missed):.4f}, precision {hits / (hits + extra):.4f}")
    assert hits / (hits + missed) > 0.99
    # Most of what is "too much" is right, and was missed by whoever stored the split.
    assert hits / (hits + extra) > 0.95
