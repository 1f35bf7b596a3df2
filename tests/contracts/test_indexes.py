"""Contract of all engines (`index.engine`), including the rules of honest ranking (`search/rules.py`)."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pytest
from exact_store import ExactStore
from hash_encoder import HashEncoder
from milvus_servers import OnServer
from small_library import cites, context, make, paper, unsynced
from small_ranker import small_model
from toy_index import ToyIndex, ToyView

from citewhy.base.records import Citation, Context, Paper, Publication, Query
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder
from citewhy.search.index import Engine, Hits, Index, View, find_engine, opened
from citewhy.search.index.fields import BM25, TextField
from citewhy.search.index.local.engine import LocalEngine
from citewhy.search.rules import Scope

ENGINES: dict[str, Engine] = {
    "local": find_engine("local"),
    "exact": LocalEngine("exact", ExactStore),
    "milvus-lite": OnServer("lite"),
    "milvus-2.3.5": OnServer("standalone"),
}
"""Add new engines here."""

NAMES = [pytest.param(name, marks=[pytest.mark.full] if name == "milvus-2.3.5" else []) for name in ENGINES]


@pytest.fixture(autouse=True, scope="module")
def swept() -> Iterator[None]:
    """Servers are left empty."""
    with contextlib.ExitStack() as stack:
        for engine in ENGINES.values():
            if isinstance(engine, OnServer):
                stack.enter_context(engine.swept())
        yield


Open = Callable[[Library, Encoder | None], Index | ToyIndex]

FIELDS: tuple[TextField, ...] = get_args(TextField)
PLAIN = BM25(k1=1.2, b=0.75)
TREE = {"tree": 1.0}


@pytest.fixture(params=[*NAMES, "toy"])
def open_engine(request: pytest.FixtureRequest) -> Open:
    return ToyIndex if request.param == "toy" else ENGINES[request.param].open


# The rules, by hand -----------------------------------------------------------------------------------------

PAPERS = [
    paper("old", "Tree", "Tree bank.", 1990, authors=("Ann Lee",), venue="Trees 1990"),
    paper("bare", "Tree tree", "", 1995, authors=("Ann Lee", "Bo Li")),
    paper("undated", "Bank tree", "A tree.", None),
    paper("asks", "Tree", "Trees.", 2000, venue="Trees 2000"),
    paper("late", "Tree late", "A tree.", 2001, authors=("Bo Li",), venue="Trees 2001"),
]
SAID: list[Record] = [
    context("s1", "bare", "old", "A tree bank TARGETCIT."),
    context("s2", "asks", "bare old", "The tree tree TARGETCIT TARGETCIT."),
    context("s3", "late", "old bare", "A late tree TARGETCIT."),
    context("s4", "elsewhere", "bare", "A tree elsewhere TARGETCIT.", 1999),
    context("s5", "undated", "bare", "An undated tree TARGETCIT."),
    context("s6", "late", "bare", "Dated before its paper: tree TARGETCIT.", 1980),
    *cites("bare old", "asks undated", "undated old", "late asks"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with unsynced(), make(tmp_path_factory.mktemp("library"), [*PAPERS, *SAID]) as made:
        yield made


class Example:
    """An index of the example library, in which papers are referred to by name."""

    def __init__(self, library: Library, open_engine: Open) -> None:
        self.index = open_engine(library, None)
        self.numbers = library.numbers([each.id for each in PAPERS])
        self.sentences = {each.id: number for number, each in library.numbered_contexts()}

    def view(self, year: int | None = None, citing: str = "", **more: Any) -> View | ToyView:
        for name in ("barred", "copies", "hidden"):
            if name in more:
                more[name] = frozenset(self.numbers[each] for each in more[name].split())
        return self.index.view(Scope(year, self.numbers.get(citing, -1), citing, **more))

    def names(self, hits: Hits) -> list[str]:
        return self.index.ids(hits.rows)

    def found(self, view: View | ToyView) -> set[str]:
        return set(self.names(view.search("text", TREE, PLAIN, 10)))

    def fact(self, view: View | ToyView, name: str) -> dict[str, float]:
        """The values of a fact that are not 0, by name of the paper."""
        values = getattr(view.facts(self.rows(*self.numbers)), name).tolist()
        return {paper: value for paper, value in zip(self.numbers, values, strict=True) if value}

    def rows(self, *names: str) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array([self.numbers[name] for name in names], dtype=np.int64)


@pytest.fixture
def example(library: Library, open_engine: Open) -> Example:
    return Example(library, open_engine)


def test_candidates(example: Example) -> None:
    """Candidates are not newer than the query (or of unknown year), not the citing paper, and not barred; in
    the pool ``abstract`` they have an abstract."""
    everyone = {each.id for each in PAPERS}
    for view, expected in (
        (example.view(), everyone),
        (example.view(2000), everyone - {"late"}),
        (example.view(1989), {"undated"}),
        (example.view(2000, "asks"), {"old", "bare", "undated"}),
        (example.view(2000, barred="old late"), {"bare", "undated", "asks"}),
        (example.view(2000, pool="abstract"), {"old", "undated", "asks"}),
        (example.view(hidden="old"), everyone),
    ):
        assert example.found(view) == expected
        assert view.pool_size() == len(expected)
        admitted = view.admits(example.rows(*example.numbers)).tolist()
        assert {name for name, there in zip(example.numbers, admitted, strict=True) if there} == expected


def test_evidence_is_older_than_the_query(example: Example) -> None:
    """Evidence from the query's year or later, or of unknown year, does not count; without a year, everything
    counts. A sentence is not older than its paper, even if its own year is earlier."""
    assert example.fact(example.view(2000), "times_cited") == {"old": 1}
    assert example.fact(example.view(2000), "mentions") == {"old": 1, "bare": 1}
    assert example.fact(example.view(2001), "times_cited") == {"old": 2, "bare": 1, "undated": 1}
    assert example.fact(example.view(2001), "mentions") == {"old": 2, "bare": 2}
    assert example.fact(example.view(2002), "mentions") == {"old": 3, "bare": 4}
    assert example.fact(example.view(), "times_cited") == {"old": 4, "bare": 3, "undated": 1, "asks": 1}
    assert example.fact(example.view(), "mentions") == {"old": 3, "bare": 5}
    for year, until in ((1995, 0), (1996, 1995), (2000, 1999), (2001, 2000), (2002, 2001), (None, 2001)):
        assert example.view(year).evidence_until() == until
        assert example.view(year).has_contexts() == (until > 0)


def test_what_the_citing_paper_wrote(example: Example) -> None:
    """The citing paper's own citations and sentences are no evidence for its query, even if the paper itself
    is not in the library."""
    assert example.fact(example.view(2001, "asks"), "times_cited") == {"old": 1}
    assert example.fact(example.view(2001, "asks"), "mentions") == {"old": 1, "bare": 1}
    assert example.fact(example.view(2001, "elsewhere"), "mentions") == {"old": 2, "bare": 1}
    assert example.fact(example.view(2001, "nobody"), "mentions") == {"old": 2, "bare": 2}


def test_hidden_papers(example: Example) -> None:
    """Hidden papers count as never cited; their own citations count, and sentences count for other papers."""
    view = example.view(2002, hidden="bare")
    assert example.fact(view, "times_cited") == {"old": 3, "undated": 1, "asks": 1}
    assert example.fact(view, "mentions") == {"old": 3}
    assert sorted(example.index.ids(view.cited(example.rows("bare")).rows)) == ["old"]
    assert set(example.names(view.search("contexts", TREE, PLAIN, 9))) == {"old"}


def test_an_experiment_that_knows_less(example: Example) -> None:
    """An experiment may ignore evidence of the last years before the query, or all citing sentences."""
    assert example.fact(example.view(2002, lag=1), "times_cited") == example.fact(
        example.view(2001), "times_cited"
    )
    silent = example.view(2002, contexts=False)
    assert not silent.has_contexts()
    assert example.fact(silent, "mentions") == {}
    assert example.fact(silent, "times_cited") == {"old": 3, "bare": 2, "undated": 1, "asks": 1}
    for field in ("contexts", "nearest_context"):
        assert len(silent.search(field, TREE, PLAIN, 9).rows) == 0


def test_statistics_know_the_scope(example: Example) -> None:
    """Sentences that do not count are not in document counts and mean lengths: as of 1996, only s1 counts."""
    score = float(np.log(1 + (1 - 1 + 0.5) / (1 + 0.5))) * 2.2 / (1 + 1.2)
    view = example.view(1996)
    assert view.scores("nearest_context", TREE, PLAIN, example.rows("old")) == pytest.approx([score])
    number, best = view.best_context(example.numbers["old"], TREE, PLAIN)
    assert number == example.sentences["s1"]
    assert best == pytest.approx(score)
    assert view.best_context(example.numbers["bare"], TREE, PLAIN) == (-1, 0.0)


def test_edges(example: Example) -> None:
    """Citations at both ends, each with the position of the paper among the given rows."""
    view, rows = example.view(2001), example.rows("old", "late", "undated", "asks")

    def ends(edges: Any) -> set[tuple[int, str]]:
        return set(zip(edges.positions.tolist(), example.index.ids(edges.rows), strict=True))

    assert ends(view.citing(rows)) == {(0, "bare"), (0, "asks"), (2, "asks")}
    assert ends(view.cited(rows)) == {(3, "bare"), (3, "old"), (3, "undated")}
    assert view.citing(rows).positions.tolist() == [0, 0, 2]


def test_sentences_that_cite(example: Example) -> None:
    """The sentences that count as evidence for each paper, with the papers that contain them."""
    names = {number: name for name, number in example.sentences.items()}

    def found(view: View | ToyView, *papers: str) -> list[tuple[int, str, int]]:
        these = view.sentences_citing(example.rows(*papers))
        writers = [max(row, -1) for row in these.writers.tolist()]
        sentences = [names[number] for number in these.numbers.tolist()]
        return sorted(zip(these.positions.tolist(), sentences, writers, strict=True))

    bare, asks = example.numbers["bare"], example.numbers["asks"]
    assert found(example.view(2001), "late", "bare", "old") == [
        (1, "s2", asks),
        (1, "s4", -1),
        (2, "s1", bare),
        (2, "s2", asks),
    ]
    assert found(example.view(2001, "asks"), "bare") == [(0, "s4", -1)]
    assert found(example.view(1995), "bare", "old") == []


def test_people_and_venues(example: Example) -> None:
    """Citations of an author's other papers; the mean over the other volumes of a venue, smoothed with five
    papers. As of 2001, "old" has two citations, "bare" one."""
    view = example.view(2001)
    assert example.fact(view, "author_citations") == pytest.approx(
        {"old": np.log(2), "bare": np.log(3), "late": np.log(2)}
    )
    share = np.log(3) / (2 + 5)
    assert example.fact(view, "venue_citations") == pytest.approx({"asks": share, "late": share})
    assert sorted(example.index.ids(view.papers_by("ANN LEE"))) == ["bare", "old"]
    assert view.papers_by("Nobody").tolist() == []


def test_papers_and_ids(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are the numbers in the library; unknown ids have none; ranks are in order of ids."""
    index, names = example.index, [*example.numbers]
    assert index.papers().tolist() == sorted(example.numbers.values())
    assert sorted(index.ids(index.papers(1995))) == ["bare"]
    assert index.papers(1066).tolist() == []
    assert index.newest_year == 2001
    for share in (0, 2):  # looked up at once, and each by itself
        monkeypatch.setattr(opened, "_MANY", share)
        rows = index.rows([*names, "nobody", "", "\ud800"]).tolist()
        assert rows == [*example.numbers.values(), -1, -1, -1]
    ranks = dict(zip(names, index.id_ranks(example.rows(*names)).tolist(), strict=True))
    assert sorted(names, key=ranks.__getitem__) == sorted(names)
    assert all(index.knows(row) for row in example.numbers.values())
    assert not index.knows(10**6)
    assert not index.knows(-1)


