"""What the features of candidates say, and that they are always numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import get_args

import numpy as np
import orjson
import pytest
from small_library import cites, context, make, paper, unsynced
from small_questions import Questions
from small_ranker import SETS, small_model

from citewhy.base.import_report import ImportReport
from citewhy.base.records import FullText, Query, QueryKind, Sentence
from citewhy.papers.formats import Record, read
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.features import FEATURES, MOST_PER_WORD, features
from citewhy.ranking.rank.linear import NO_CONTEXTS, OF_CONTEXTS, linear_scores
from citewhy.ranking.rank.model import default_model
from citewhy.ranking.rank.signals import signals
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Vectors
from citewhy.search.retrieve.candidates import candidates
from citewhy.search.retrieve.stages import FIRST_STAGES

KINDS: tuple[QueryKind, ...] = get_args(QueryKind)


# Weights ----------------------------------------------------------------------------------------------------


def test_weights() -> None:
    """There is a set for each kind of query and library, of finite numbers for known features alone; those
    for libraries without citing sentences do without what only such sentences tell."""
    weights = default_model().weights
    assert set(weights) == set(SETS)
    for name, weighing in weights.items():
        assert set(weighing) <= set(FEATURES), name
        assert np.isfinite(list(weighing.values())).all()
        assert any(weighing.values())
        if name.endswith(NO_CONTEXTS):
            assert not any(weighing.get(each, 0.0) for each in OF_CONTEXTS)


def test_features_have_one_name_each() -> None:
    """No two columns share a name."""
    assert len(set(FEATURES)) == len(FEATURES)
    assert set(OF_CONTEXTS) < set(FEATURES)


def test_linear_scores_by_hand() -> None:
    """A score is the sum of weights times features; a feature without a weight does not count."""
    table = np.zeros((2, len(FEATURES)), dtype=np.float32)
    table[0, FEATURES.index("text")] = 2
    table[1, FEATURES.index("cocited")] = 3
    table[1, FEATURES.index("age")] = 9
    assert linear_scores(table, {"text": 0.5, "cocited": -1.0}).tolist() == [1.0, -3.0]
    assert linear_scores(table[:0], {"text": 0.5}).shape == (0,)


def test_equal_rows_have_equal_scores() -> None:
    """The same features give the same score to the last bit, wherever and among however many they stand."""
    chance = np.random.default_rng(7)
    weighing = dict(zip(FEATURES, chance.normal(size=len(FEATURES)).tolist(), strict=True))
    for _ in range(20):
        row = chance.random((1, len(FEATURES)), dtype=np.float32)
        tables = [row.repeat(count, axis=0) for count in range(1, 40)]
        scores = {score for table in tables for score in linear_scores(table, weighing).tolist()}
        assert len(scores) == 1


# Features ---------------------------------------------------------------------------------------------------

TREES: list[Record] = [
    paper("chart", "Chart Parsing", "Trees grow.", 1995, authors=("Ann Lee",), venue="Trees 1995"),
    paper("bank", "A Bank of Trees", "Words.", 1999, authors=("Bo Li",), venue="Trees 1999"),
    paper("new", "Parsing a Bank", "Trees.", 2003, authors=("Bo Li", "Cy Ma"), venue="Trees 2003"),
    paper("undated", "Words", "Chart.", None),
    paper("w1", "Witness", year=2000, authors=("Cy Ma",)),
    paper("w2", "Another Witness", year=2001, authors=("Cy Ma",)),
    context("s1", "w1", "chart", "Chart parsing TARGETCIT of trees."),
    context("s2", "w2", "chart bank", "Trees TARGETCIT TARGETCIT."),
    *cites("w1 bank"),
]


class Asked(Questions):
    """A library, and the features of all candidates of a query to it."""

    def vectors(self, *ids: str) -> Vectors:
        numbers = self.library.numbers(ids)
        assert self.index.paper_vectors is not None
        return self.index.paper_vectors.vectors(np.array([numbers[each] for each in ids]))

    def table(self, query: Query) -> dict[str, dict[str, float]]:
        """Paper → feature → value."""
        scoped = self.scoped(query)
        rows = candidates(scoped, FIRST_STAGES).rows
        table = features(signals(scoped, rows))
        assert table.shape == (len(rows), len(FEATURES))
        assert table.dtype == np.float32
        assert np.isfinite(table).all(), "not a number"
        return {
            paper_id: dict(zip(FEATURES, values, strict=True))
            for paper_id, values in zip(self.index.ids(rows), table.tolist(), strict=True)
        }


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with unsynced(), make(tmp_path_factory.mktemp("trees"), TREES) as library:
        yield Asked(library)


def test_standing(trees: Asked) -> None:
    """Citations, mentions, people, venue and age, by hand, as of 2003."""
    query = Query("local", "chart parsing", authors=("Cy Ma", "Ann Lee", "No One"), year=2003)
    found = trees.table(query)
    assert set(found) == {"chart", "bank", "new", "undated", "w1", "w2"}

    def column(name: str) -> dict[str, float]:
        return {paper_id: values[name] for paper_id, values in found.items() if values[name]}

    assert column("citations") == pytest.approx({"chart": log(3), "bank": log(3)})
    assert column("mentions") == pytest.approx({"chart": log(3), "bank": log(2)})
    assert column("cited") == {"chart": 1, "bank": 1}
    assert column("shared_author") == {"chart": 1, "new": 1, "w1": 1, "w2": 1}
    assert column("cited_before") == pytest.approx({"chart": log(3), "bank": log(3)}), "Cy Ma, in both"
    assert column("age") == pytest.approx({"chart": log(9), "bank": log(5), "w1": log(4), "w2": log(3)})
    assert column("same_year") == {"new": 1}
    assert column("author_citations") == pytest.approx({"new": log(3)}), "Bo Li's other paper is cited twice"
    assert column("uncited_author_citations") == column("author_citations")
    # Three volumes of one series; the other two, and five papers' worth of doubt, are what each is judged by.
    mean = log(3) / (2 + 5)
    assert column("venue_citations") == pytest.approx({"chart": mean, "bank": mean, "new": 2 * mean})
    assert column("uncited_venue_citations") == pytest.approx({"new": 2 * mean})


def test_similar_citing_contexts(trees: Asked) -> None:
    """A sentence that says the same is as near as can be, whatever the title around the query; of a paper
    with several sentences, the nearest counts. Nobody has cited the others, nor anything as of 2000."""
    said = "Chart parsing of trees."
    found = trees.table(Query("local", said, year=2003))
    column = {name: values["context_cosine"] for name, values in found.items() if values["cited"]}
    assert column["chart"] == pytest.approx(1, abs=1e-3)
    # The other sentence shares one of three words: 1 / √3, but for the chance in the words' vectors.
    assert column["bank"] == pytest.approx(0.577, abs=0.1)
    assert found["bank"]["context_cosine_gap"] == pytest.approx(column["bank"] - column["chart"])
    assert [found[name]["context_cosine_rank"] for name in ("chart", "bank", "new")] == pytest.approx(
        [3 / 4, 3 / 5, 0]
    )
    assert found["new"]["context_cosine"] == 0
    titled = trees.table(Query("local", said, title="Something Else", year=2003))
    assert {name: values["context_cosine"] for name, values in titled.items() if values["cited"]} == column
    early = trees.table(Query("local", said, year=2000))
    assert {values["context_cosine"] for values in early.values()} == {0}


def test_nearest_known_papers(trees: Asked) -> None:
    """A known paper is not near itself; with two known papers, the mean of three has a zero."""
    found = trees.table(Query("local", "parsing", known_ids=("chart", "new"), year=2003))
    vectors = dict(zip(("chart", "new", "bank"), trees.vectors("chart", "new", "bank"), strict=True))
    both = float(vectors["chart"] @ vectors["new"])
    beside = sorted(float(vectors["bank"] @ vectors[name]) for name in ("chart", "new"))
    for name in ("chart", "new"):
        assert found[name]["known_cosine"] == pytest.approx(both, abs=1e-3)
        assert found[name]["known_cosine_mean"] == pytest.approx(both / 3, abs=1e-3)
    assert found["bank"]["known_cosine"] == pytest.approx(beside[1], abs=1e-3)
    assert found["bank"]["known_cosine_mean"] == pytest.approx(sum(beside) / 3, abs=1e-3)
    assert max(values["known_cosine_rank"] for values in found.values()) == 3 / 4
    alone = trees.table(Query("local", "parsing", year=2003))
    for feature in ("known_cosine", "known_cosine_mean", "known_cosine_rank"):
        assert {values[feature] for values in alone.values()} == {0}


def test_known_cosines_are_its_own(trees: Asked) -> None:
    """To the last bit, whichever other candidates there are."""
    scoped = trees.scoped(Query("local", "parsing", known_ids=("chart", "new"), year=2003))
    rows = np.array(sorted(trees.library.numbers(["chart", "bank", "new", "w1", "w2", "undated"]).values()))
    together = signals(scoped, rows).known_cosines
    alone = [signals(scoped, rows[[place]]).known_cosines[0].tolist() for place in range(len(rows))]
    assert together.tolist() == alone


def test_words(trees: Asked) -> None:
    """The best by a score has 1, the first rank and its lead; what is new is 0 for a cited paper."""
    found = trees.table(Query("local", "chart parsing trees", year=2003))
    assert found["chart"]["text"] == found["chart"]["text_peak"] == 1
    assert found["chart"]["text_rank"] == pytest.approx(1 / (1 + 1 / 3))
    others = [values["text"] for name, values in found.items() if name != "chart"]
    assert found["chart"]["text_gap"] == pytest.approx(1 - max(others))
    assert {name for name, values in found.items() if values["text_gap"]} == {"chart"}
    assert found["chart"]["title_cover"] == pytest.approx(1)
    # Six titles; "bank" is in two of them, "tree" in one.
    bank, tree = log(1 + 4.5 / 2.5), log(1 + 5.5 / 1.5)
    assert found["bank"]["title_cover"] == pytest.approx(tree / (tree + bank))
    for values in found.values():
        for name in ("text_gap", "title_cover", "feedback", "feedback_peak", "feedback_rank"):
            assert values[f"uncited_{name}"] == (0 if values["cited"] else values[name])
        assert values["cited_text"] == values["cited"] * values["text"]


def test_rare_words_count_no_more_than_those_of_sentences(
    trees: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A weight that was fitted to sentences would outweigh everything else in a question of rare words alone;
    here every word of the small library is as rare as it allows."""
    asked = Query("local", "chart parsing trees", year=2003)
    best = max(values["cited_best_text"] for values in trees.table(asked).values())
    assert 0 < best < MOST_PER_WORD
    monkeypatch.setattr("citewhy.ranking.rank.features.MOST_PER_WORD", best / 2)
    for values in trees.table(asked).values():
        cited = values["cited"]
        assert values["cited_best_text"] == pytest.approx(cited * best / 2)
        assert values["uncited_best_text"] == pytest.approx((1 - cited) * values["text"] * best / 2)


