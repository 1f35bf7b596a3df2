"""Words: a query's terms, and the citing sentences of each paper, by hand."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from citewhy.index import Index, open_index
from citewhy.index.local.bm25 import BM25
from citewhy.records import Query
from citewhy.retrieve.feedback import feedback_terms
from citewhy.retrieve.lexical import CitingSentences, citing_sentences, query_terms
from citewhy.retrieve.rules import Rules
from small_library import context, make, paper, unsynced

ALONE, TOGETHER = BM25(k1=1.2, b=0.5), BM25(k1=2.0, b=1.0)


def idf(documents: int, having: int) -> float:
    return log(1 + (documents - having + 0.5) / (having + 0.5))


# A query's terms --------------------------------------------------------------------------------------------


def test_terms_of_a_sentence() -> None:
    """Words repeat; the title's count half beside them; the abstract is not a sentence's business."""
    query = Query("local", text="Trees and trees of words", title="Trees, parsed", abstract="Chart parsing")
    assert query_terms(query) == {"tree": 2.5, "word": 1.0, "pars": 0.5}
    assert query_terms(query, title_weight=1.0) == {"tree": 3.0, "word": 1.0, "pars": 1.0}
    assert query_terms(query, title_weight=0.0) == {"tree": 2.0, "word": 1.0, "pars": 0.0}


def test_terms_of_a_paper() -> None:
    """For a whole paper, title and abstract count the same."""
    query = Query("global", title="Trees, parsed", abstract="Chart parsing", text="Why")
    assert query_terms(query) == {"chart": 1.0, "pars": 2.0, "tree": 1.0}


def test_no_terms() -> None:
    """Nothing, stop words, markers and punctuation are no terms."""
    for text in ("", "of the and", "TARGETCIT, OTHERCIT", "… ¿? -- 7 x"):
        assert query_terms(Query("local", text=text)) == {}


# Citing sentences -------------------------------------------------------------------------------------------

YEARS = {"a": 2000, "b": 2000, "c": 2000, "w": 2001, "v": 2005}
SENTENCES = [
    context("s1", "w", "a b", "tree bank TARGETCIT TARGETCIT"),
    context("s2", "w", "a", "tree tree parser TARGETCIT"),
    context("s3", "w", "b", "word TARGETCIT"),
    context("s4", "v", "b c", "bank bank bank bank TARGETCIT"),
]


class Said:
    """The index of a library with these sentences, and what they say about each paper."""

    def __init__(self, folder: Path) -> None:
        papers = [paper(name, year=year) for name, year in YEARS.items()]
        with unsynced(), make(folder, [*papers, *SENTENCES]) as library:
            self.rows = library.numbers(YEARS)
            self.index: Index = open_index(library)

    def about(self, terms: dict[str, float], year: int | None, citing: str = "") -> CitingSentences:
        evidence = Rules(self.index.tables).evidence(year, self.rows.get(citing, -1))
        return citing_sentences(self.index.contexts, evidence, terms, ALONE, TOGETHER)

    def names(self, rows: NDArray[np.int32]) -> list[str]:
        return [name for row in rows.tolist() for name, number in self.rows.items() if number == row]


@pytest.fixture(scope="module")
def said_about(tmp_path_factory: pytest.TempPathFactory) -> Said:
    return Said(tmp_path_factory.mktemp("said"))


def test_sentences_one_by_one(said_about: Said) -> None:
    """As of 2005 there are s1 (2 words), s2 (3) and s3 (1), mean length 2; "tree" is in two of three. Paper a
    is nearest by s2, b by s1, though s1 cites both."""
    found = said_about.about({"tree": 1.0}, year=2005)
    assert said_about.names(found.papers) == ["a", "b"]
    s1 = idf(3, 2) * 1 * 2.2 / (1 + 1.2 * (0.5 + 0.5 * 2 / 2))
    s2 = idf(3, 2) * 2 * 2.2 / (2 + 1.2 * (0.5 + 0.5 * 3 / 2))
    assert s2 > s1
    assert found.nearest == pytest.approx([s2, s1])
    assert sorted(found.single.tolist()) == pytest.approx([0] * (len(found.single) - 2) + [s1, s2])


def test_sentences_as_one_text(said_about: Said) -> None:
    """Joined by paper, a has s1 and s2 (5 words, "tree" three times), b has s1 and s3 (3 words, once): mean
    4, and both of five papers have the word."""
    found = said_about.about({"tree": 1.0, "parser": 2.0}, year=2005)
    tree, parser = idf(5, 2), idf(5, 1)
    a, b = 2.0 * 5 / 4, 2.0 * 3 / 4
    expected = [tree * 3 * 3 / (3 + a) + 2 * parser * 1 * 3 / (1 + a), tree * 1 * 3 / (1 + b)]
    assert found.together == pytest.approx(expected)


def test_a_sentence_speaks_for_each_paper_that_it_cites(said_about: Said) -> None:
    """Without a year s4 counts, for b and for c alike."""
    found = said_about.about({"bank": 1.0}, year=None)
    assert said_about.names(found.papers) == ["a", "b", "c"]
    a, b, c = found.nearest.tolist()
    # Four sentences, mean length 10/4; "bank" is in two of them.
    assert c == pytest.approx(idf(4, 2) * 4 * 2.2 / (4 + 1.2 * (0.5 + 0.5 * 4 / 2.5)))
    assert b == c
    assert a == pytest.approx(idf(4, 2) * 1 * 2.2 / (1 + 1.2 * (0.5 + 0.5 * 2 / 2.5)))


def test_sentences_that_do_not_count(said_about: Said) -> None:
    """For paper w, nothing that it wrote counts, in no statistic: s4 is the only sentence there is."""
    found = said_about.about({"bank": 1.0, "tree": 1.0}, year=None, citing="w")
    assert said_about.names(found.papers) == ["b", "c"]
    assert found.nearest == pytest.approx([idf(1, 1) * 4 * 2.2 / (4 + 1.2)] * 2)
    assert found.together == pytest.approx([idf(5, 2) * 4 * 3 / (4 + 2.0)] * 2)
    assert np.count_nonzero(found.single) == 1


def test_no_sentences(said_about: Said) -> None:
    """Where no sentence counts, no paper has any; where no word meets, all score 0."""
    found = said_about.about({"tree": 1.0}, year=1999)
    assert len(found.papers) == len(found.nearest) == len(found.together) == 0
    assert not found.single.any()
    for terms in ({}, {"zebra": 1.0}):
        found = said_about.about(terms, year=2005)
        assert found.nearest.tolist() == found.together.tolist() == [0, 0]


def test_sentences_without_words(tmp_path: Path) -> None:
    """A sentence of markers alone cites, and matches nothing."""
    bare = context("s", "w", "a", "TARGETCIT (OTHERCIT).")
    with unsynced(), make(tmp_path, [paper("a"), paper("w"), bare]) as library:
        index = open_index(library)
    evidence = Rules(index.tables).evidence(None, -1)
    found = citing_sentences(index.contexts, evidence, {"tree": 1.0}, ALONE, TOGETHER)
    assert len(found.papers) == 1
    assert found.nearest.tolist() == found.together.tolist() == [0]


# Feedback ---------------------------------------------------------------------------------------------------


def test_feedback_by_hand(tmp_path: Path) -> None:
    """Words are weighed by share of the papers' scores times f / (f + norm), chosen with idf as well."""
    papers = [
        paper("a", "tree bank", "tree"),
        paper("b", "bank word"),
        paper("c", "zebra horse stripe"),
    ]
    with unsynced(), make(tmp_path, papers) as library:
        field = open_index(library).text
        rows = library.numbers("abc")
    dials = BM25(k1=1.2, b=0.75)
    terms = feedback_terms(
        field, np.array([rows["a"], rows["b"]], np.int32), np.array([3.0, 1.0], np.float32), dials
    )
    long, short = 1.2 * (0.25 + 0.75 * 3 / (8 / 3)), 1.2 * (0.25 + 0.75 * 2 / (8 / 3))
    tree = 10 * 0.75 * 2 / (2 + long)
    bank = 10 * (0.75 / (1 + long) + 0.25 / (1 + short))
    word = 10 * 0.25 / (1 + short)
    assert terms == pytest.approx({"tree": tree, "bank": bank, "word": word})
    value = {"tree": tree * idf(3, 1), "bank": bank * idf(3, 2), "word": word * idf(3, 1)}
    assert list(terms) == sorted(value, key=lambda term: -value[term])


def test_feedback_keeps_the_best_words(tmp_path: Path) -> None:
    """Thirty words are kept; where the last places are tied, the first in the alphabet are."""
    names = [f"word{place:02}" for place in range(50)]
    with unsynced(), make(tmp_path, [paper("a", " ".join(reversed(names))), paper("b", "zebra")]) as library:
        field = open_index(library).text
        row = library.numbers("a")["a"]
    terms = feedback_terms(field, np.array([row], np.int32), np.ones(1, np.float32), BM25(1.2, 0.75))
    assert list(terms) == names[:30]
    assert len(set(terms.values())) == 1


def test_a_query_without_end(said_about: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where words times papers are too many for a table, the same is counted without one."""
    terms = {"tree": 1.0, "zebra": 2.0, "bank": 0.5, "word": 1.0, "parser": 3.0}
    tabled = [said_about.about(terms, year) for year in (None, 2005, 1999)]
    monkeypatch.setattr("citewhy.retrieve.lexical._MOST_CELLS", 0)
    for before, after in zip(
        tabled, [said_about.about(terms, year) for year in (None, 2005, 1999)], strict=True
    ):
        assert after.together.tolist() == before.together.tolist()
        assert after.nearest.tolist() == before.nearest.tolist()
