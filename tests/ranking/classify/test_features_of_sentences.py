"""Named features of a sentence in its context."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.features import Features, Named, named_features

SENTENCE = SentenceInContext(
    "We use trees (Lee, 2004) and trees TARGETCIT.",
    previous="Nothing new.",
    section="4 Results",
    position=0.25,
    citing="They show trees [3].",
)


def found(features: Features, sentence: SentenceInContext = SENTENCE) -> list[Named]:
    return list(named_features(features, sentence))


def test_words() -> None:
    """Words and pairs of them, as often as they are there, with the text that they are from; citations,
    printed or masked, are no words, and pairs reach over them."""
    (words,) = found(Features(words={"text": 2}))
    assert words.grams
    assert words.values == {
        **{f"text:{word}": 1 for word in ("we", "use", "and")},
        "text:trees": 2,
        **{f"text:{pair}": 1 for pair in ("we use", "use trees", "trees and", "and trees")},
    }


def test_citations_as_words() -> None:
    """Where they are wanted, a printed one is ``othercit``."""
    (words,) = found(Features(words={"text": 1}, citations=True))
    assert {name for name in words.values if "cit" in name} == {"text:othercit", "text:targetcit"}


def test_letters() -> None:
    """Runs of letters across words, with the ends of the text."""
    (letters,) = found(Features(words={}, letters={"previous": 9}))
    assert set(letters.values) == {f"previous~{run}" for run in (" nothing ", "nothing n", "othing ne")} | {
        f"previous~{run}" for run in ("thing new", "hing new ")
    }


def test_what_is_around() -> None:
    """The cues of a text, the kind of the section, the position: each once, and not weighed as n-grams."""
    told = found(Features(words={}, cues=("text",), section=True, position=True))
    assert [dict(each.values) for each in told] == [
        {"text says:we": 1, "text says:use": 1},
        {"in:results": 1},
        {"position": 0.25},
    ]
    assert not any(each.grams for each in told)


def test_what_is_not_known() -> None:
    """A position that nobody knows is no feature; an empty text has none."""
    nothing = SentenceInContext("")
    told = found(Features(words={"text": 2}, letters={"text": 4}, position=True), nothing)
    assert [dict(each.values) for each in told] == [{}, {}]


def test_as_json() -> None:
    """What is written is read again."""
    features = Features(words={"text": 3}, cues=("citing",), encoder=("text",), weighting="binary")
    assert Features.of(features.document()) == features


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"word": {}}, "there are no features word"),
        ({"words": {"title": 1}}, "features are of the texts text, previous, next, citing"),
        ({"words": {"text": 0}}, "n-grams of 1 to 20"),
        ({"words": {"text": 2**31}}, "n-grams of 1 to 20"),
        ({"letters": {"text": 10**18}}, "n-grams of 1 to 20"),
        ({"letters": {"text": True}}, "n-grams of 1 to 20"),
        ({"weighting": "bm25"}, "no weighting 'bm25'"),
    ],
)
def test_documents_of_other_features(change: dict[str, Any], problem: str) -> None:
    """The error says what there is."""
    with pytest.raises(ValueError, match=problem):
        Features.of(Features().document() | change)


def test_purposes_and_own_work() -> None:
    """Of each text by itself; nothing of an author who is not known."""
    features = Features(words={}, purposes=("text", "previous"), own_work=True)
    told = [dict(each.values) for each in found(features, replace(SENTENCE, own_work=False))]
    assert told == [{"text for:use": 1}, {}, {"own work:no": 1}]
    assert dict(found(features, replace(SENTENCE, own_work=True))[-1].values) == {"own work:yes": 1}
    assert not any("own work" in name for each in found(features) for name in each.values)