def test_passages(trees: Asked) -> None:
    """Of the three words' rarity, all stands together in one title; the others lag behind it."""
    found = trees.table(Query("local", "chart parsing trees", year=2003))
    assert found["chart"]["passage"] == pytest.approx(1)
    for values in found.values():
        assert values["passage_gap"] == pytest.approx(values["passage"] - 1)
        assert values["uncited_passage"] == (0 if values["cited"] else values["passage"])
    assert 0 < found["bank"]["passage"] < 1


def test_neighbours_of_known_papers(trees: Asked) -> None:
    """Neighbours of what is known; without known papers, none."""
    found = trees.table(Query("local", "parsing", known_ids=("bank",), year=2003))
    assert found["chart"]["cocited"] == 1
    assert found["chart"]["cocited_sum"] == pytest.approx(log(2)), (
        "both are cited by w1 and w2, and nobody else"
    )
    assert {name: values["linked"] for name, values in found.items() if values["linked"]} == pytest.approx(
        {"w1": log(2), "w2": log(2)}
    )
    alone = trees.table(Query("local", "parsing", year=2003))
    for values in alone.values():
        assert values["cocited"] == values["cocited_sum"] == values["coupled"] == values["linked"] == 0


def test_cosines(trees: Asked) -> None:
    """Cosines, how far behind the nearest, and ranks; what is new is 0 for a cited paper."""
    asked = "A bank of photographs and words"
    found = trees.table(Query("local", asked, year=2003))
    (query,) = trees.encoder.encode([asked], "query").astype(float)
    texts = {each.id: f"{each.title}. {each.abstract}" for _, each in trees.library.numbered_papers()}
    cosines = {name: float(trees.encoder.encode([texts[name]], "query")[0] @ query) for name in found}
    assert {name: values["cosine"] for name, values in found.items()} == pytest.approx(cosines, abs=1e-3)
    order = sorted(found, key=lambda name: -cosines[name])
    for rank, name in enumerate(order, start=1):
        values = found[name]
        assert values["cosine_gap"] == pytest.approx(cosines[name] - cosines[order[0]], abs=2e-3)
        assert values["cosine_rank"] == pytest.approx(1 / (1 + rank / 3))
        for feature in ("cosine", "cosine_gap", "cosine_rank"):
            assert values[f"uncited_{feature}"] == (0 if values["cited"] else values[feature])


