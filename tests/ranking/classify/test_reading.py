"""How a network reads a citing sentence."""

from __future__ import annotations

import numpy as np

from citewhy.ranking.classify.reading import Layout, targets

BEGIN, END, TARGET, OTHER = 1, 2, 7, 8
LAYOUT = Layout(6, TARGET, OTHER)
IN_CONTEXT = Layout(6, TARGET, OTHER, context=2)


def test_weights_of_the_citation() -> None:
    """The target's tokens, else those of other citations, else all tokens; each row sums to 1."""
    ids = np.array([[9, 7, 8, 7], [9, 8, 8, 9], [9, 9, 9, 9]])
    assert targets(ids, target=7, other=8).tolist() == [
        [0, 0.5, 0, 0.5],
        [0, 0.5, 0.5, 0],
        [0.25, 0.25, 0.25, 0.25],
    ]


def test_a_sentence_alone() -> None:
    """All tokens are its own; neighbours are not read where no context is asked for."""
    found = LAYOUT([BEGIN, 30, TARGET, END], [BEGIN, 40, END], [BEGIN, 50, END])
    assert found.ids.tolist() == [BEGIN, 30, TARGET, END]
    assert found.sentence.tolist() == [0.25] * 4
    assert found.targets.tolist() == [0, 0, 1, 0]


def test_no_tokens_at_all() -> None:
    """Some tokenizers have none for an empty text; the network then fails, not its input."""
    assert LAYOUT([]).ids.tolist() == LAYOUT([]).sentence.tolist() == LAYOUT([]).targets.tolist() == []


def test_the_sentences_around() -> None:
    """The end of the one before and the beginning of the one after, which have no weight, and no citation in
    question."""
    found = IN_CONTEXT([BEGIN, 30, OTHER, END], [BEGIN, 40, 41, TARGET, END], [BEGIN, 50, 51, 52, END])
    assert found.ids.tolist() == [BEGIN, 41, OTHER, END, 30, OTHER, END, 50, 51, END]
    assert found.sentence.tolist() == [0.25, 0, 0, 0, 0.25, 0.25, 0.25, 0, 0, 0]
    assert found.targets.tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    empty = IN_CONTEXT([BEGIN, 30, END], [BEGIN, END], [])
    assert empty.ids.tolist() == [BEGIN, 30, END]


def test_a_long_sentence_is_cut_around_its_citation() -> None:
    """Four tokens remain: the first ones, unless the citation in question is behind them; then it is the
    fourth, or what comes after it fills the place."""
    words = list(range(30, 40))
    assert LAYOUT([BEGIN, *words, END]).ids.tolist() == [BEGIN, 30, 31, 32, 33, END]
    behind = [BEGIN, *words[:6], TARGET, *words[6:], END]
    assert LAYOUT(behind).ids.tolist() == [BEGIN, 33, 34, 35, TARGET, END]
    last = [BEGIN, *words, TARGET, END]
    assert LAYOUT(last).ids.tolist() == [BEGIN, 37, 38, 39, TARGET, END]
    early = [BEGIN, 30, TARGET, *words, END]
    assert LAYOUT(early).ids.tolist() == [BEGIN, 30, TARGET, 30, 31, END]