def test_papers_by_name(tmp_path: Path, open_engine: Open) -> None:
    """Papers are found by surnames of any author, of the first author, and by names that title or abstract
    introduce, each separately."""
    papers = [
        paper("a", "GloVe: Global Vectors", "", 2014, authors=("Jeffrey Pennington", "Richard Socher")),
        paper(
            "b",
            "Trees for Sentiment",
            "We introduce SST, a bank of trees.",
            2013,
            authors=("Richard Socher",),
            url="https://arxiv.org/abs/1310.12345v2",
            publication=Publication(pmid="12345", isbn="0-262-03384-4"),
        ),
        paper("c", "Words", "", 2015, authors=("Jan van der Söst-Berg", "Richard Socher")),
    ]
    with unsynced(), make(tmp_path / "library", papers) as library:
        index = open_engine(library, None)
        row = {name: int(index.rows([name])[0]) for name in ("a", "b", "c")}
        assert index.named("author", ["socher"]).tolist() == sorted(row.values())
        assert index.named("first author", ["socher", "nobody"]).tolist() == [row["b"]]
        assert index.named("introduced", ["glove"]).tolist() == [row["a"]]
        assert index.named("introduced", ["sst"]).tolist() == [row["b"]]
        assert index.named("introduced", ["socher"]).tolist() == []
        assert index.named("author", []).tolist() == []
        assert index.named("titled", ["glove", "sst"]).tolist() == [row["a"]]
        for name in ("sostberg", "vandersostberg", "van"):
            assert index.named("key author", [name]).tolist() == [row["c"]]
        assert index.named("key author", ["socher"]).tolist() == [row["b"]]
        assert index.named("arxiv", ["1310.12345"]).tolist() == [row["b"]]
        for number in ("pmid:12345", "isbn:978026203384"):
            assert index.named("catalogue", [number]).tolist() == [row["b"]]
        assert index.named("catalogue", ["12345", "pmid:", "pmcid:12345"]).tolist() == []