def test_no_feature_tells_how_the_library_was_made(tmp_path: Path) -> None:
    """Where abstracts came from, and which papers have a full text, changes no feature of any paper."""
    rows = [
        {
            "id": f"p{place}",
            "title": f"Chart {'parsing ' * (place % 3)}{place}",
            "abstract": "Trees of words." if place % 2 else "",
            "authors": ["Ann Lee"],
            "venue": f"Trees {1990 + place}",
            "year": 1990 + place,
        }
        for place in range(12)
    ]
    sentences = [context(f"c{place}", f"p{place + 4}", f"p{place}", "Chart TARGETCIT.") for place in range(6)]
    tables = []
    for number, sources in enumerate((["", ""], ["anthology", "s2"], ["s2", "anthology"])):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(
            b"".join(
                orjson.dumps({**row, "abstract_source": sources[place % 2]}) + b"\n"
                for place, row in enumerate(rows)
            )
        )
        texts = [
            FullText(f"p{place}", (Sentence(1, "Introduction", "Chart of trees."),))
            for place in range(12)
            if number and place % 2 == number - 1
        ]
        records = [*read(file, ImportReport(strict=True)), *sentences, *texts]
        with unsynced(), make(tmp_path / str(number), records) as library:
            assert library.counts()["with_full_text"] == len(texts)
            asked = Asked(library)
            queries = [Query("local", "chart of trees", year=2000), Query("global", title="Parsing of words")]
            tables.append([asked.table(query) for query in queries])
    assert tables[0] == tables[1] == tables[2]


