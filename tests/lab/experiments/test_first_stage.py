"""First stages: what is asked, and which ranks the right papers have. On four papers and one that cites."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from hash_encoder import HashEncoder
from hypothesis import given, settings
from hypothesis import strategies as st
from small_library import context, make, paper

from citewhy.base.errors import InputError
from citewhy.base.records import Query
from citewhy.ranking.recommender import Recommender
from citewhy.search.index.fields import BM25
from citewhy_lab.experiments.bench import (
    Bench,
    Form,
    Meaning,
    Words,
    asked_text,
    grid,
    open_bench,
    ranks_of_answers,
    recall,
    sample,
    word_ranks,
)
from citewhy_lab.experiments.lcr_prefilter import curve, reciprocal
from citewhy_lab.train.data_set import DataSet

PAPERS = [
    paper("tree", "Parsing with trees", "Kernels over trees.", year=2001),
    paper("speech", "Speech from phonemes", "Synthesis of speech.", year=2003),
    paper("align", "Alignment of words", "Parallel corpora.", year=2005),
    paper("late", "Parsing with trees again", "Kernels.", year=2020),
    paper("asks", "On parsing", "Speech is not parsed here.", year=2010),
]
CONTEXTS = [
    context("one", "asks", "tree", "Kernels over TARGETCIT are used", 2010),
    context("two", "asks", "speech late", "Nothing of TARGETCIT", 2010),
    context("three", "asks", "nowhere", "Kernels of TARGETCIT", 2010),
]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with make(tmp_path / "library", PAPERS) as library:
        data = DataSet("toy", PAPERS, CONTEXTS, CONTEXTS, CONTEXTS, (), (), {}, (), ())
        yield Bench(data, library)


def query(text: str = "the context") -> Query:
    return Query("local", id="q", text=text, title="Title", abstract="the abstract")


@pytest.mark.parametrize(
    ("form", "second"),
    [
        ("context", "a context b"),
        ("abstract", "the abstract"),
        ("context + abstract", "a context b the abstract"),
        ("abstract + context", "the abstract a context b"),
    ],
)
def test_what_is_asked(form: Form, second: str) -> None:
    """The title, and after it context and abstract as the form says, without marks."""
    asked = asked_text(query("a TARGETCIT context OTHERCIT b"), form)
    assert (asked.kind, asked.title, asked.text, asked.abstract) == ("global", "Title", "", second)


def test_places_by_words(bench: Bench) -> None:
    """By hand: "kernels" and "parsing" are in one paper that may be cited; what is newer, shares no word or
    is nowhere has no place."""
    stage = Words(bench, BM25(1.2, 0.75), "context")
    questions = bench.questions(CONTEXTS)
    assert ranks_of_answers(stage, questions, 10) == [(1.0,), (inf, inf), (inf,)]
    speaking = Words(bench, BM25(1.2, 0.75), "context + abstract")
    assert ranks_of_answers(speaking, questions[1:2], 10) == [(1.0, inf)]


def test_the_grid_ranks_as_the_stage_does(bench: Bench) -> None:
    """Without ranking the others, ranks_of_answers are those of the ranking, at every setting."""
    settings = [BM25(0.5, 0.0), BM25(2.5, 0.75), BM25(8.0, 1.0)]
    for question in bench.questions(CONTEXTS):
        for form in ("context", "context + abstract"):
            found = word_ranks(bench, question, form, settings)
            stages = [Words(bench, each, form) for each in settings]
            assert found == [ranks_of_answers(stage, [question], 10)[0] for stage in stages]


def test_the_stage_is_that_of_the_pipeline(bench: Bench) -> None:
    """Asked with context and title, words rank as the pipeline `bm25` does."""
    stage = Words(bench, BM25(2.5, 0.75), "context")
    for question in bench.questions(CONTEXTS):
        served = [each.paper_id for each in Recommender(bench.library, "bm25").rank(question.query, 10)]
        rows = stage.best(question.query, question.rows, 10)
        assert bench.index.ids(rows) == served


def test_a_depth_keeps_the_order_of_ties(bench: Bench) -> None:
    """Two papers with the same words: the one whose id comes first stays."""
    with make(
        bench.library.folder / "more", [paper("b", "Same words"), paper("a", "Same words?")]
    ) as library:
        twins = Bench(bench.data, library)
        rows = Words(twins, BM25(1.2, 0.75), "context").best(query("words"), twins.rows(query()), 1)
        assert twins.index.ids(rows) == ["a"]


def test_places_by_meaning(bench: Bench) -> None:
    """The nearest vector is that of the paper with the same words; a newer paper has no place."""
    encoder = HashEncoder()
    bench.encode(encoder, lambda _what, _share: None)
    stage = Meaning(bench, encoder, "context")
    asked = [context("x", "asks", "align late", "Alignment of words Parallel corpora", 2010)]
    (found,) = ranks_of_answers(stage, bench.questions(asked), 10)
    assert found[1] == inf
    assert 1 <= found[0] <= 3


def test_grid(bench: Bench) -> None:
    """One of four right papers is found by the context, two with the abstract: at every setting."""
    found = grid(bench, bench.questions(CONTEXTS), ["context", "context + abstract"], lambda *_: None)
    assert {form: {value for (other, _), value in found.items() if other == form} for form, _ in found} == {
        "context": {0.25},
        "context + abstract": {0.5},
    }


def test_measures() -> None:
    """Each right paper counts once, a missed one as nothing."""
    found = [(1.0, inf), (4.0,), (20.0,)]
    assert [recall(found, depth) for depth in (1, 4, 1000)] == [0.25, 0.5, 0.75]
    assert reciprocal(found, 10) == (1 + 0.25) / 4
    with pytest.raises(ValueError, match="no relevant papers"):
        recall([()], 10)


ranks = st.lists(
    st.lists(st.one_of(st.just(inf), st.integers(1, 3000).map(float)), min_size=1).map(tuple), min_size=1
)


@settings(deadline=None, max_examples=25)
@given(ranks)
def test_recall_never_falls(found: list[tuple[float, ...]]) -> None:
    """The curve of the figure rises, from k = 1 to k = 2,000."""
    points = curve(found)
    assert (points[0][0], points[-1][0]) == (1, 2000)
    values = [value for _, value in points]
    assert values == sorted(values)
    assert values[-1] == recall(found, 2000)


def test_samples() -> None:
    """A sample keeps the order, and is the same for the same seed; None is all."""
    few = sample(CONTEXTS, 2, 7)
    assert few == sample(CONTEXTS, 2, 7)
    assert [each for each in CONTEXTS if each in few] == few
    assert sample(CONTEXTS, None, 7) == sample(CONTEXTS, 9, 7) == CONTEXTS


def test_no_folder(tmp_path: Path) -> None:
    """An experiment wants one folder."""
    with (
        pytest.raises(InputError, match="expected one folder of a data set"),
        open_bench([tmp_path / "file"], lambda *_: None),
    ):
        pass