def test_without_vectors(example: Example) -> None:
    """An index that was opened without an encoder raises an error if vectors are needed."""
    assert example.index.encoder is None
    with pytest.raises(ValueError, match="has no vectors"):
        example.view().cosines(np.zeros(3, np.float32), example.rows("old"))


# Everything, on many small libraries ------------------------------------------------------------------------

WORDS = ["tree", "bank", "error", "rate", "model", "corpus", "chart"]
ENCODER = HashEncoder(dimensions=16)


def world(chance: random.Random) -> list[Record]:
    """Random papers with few, often equal words, and random citations among them."""
    names = [f"p{place:02}" for place in range(chance.randrange(1, 25))]

    def words(most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randrange(most)))

    def cited() -> tuple[str, ...]:
        return tuple(chance.sample(names, min(len(names), chance.randrange(1, 4))))

    papers: list[Record] = [
        Paper(
            name,
            f"{words(4)} {name}",
            " ".join(f"Trees {words(40)} end." for _ in range(chance.choice([0, 1, 1, 4]))),
            tuple(chance.sample(["Ann Lee", "Bo Li", "Cy Ma"], chance.randrange(3))),
            chance.choice([None, *range(1998, 2004)]),
            chance.choice(["", "Trees 1999", "Trees 2000", "Banks"]),
        )
        for name in names
    ]
    sentences = [
        Context(
            f"s{place}",
            chance.choice([*names, "elsewhere"]),
            cited(),
            words(9),
            chance.choice([None, 1999, 2002]),
        )
        for place in range(chance.randrange(30))
    ]
    edges = [Citation(chance.choice(names), chance.choice(names)) for _ in range(chance.randrange(40))]
    return [*papers, *sentences, *edges]


