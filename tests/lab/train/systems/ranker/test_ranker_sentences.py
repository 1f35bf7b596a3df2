"""What abstracts ask: which sentences become questions, how they are asked, and what is kept apart."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from small_library import make, paper, unsynced

from citewhy.base.records import Context
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.model import default_model
from citewhy.search.encode import default_encoder
from citewhy_lab.train.systems.ranker.questions import (
    OF_ONE_NAME,
    SHARES,
    Mention,
    held_out_name,
    mentions,
    name_topic,
    sentence_questions,
)

SENTENCE = "We train all of our models on BigBank once."
RECORDS: list[Record] = [
    paper("bank", "BigBank: a Bank of Trees", "BigBank is a bank of many English trees.", year=2001),
    paper("before", "Trees", SENTENCE, year=2000),
    paper("user", "Models", f"Models are small. {SENTENCE} BigBank.", year=2003),
    paper("plain", "Bank: a Note", "Nothing.", year=2001),
    paper("reader", "Reading", "Bank notes are what we read about in this.", year=2004),
    paper("twin", "TwinSet: One", year=2002),
    paper("other twin", "TwinSet: Two", year=2002),
    paper("asks twins", "Twins", "There are two works that are called TwinSet here.", year=2005),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with unsynced(), make(tmp_path_factory.mktemp("named"), RECORDS) as library:
        yield library


def test_who_asks_for_what(library: Library) -> None:
    """A later abstract, in a sentence of six words or more, by a name with a second capital that one title
    introduced first: not the paper itself, an earlier one, a common word, or a name of two papers."""
    (found,) = mentions(library, random.Random(1))
    assert (found.name, found.spelling, found.sentence) == ("bigbank", "BigBank", SENTENCE)
    assert (found.by.id, found.introduced_by) == ("user", "bank")


def test_a_name_is_asked_a_few_times(tmp_path_factory: pytest.TempPathFactory) -> None:
    """However many abstracts have it."""
    users = [paper(f"user{place}", f"Models {place}", SENTENCE, year=2003) for place in range(9)]
    with unsynced(), make(tmp_path_factory.mktemp("many"), [*RECORDS[:1], *users]) as library:
        assert len(mentions(library, random.Random(1))) == OF_ONE_NAME


def test_forms(library: Library) -> None:
    """The name stands in every form but the hidden one; the question is of the year of its abstract."""
    mention = Mention(
        "bigbank", "BigBank", "BigBank, not BigBanks.", paper("user", "Models", year=2003), "bank"
    )
    texts = {}
    for form in SHARES:
        topic = name_topic(mention, form, random.Random(1))
        assert (topic.relevant, topic.query.year, topic.query.citing_id) == (("bank",), 2003, "user")
        texts[form] = topic.query.text
        marked = [name_topic(mention, form, random.Random(seed)).query.text for seed in range(40)]
        assert any("BigBank TARGETCIT" in text for text in marked) == (form in ("sentence", "short"))
    assert texts["sentence"].replace(" TARGETCIT", "") == mention.sentence
    assert texts["hidden"].split() == [",", "not", "BigBanks."]
    assert texts["alone"] == "BigBank"
    assert "BigBank" in texts["short"].split() or "BigBank." in texts["short"].split()
    assert len(texts["short"].split()) > 1


def test_one_name_in_five_is_held_out() -> None:
    """By a hash of the name, so that it is the same for every library."""
    names = [f"name{place}" for place in range(2000)]
    share = sum(map(held_out_name, names)) / len(names)
    assert 0.17 < share < 0.23
    assert (held_out_name("bigbank"), held_out_name("oaknet")) == (True, False)


@pytest.mark.parametrize(("contexts", "weight"), [(False, 1.0), (True, 6.0)])
def test_what_questions_weigh(tmp_path: Path, contexts: bool, weight: float) -> None:
    """A citing sentence weighs more where the library has some; a sentence of an abstract, asked as it is,
    less than one without the name, or the name alone."""
    file = tmp_path / "asked.jsonl"
    asked = {
        "context_id": "q",
        "citing_id": "user",
        "cited_ids": ["bank"],
        "text": "Trees TARGETCIT are many.",
    }
    file.write_bytes(orjson.dumps(asked | {"masked": True, "citing_year": 2003}))
    users = [paper(f"user{place}", f"Models {place}", SENTENCE, year=2003) for place in range(4)]
    names = [paper(f"b{place}", f"BigBank{place}: a Bank", year=2001) for place in range(8)]
    users += [
        paper(f"reads{place}", "Models", f"We train all of our models on BigBank{place} once.", year=2003)
        for place in range(8)
    ]
    records: list[Record] = [*RECORDS, *users, *names]
    if contexts:
        records.append(Context("c", "user0", ("bank",), "Trees are read.", year=2003))
    with unsynced(), make(tmp_path / "library", records):
        pass
    found = sentence_questions(tmp_path / "library", [file], 0, 99, default_encoder(), default_model(), 1)
    weights = {each.source: each.weight for each in found if "uncited" not in each.source}
    assert weights.pop("asked.jsonl") == weight
    assert weights.pop("library, name sentence") == 0.1
    assert weights
    assert set(weights.values()) == {1.0}