EXTREMES: dict[str, Sequence[Record]] = {
    "empty": [],
    "one paper": [paper("only", "Trees")],
    "one without a word": [paper("only", "…")],
    "no words, years, people": [paper(str(place), "…", year=None) for place in range(3)],
    "uncited": TREES[:4],
    "sentences without words": [*TREES[:6], context("s", "w1", "chart", "TARGETCIT")],
    "all": TREES,
    "all alike": [paper(str(place), "Trees of words", year=2000) for place in range(20)],
}
QUERIES: dict[str, dict[str, object]] = {
    "words": {"text": "chart parsing of trees"},
    "nothing": {},
    "no word that is there": {"text": "zebra"},
    "one word without end": {"text": "trees " * 20_000},
    "people": {"text": "trees", "authors": ("Cy Ma", "", "\ud800", "Ann Lee" * 1000)},
    "the first year": {"text": "trees", "year": 1},
    "the last year": {"text": "trees", "year": 9999},
    "known": {"text": "trees", "known_ids": ("chart", "bank", "only", "0", "1")},
    "itself": {"text": "trees", "citing_id": "w1", "known_ids": ("w1",)},
}


@pytest.mark.parametrize("name", EXTREMES)
def test_always_numbers(tmp_path: Path, name: str) -> None:
    """Whatever the library and the query, every feature and score is a finite number."""
    with unsynced(), make(tmp_path, EXTREMES[name]) as library:
        asked = Asked(library)
        recommender = Recommender(library, models=ModelSet(encoder=asked.encoder, ranker=small_model()))
        for kind in KINDS:
            for more in QUERIES.values():
                query = Query(kind, title=str(more.get("text", ""))[:100], **more)  # type: ignore[arg-type]
                found = asked.table(query)
                ranked = recommender.rank(query, 100)
                assert np.isfinite([each.score for each in ranked]).all()
                assert {each.paper_id for each in ranked} <= set(found)