def scope_of(chance: random.Random, rows: list[int]) -> Scope:
    def some() -> frozenset[int]:
        return frozenset(chance.sample(rows, min(len(rows), chance.randrange(4))))

    scope = Scope(
        year=chance.choice([None, 0, 1999, 2001, 2003]),
        barred=some(),
        copies=chance.choice([frozenset(), frozenset(), some()]),
        pool=chance.choice(["all", "all", "abstract"]),
        hidden=chance.choice([frozenset(), some()]),
        lag=chance.choice([0, 0, 2]),
        contexts=chance.random() < 0.9,
    )
    if chance.random() < 0.6:
        return replace(scope, citing=chance.choice(rows), citing_id="in the library")
    return replace(scope, citing_id=chance.choice(["", "elsewhere", "nobody"]))


def everything(index: Index | ToyIndex, scope: Scope, chance: random.Random) -> Iterator[tuple[str, Any]]:
    """The names and results of all methods of a view."""
    view, rows = index.view(scope), index.papers()
    shuffled = rows[np.random.default_rng(chance.randrange(99)).permutation(len(rows))]
    terms = {word: chance.choice([0.5, 1.0, 2.0]) for word in chance.sample([*WORDS, "zebra"], 3)}
    bm25 = chance.choice([PLAIN, BM25(2.5, 0.5), BM25(0.0, 0.0)])
    vector = ENCODER.encode([" ".join(terms)], "query")[0]
    k = chance.choice([1, 3, 100])
    yield "pool", view.pool_size()
    yield "admitted", view.admits(shuffled).tolist()
    for name in ("years", "times_cited", "mentions", "author_citations", "venue_citations"):
        yield name, getattr(view.facts(shuffled), name).tolist()
    for author in ("Ann Lee", "cy ma", ""):
        yield author, view.papers_by(author).tolist()
    for field in FIELDS:
        hits = view.search(field, terms, bm25, k)
        yield f"search {field}", (hits.rows.tolist(), hits.scores.tolist())
        yield f"scores {field}", view.scores(field, terms, bm25, shuffled).tolist()
        yield f"largest {field}", view.largest(field, terms, bm25)
    yield "idf", view.idf(terms)
    yield "cover", view.title_cover(terms, shuffled).tolist()
    yield "passages", view.best_passages(terms, shuffled).tolist()
    shares = np.linspace(1, 2, len(rows[:5]), dtype=np.float32)
    yield "telling", view.telling_terms(rows[:5], shares, bm25, 100)
    yield "evidence", (view.has_contexts(), view.evidence_until())
    for row in rows.tolist():
        yield f"best context of {row}", view.best_context(row, terms, bm25)
    citing = view.sentences_citing(shuffled)
    writers = np.maximum(citing.writers, -1)  # one of several numbers below 0
    yield "sentences citing", (citing.positions.tolist(), citing.numbers.tolist(), writers.tolist())
    near = view.contexts_near(vector, k)
    yield "contexts near", (near.rows.tolist(), near.cosines.tolist(), near.sentences.tolist())
    hits = view.nearest(vector, k)
    yield "nearest", (hits.rows.tolist(), hits.scores.tolist())
    yield "cosines", view.cosines(vector, shuffled).tolist()
    yield "part cosines", view.part_cosines(vector, shuffled).tolist()
    yield "paper cosines", view.paper_cosines(shuffled, rows[:4]).tolist()
    yield "profile cosines", view.profile_cosines(vector, shuffled).tolist()
    for name in ("citing", "cited"):
        edges = getattr(view, name)(shuffled)
        yield name, sorted(zip(edges.positions.tolist(), edges.rows.tolist(), strict=True))
        assert edges.positions.tolist() == sorted(edges.positions.tolist())


