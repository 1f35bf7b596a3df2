"""What a draft's other citations say of a paper: values worked out by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from citewhy.base.records import DraftCitation, DraftEvidence
from citewhy.search.index.fields import BM25
from citewhy.search.retrieve.draft import DraftSignals, draft_signals

ROWS_OF = {"a": 3, "b": 5, "c": 8, "d": 9}
ROWS = np.array([3, 5, 8, 9, 11])
"""a, b, c, d, and a paper that the draft does not know."""


def cite(order: int, paragraph: int, ids: str, text: str = "x", section: str = "s") -> DraftCitation:
    return DraftCitation(text, tuple(ids.split()), order, paragraph, section)


def signals(
    citations: list[DraftCitation],
    order: int,
    paragraph: int = 0,
    bibliography: str = "",
    vectors: list[list[float]] | None = None,
    terms: dict[str, float] | None = None,
    sentences: list[list[str]] | None = None,
) -> DraftSignals:
    draft = DraftEvidence(tuple(citations), order, paragraph, "s", tuple(bibliography.split()))
    count = len(citations)
    return draft_signals(
        draft,
        ROWS,
        ROWS_OF,
        terms or {"tree": 1.0},
        [Counter(each) for each in sentences or [["tree"]] * count],
        np.array([1.0, 0.0], dtype=np.float32),
        np.array(vectors or [[1.0, 0.0]] * count, dtype=np.float32),
        BM25(1.2, 0.5),
    )


def test_nearness() -> None:
    """1 / (1 + d) by the nearest citation on each side; paragraphs and sections are told apart."""
    found = signals([cite(0, 0, "a"), cite(1, 0, "b"), cite(3, 0, "a"), cite(6, 1, "b c", section="t")], 2)
    assert found.before.tolist() == pytest.approx([1 / 3, 1 / 2, 0, 0, 0])
    assert found.after.tolist() == pytest.approx([1 / 2, 1 / 5, 1 / 5, 0, 0])
    assert found.same_paragraph.tolist() == [1, 1, 0, 0, 0]
    assert found.next_paragraph.tolist() == [0, 1, 1, 0, 0]
    assert found.same_section.tolist() == pytest.approx(np.log1p([2, 1, 0, 0, 0]))
    assert found.times.tolist() == pytest.approx(np.log1p([2, 2, 1, 0, 0]))


def test_cosines() -> None:
    """The nearest sentence, the mean of three (a missing one counts 0), and the sentences of a paper as
    one."""
    found = signals(
        [cite(0, 0, "a"), cite(1, 0, "a"), cite(2, 0, "b")], 3, vectors=[[1, 0], [0, 1], [-0.6, 0.8]]
    )
    assert found.cosine.tolist() == pytest.approx([1, 0, 0, 0, 0])  # a paper cited in an opposite sense: 0
    assert found.cosine_mean.tolist() == pytest.approx([1 / 3, 0, 0, 0, 0])
    assert found.profile.tolist() == pytest.approx([np.sqrt(0.5), 0, 0, 0, 0])


def test_words() -> None:
    """A sentence that has the words of the one that asks stands above one that has some, above one with
    none."""
    found = signals(
        [cite(0, 0, "a"), cite(1, 0, "b"), cite(2, 0, "c")],
        3,
        terms={"tree": 1.0, "bank": 1.0},
        sentences=[["tree", "bank"], ["tree", "moss"], ["moss", "fern"]],
    )
    words = found.words.tolist()
    assert 1 >= words[0] > words[1] > words[2] == words[3] == 0


def test_cited_beside() -> None:
    """In other paragraphs, c is cited beside a, which is cited near the place; d is not."""
    citations = [cite(0, 0, "a"), cite(10, 1, "a"), cite(11, 1, "c"), cite(30, 2, "d")]
    found = signals(citations, 1)
    assert found.cocited.tolist() == pytest.approx(np.log1p([0, 0, 1, 0, 0]))
    assert found.cocited_paragraph.tolist() == pytest.approx(np.log1p([0, 0, 1, 0, 0]))


def test_bibliography() -> None:
    """Entries beside that of a paper cited near the place: 1 / (1 + distance); the near paper itself gets
    0."""
    found = signals([cite(0, 0, "b")], 1, bibliography="a b c d")
    assert found.bibliography.tolist() == pytest.approx([1 / 2, 0, 1 / 2, 1 / 3, 0])


def test_nothing_is_lost_without_evidence() -> None:
    """A paper that the draft cites nowhere else has 0 everywhere, as all have without a draft."""
    found = signals([cite(0, 0, "a")], 1)
    none = DraftSignals.none(len(ROWS))
    for name in DraftSignals.__dataclass_fields__:
        assert getattr(found, name)[4] == 0
        assert not getattr(none, name).any()
