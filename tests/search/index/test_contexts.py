"""Similar citing contexts by their words, by hand."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest
from small_library import context, make, paper, unsynced

from citewhy.search.index import open_index
from citewhy.search.index.fields import BM25, TextField
from citewhy.search.index.view import View
from citewhy.search.rules import Scope

ALONE, TOGETHER = BM25(k1=1.2, b=0.5), BM25(k1=2.0, b=1.0)


def idf(documents: int, having: int) -> float:
    return log(1 + (documents - having + 0.5) / (having + 0.5))


YEARS = {"a": 2000, "b": 2000, "c": 2000, "w": 2001, "v": 2005}
SENTENCES = [
    context("s1", "w", "a b", "tree bank TARGETCIT TARGETCIT"),
    context("s2", "w", "a", "tree tree parser TARGETCIT"),
    context("s3", "w", "b", "word TARGETCIT"),
    context("s4", "v", "b c", "bank bank bank bank TARGETCIT"),
]


class Indexed:
    """The index of a library with these sentences, in which papers are referred to by name."""

    def __init__(self, folder: Path) -> None:
        papers = [paper(name, year=year) for name, year in YEARS.items()]
        with unsynced(), make(folder, [*papers, *SENTENCES]) as library:
            self.rows = library.numbers(YEARS)
            self.sentences = {record.id: number for number, record in library.numbered_contexts()}
            self.index = open_index(library)

    def view(self, year: int | None, citing: str = "") -> View:
        return self.index.view(Scope(year, self.rows.get(citing, -1), citing))

    def scores(
        self, field: TextField, terms: dict[str, float], year: int | None, citing: str = ""
    ) -> dict[str, float]:
        """By paper, for those that score at all."""
        bm25 = ALONE if field == "nearest_context" else TOGETHER
        rows = np.array([*self.rows.values()])
        scores = self.view(year, citing).scores(field, terms, bm25, rows)
        return {name: score for name, score in zip(self.rows, scores.tolist(), strict=True) if score}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    return Indexed(tmp_path_factory.mktemp("indexed"))


def test_sentences_one_by_one(indexed: Indexed) -> None:
    """As of 2005 there are s1 (2 words), s2 (3) and s3 (1), mean length 2; "tree" is in two of three. Paper a
    is nearest by s2, b by s1, though s1 cites both."""
    s1 = idf(3, 2) * 1 * 2.2 / (1 + 1.2 * (0.5 + 0.5 * 2 / 2))
    s2 = idf(3, 2) * 2 * 2.2 / (2 + 1.2 * (0.5 + 0.5 * 3 / 2))
    assert s2 > s1
    assert indexed.scores("nearest_context", {"tree": 1.0}, 2005) == pytest.approx({"a": s2, "b": s1})


def test_sentences_as_one_text(indexed: Indexed) -> None:
    """Joined by paper, a has s1 and s2 (5 words, "tree" three times), b has s1 and s3 (3 words, once): mean
    4, and both of five papers have the word."""
    tree, parser = idf(5, 2), idf(5, 1)
    a, b = 2.0 * 5 / 4, 2.0 * 3 / 4
    expected = {"a": tree * 3 * 3 / (3 + a) + 2 * parser * 1 * 3 / (1 + a), "b": tree * 1 * 3 / (1 + b)}
    assert indexed.scores("contexts", {"tree": 1.0, "parser": 2.0}, 2005) == pytest.approx(expected)


def test_a_sentence_belongs_to_each_paper_that_it_cites(indexed: Indexed) -> None:
    """Without a year s4 counts, for b and for c alike."""
    found = indexed.scores("nearest_context", {"bank": 1.0}, None)
    # Four sentences, mean length 10/4; "bank" is in two of them.
    c = idf(4, 2) * 4 * 2.2 / (4 + 1.2 * (0.5 + 0.5 * 4 / 2.5))
    a = idf(4, 2) * 1 * 2.2 / (1 + 1.2 * (0.5 + 0.5 * 2 / 2.5))
    assert found == pytest.approx({"a": a, "b": c, "c": c})


def test_sentences_that_do_not_count(indexed: Indexed) -> None:
    """For paper w, nothing that it wrote counts, in no statistic: s4 is the only sentence there is."""
    nearest, joined = idf(1, 1) * 4 * 2.2 / (4 + 1.2), idf(5, 2) * 4 * 3 / (4 + 2.0)
    asked = {"bank": 1.0, "tree": 1.0}
    assert indexed.scores("nearest_context", asked, None, "w") == pytest.approx({"b": nearest, "c": nearest})
    assert indexed.scores("contexts", asked, None, "w") == pytest.approx({"b": joined, "c": joined})


def test_no_sentences(indexed: Indexed) -> None:
    """Where no sentence counts, or no word meets, nothing scores."""
    for field in ("nearest_context", "contexts"):
        assert indexed.scores(field, {"tree": 1.0}, 1999) == {}
        assert indexed.scores(field, {}, 2005) == indexed.scores(field, {"zebra": 1.0}, 2005) == {}
    assert not indexed.view(1999).has_contexts()
    assert indexed.view(2005).has_contexts()


def test_the_best_sentence(indexed: Indexed) -> None:
    """By its number in the library; of equal ones the first; none for a paper whose sentences share no
    word."""
    view, rows = indexed.view(2005), indexed.rows
    assert view.best_context(rows["a"], {"tree": 1.0}, ALONE)[0] == indexed.sentences["s2"]
    assert view.best_context(rows["b"], {"tree": 1.0, "word": 0.1}, ALONE)[0] == indexed.sentences["s1"]
    for name, word in (("b", "parser"), ("c", "bank"), ("w", "tree")):
        assert view.best_context(rows[name], {word: 1.0}, ALONE) == (-1, 0.0)
    number, score = indexed.view(None).best_context(rows["b"], {"zebra": 1.0, "bank": 1.0}, BM25(0.0, 0.0))
    assert number == min(indexed.sentences["s1"], indexed.sentences["s4"])
    assert score == pytest.approx(idf(4, 2))


def test_sentences_without_words(tmp_path: Path) -> None:
    """A sentence of markers alone cites, and matches nothing."""
    bare = context("s", "w", "a", "TARGETCIT (OTHERCIT).")
    with unsynced(), make(tmp_path, [paper("a"), paper("w"), bare]) as library:
        view, row = open_index(library).view(Scope()), np.array([library.numbers("a")["a"]])
    assert view.facts(row).mentions.tolist() == [1]
    for field, bm25 in (("nearest_context", ALONE), ("contexts", TOGETHER)):
        assert view.scores(field, {"tree": 1.0}, bm25, row).tolist() == [0]  # type: ignore[arg-type]


def test_a_query_without_end(indexed: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where words times papers are too many for a table, the same is counted without one."""
    terms = {"tree": 1.0, "zebra": 2.0, "bank": 0.5, "word": 1.0, "parser": 3.0}
    tabled = [indexed.scores("contexts", terms, year) for year in (None, 2005, 1999)]
    monkeypatch.setattr("citewhy.search.index.contexts._MOST_CELLS", 0)
    assert [indexed.scores("contexts", terms, year) for year in (None, 2005, 1999)] == tabled