def alike(one: Any, other: Any) -> bool:
    """Whether two results are equal, with numbers to four digits."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    return bool(one == pytest.approx(other, abs=1e-4)) if isinstance(one, float) else bool(one == other)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_as_the_protocol_says(tmp_path: Path, name: str, seed: int) -> None:
    """In any scope, an engine gives the same results as the toy engine, which is a direct implementation."""
    chance = random.Random(seed)
    with unsynced(), make(tmp_path, world(chance)) as library:
        index, toy = ENGINES[name].open(library, ENCODER), ToyIndex(library, ENCODER)
        rows = toy.papers().tolist()
        for turn in range(6):
            scope = scope_of(chance, rows)
            found = everything(index, scope, random.Random(turn))
            expected = everything(toy, scope, random.Random(turn))
            for (what, answer), (same, wanted) in zip(found, expected, strict=True):
                assert what == same
                assert alike(answer, wanted), (scope, what, answer, wanted)


def test_nothing_in_it(tmp_path: Path, open_engine: Open) -> None:
    """All methods work on an empty library."""
    with unsynced(), make(tmp_path, []) as library:
        index = open_engine(library, ENCODER)
        assert len([*everything(index, Scope(2000), random.Random(1))]) > 20


@pytest.mark.parametrize("name", NAMES)
def test_a_life(tmp_path: Path, name: str) -> None:
    """What an engine keeps is missing at first, current when it was opened, behind after a commit, and gone
    when it is removed; the next opening makes it again, with the same answers and nothing encoded twice."""
    engine, encoder = ENGINES[name], HashEncoder(dimensions=16)
    with unsynced(), make(tmp_path, [*PAPERS, *SAID]) as library:
        assert engine.state(library) == ("missing", "missing")
        first = engine.open(library, encoder)
        assert engine.state(library) == ("current", "current")
        assert engine.loss(library) is None
        library.add([paper("new", "Trees again")])
        assert engine.state(library) == ("behind", "behind")
        engine.refresh(library)
        assert engine.state(library) == ("current", "behind")
        engine.open(library, encoder)
        encoded = len(encoder.encoded)
        engine.remove(library)
        assert engine.state(library) == ("missing", "missing")
        again = engine.open(library, encoder)
        assert len(encoder.encoded) == encoded
        vector, everyone = (
            encoder.encode(["tree bank"], "query")[0],
            Scope(barred=frozenset(again.rows(["new"]).tolist())),
        )
        expected = first.view(Scope()).nearest(vector, 9)
        assert again.ids(again.view(everyone).nearest(vector, 9).rows) == first.ids(expected.rows)


def test_asked_again_and_by_many(library: Library, open_engine: Open) -> None:
    """A view gives the same results each time; so do views in eight threads, with years interleaved."""
    index, rows = open_engine(library, ENCODER), [*library.numbers(["old", "asks"]).values()]
    scopes = [scope_of(random.Random(seed), rows) for seed in range(24)]

    def digest(place: int) -> str:
        return repr([*everything(index, scopes[place % 24], random.Random(place % 24))])

    alone = [digest(place) for place in range(24)]
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(digest, range(72))] == alone * 3


def test_the_ranking_does_not_notice(tmp_path: Path, open_engine: Open) -> None:
    """With another engine, the pipeline gives the same papers in the same order, with the same reasons."""
    chance = random.Random(3)
    with unsynced(), make(tmp_path, world(chance)) as library:
        own = Recommender(library, models=ModelSet(encoder=ENCODER, ranker=small_model()))
        other = Recommender(
            library,
            index=cast("Index", open_engine(library, ENCODER)),
            models=ModelSet(encoder=ENCODER, ranker=small_model()),
        )
        for query in (
            Query("local", "tree bank", "chart", authors=("Bo Li",), year=2003, known_ids=("p01", "p02")),
            Query("global", title="error rate", abstract="model corpus tree", year=2001, known_ids=("p03",)),
            Query("set", "chart of trees", member_ids=("p04", "p05")),
            Query("paragraph", "error model", citing_id="elsewhere"),
        ):
            ranked = own.rank(query, 20)
            assert len(ranked) > 3
            assert other.rank(query, 20).ids == ranked.ids
            reasons = [[reason.text for reason in each.reasons] for each in own.suggest(query, 5)]
            assert [[reason.text for reason in each.reasons] for each in other.suggest(query, 5)] == reasons
