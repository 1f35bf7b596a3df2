"""How probable it is that a place wants several papers: by what leads to it, and by the draft's habits."""

from __future__ import annotations

import pytest

from citewhy.base.records import DraftCitation, DraftEvidence, Query
from citewhy.ranking.sets.several import WEIGHTS, several_features, wants_several


def asked(text: str, *sizes: int) -> float:
    """The probability at a place of a draft whose citations before it have so many papers."""
    citations = tuple(
        DraftCitation("Before.", tuple(f"{order} {each}" for each in range(size)), order=order, paragraph=0)
        for order, size in enumerate(sizes)
    )
    draft = DraftEvidence(citations, order=len(sizes), paragraph=0) if sizes else None
    probability = wants_several(Query("local", text, draft=draft))
    assert probability is not None
    return probability


def test_every_feature_has_a_weight() -> None:
    assert {*several_features("", "", [], []), "none"} == WEIGHTS.keys()


def test_general_claims_want_several() -> None:
    """More than what somebody did, and than a source that is named."""
    claims = (
        "This has been studied extensively in previous works TARGETCIT.",
        "Many studies have reported such effects TARGETCIT.",
    )
    single = (
        "We use the package TARGETCIT.",
        "The proof was given by TARGETCIT.",
        "This was shown by Smith et al. TARGETCIT.",
        "TARGETCIT introduced them.",
    )
    assert min(map(asked, claims)) > 0.3
    assert max(map(asked, single)) < 0.15


def test_habits_count() -> None:
    """Where an author has cited several papers, more often; near the place most of all."""
    text = "Trees grow TARGETCIT."
    assert asked(text, *[1] * 20) < asked(text) < asked(text, *[3] * 20)
    assert asked(text, *[3] * 4, *[1] * 10) < asked(text, *[1] * 10, *[3] * 4)


def test_other_questions_have_none() -> None:
    assert wants_several(Query("paragraph", "Trees grow.")) is None
    assert wants_several(Query("set", "Trees grow TARGETCIT.", member_ids=("a",))) is None


@pytest.mark.parametrize("text", ["", "TARGETCIT", "Trees", "Trees OTHERCIT and TARGETCIT woods OTHERCIT."])
def test_any_text_has_a_probability(text: str) -> None:
    assert 0 < asked(text) < 1


def test_long_texts_take_linear_time() -> None:
    """Neither words without an end nor many of them are looked at twice."""
    for text in ("A" * 200_000, "A " * 100_000, "e.g" * 60_000, "9" * 200_000):
        assert 0 < asked(f"{text} TARGETCIT") < 1
