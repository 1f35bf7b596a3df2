"""The one pipeline: order, limits, errors, and the same answer to the same question, always."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hash_encoder import HashEncoder
from small_library import cites, context, exact, make, make_toy, paper, unsynced
from small_ranker import small_model

from citewhy.base.errors import QueryError
from citewhy.base.records import Paper, Query, QueryKind
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.ranker import PIPELINES
from citewhy.ranking.recommender import Answering, Recommender
from citewhy.ranking.sets.features import SET_FEATURES
from citewhy.search.index import Hits, open_index
from citewhy.search.retrieve.first_stage import Treatment
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.stages import FIRST_STAGES

KINDS: tuple[QueryKind, ...] = get_args(QueryKind)


@pytest.fixture(scope="module")
def toy_library(tmp_path_factory: pytest.TempPathFactory, toy: Path) -> Iterator[Library]:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as library:
        yield library


# Order and number -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("kind", KINDS)
def test_best_first(toy_library: Library, kind: QueryKind, pipeline: Any) -> None:
    """Scores descend, no paper comes twice, and the first k are the first of more."""
    recommender = Recommender(toy_library, pipeline)
    query = Query(kind, "training a translation model", title="Statistical translation", abstract="Words")
    ranked = recommender.rank(query, 100)
    assert len(ranked) > 3
    scores = [candidate.score for candidate in ranked]
    assert scores == sorted(scores, reverse=True)
    assert len({candidate.paper_id for candidate in ranked}) == len(ranked)
    for k in (1, 2, len(ranked)):
        assert exact(recommender.rank(query, k)) == exact(ranked)[:k]


def speaks(features: Mapping[str, float]) -> bool:
    """Does anything speak for a paper with these features? Whatever was ranked by one score has none."""
    told = ("text", "nearest_context", "cocited", "linked", "shared_author", "cited_before", "feedback")
    return (
        not features
        or any(features[name] > 0 for name in told)
        or features["context_cosine"] >= 0.5
        or features["known_cosine"] >= 0.7
    )


def test_questions_about_something_else(toy_library: Library) -> None:
    """Nothing is suggested; what is asked for is still ranked, improbable as it is."""
    recommender = Recommender(toy_library)
    for text in ("Braised cabbage is best served with butter.", "The stock market crashed in 1929."):
        query = Query("local", text)
        assert recommender.suggest(query, 3) == []
        assert len(recommender.rank(query, 3)) == 3
    assert recommender.suggest(Query("local", "We tune the weights of the decoder."), 3)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_suggested_as_ranked(toy_library: Library, pipeline: Any) -> None:
    """What is shown is what is measured: the same papers in the same order, with the same scores; papers that
    nothing speaks for, and only these, are left out."""
    recommender = Recommender(toy_library, pipeline)
    left_out = 0
    for text in ("tuning the weights of a translation model", "annotated corpora of English", "BERT"):
        query = Query("local", text, known_ids=("N03-1017",))
        ranked = recommender.rank(query, 13)
        for k in (1, 3, 13):
            expected = [(each.paper_id, each.score) for each in ranked[:k] if speaks(each.features)]
            found = recommender.suggest(query, k, threshold=0)
            assert [(each.paper.id, each.score) for each in found] == expected != []
            left_out += len(ranked[:k]) - len(expected)
    assert (left_out > 0) == (pipeline == "full")


def test_plain_words_are_bm25(toy_library: Library) -> None:
    """The plain pipeline has the papers that share a word with the query, and no features."""
    ranked = Recommender(toy_library, "bm25").rank(Query("local", "a treebank of English"), 100)
    assert ranked[0].paper_id == "J93-2004"
    for candidate in ranked:
        found = toy_library.paper(candidate.paper_id)
        assert "english" in f"{found.title} {found.abstract}".lower() or "treebank" in found.title.lower()
        assert dict(candidate.features) == {}
        with pytest.raises(KeyError):
            candidate.features["text"]


def test_features_by_name(toy_library: Library) -> None:
    """A candidate's features are read by name; a name that is none is a KeyError."""
    best = Recommender(toy_library).rank(Query("local", "BLEU score"), 1)[0]
    assert best.features["text"] == 1
    assert len(best.features) == len(dict(best.features))
    with pytest.raises(KeyError):
        best.features["cake"]


TWINS = ["b", "a", "d", "c", "B", "é"]


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("others", [0, 1, 5])
def test_ties_by_id(tmp_path: Path, pipeline: Any, others: int) -> None:
    """Papers that nothing tells apart come in order of their ids, whichever came first."""
    papers = [Paper(name, "Trees of words", year=2000) for name in TWINS]
    papers += [paper(f"other{place}", f"Trees and horses {place}") for place in range(others)]
    with unsynced(), make(tmp_path, []) as library:
        for each in papers:
            library.add([each])
        ranked = Recommender(library, pipeline).rank(Query("local", "trees of words"), 100)
        twins = [each for each in ranked if each.paper_id in TWINS]
        assert len({each.score for each in twins}) == 1
        assert [each.paper_id for each in twins] == sorted(TWINS)


# Errors and empty libraries ---------------------------------------------------------------------------------


def test_errors(toy_library: Library) -> None:
    """What cannot be asked is a QueryError that says what can."""
    with pytest.raises(QueryError, match="no pipeline magic; choose from: bm25, dense, hybrid, full"):
        Recommender(toy_library, "magic")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="no pool best; choose from: all, abstract"):
        Recommender(toy_library, pool="best")  # type: ignore[arg-type]
    recommender = Recommender(toy_library)
    for k in (0, -1):
        with pytest.raises(QueryError, match="ask for at least one"):
            recommender.rank(Query("local", "words"), k)
        with pytest.raises(QueryError, match="ask for at least one"):
            recommender.suggest(Query("local", "words"), k)


def test_a_huge_k(toy_library: Library) -> None:
    """More than there are: all there are."""
    for k in (14, 10**6, 2**70):
        assert len(Recommender(toy_library).rank(Query("local", "words"), k)) == 13


LIBRARIES: dict[str, list[Record]] = {
    "nothing": [],
    "one paper": [paper("p", "Trees")],
    "one without words": [Paper("p", "?")],
    "no citations": [paper(f"p{place}", f"Trees {place}", "Words.") for place in range(5)],
    "citations alone": [paper("p", "Trees"), paper("q"), *cites("q p")],
    "sentences of strangers": [paper("p", "Trees"), context("s", "stranger", "p", "Trees TARGETCIT.")],
}


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_small_libraries(tmp_path: Path, pipeline: Any, name: str) -> None:
    """Every kind of question gets an answer from every library, however little is in it."""
    papers = {each.id for each in LIBRARIES[name] if isinstance(each, Paper)}
    with unsynced(), make(tmp_path, LIBRARIES[name]) as library:
        recommender = Recommender(library, pipeline)
        for kind in KINDS:
            for text in ("trees", "", "zebra"):
                for more in ({}, {"known_ids": ("p", "q")}, {"citing_id": "p", "year": 2000}):
                    query = Query(kind, text, title=text, **more)
                    ranked = recommender.rank(query, 10)
                    assert {each.paper_id for each in ranked} <= papers
                    for each in recommender.suggest(query, 10):
                        assert each.reasons
                    assert 0 <= recommender.pool_size(query) <= len(papers)
        if "p" in papers and name != "one without words":
            assert recommender.suggest(Query("local", "trees"), 1)[0].paper.id == "p"


def test_a_library_that_changes(tmp_path: Path) -> None:
    """A recommender answers as of its opening; what came or went since then fails nothing."""
    papers = [paper(f"p{place}", f"Trees {place}", year=2000) for place in range(4)]
    with unsynced(), make(tmp_path, [*papers, *cites("p3 p1")]) as library:
        recommender = Recommender(library)
        query = Query("local", "trees", known_ids=("p3", "new"), excluded_ids=("new",), citing_id="new")
        before = exact(recommender.rank(replace(query, citing_id=""), 10))
        with Library.open(tmp_path) as other:
            other.add([paper("new", "Trees, too"), *cites("new p2")])
            other.remove(["p1"])
        assert exact(recommender.rank(query, 10)) == before
        assert "p1" not in [each.paper.id for each in recommender.suggest(query, 10)]
        assert recommender.pool_size(query) == 4
        again = {each.paper_id for each in Recommender(library).rank(replace(query, citing_id=""), 10)}
        assert again == {"p0", "p2", "p3"}, "p1 is gone, new is excluded"


# The same answer, always ------------------------------------------------------------------------------------

WORDS = ["tree", "bank", "error", "rate", "model", "corpus", "parsing", "words"]


def world(seed: int, size: int = 60) -> list[Record]:
    """Papers of few words, of which many are alike, and what they say of each other."""
    chance = random.Random(seed)
    papers = [
        Paper(
            f"p{place:02}",
            " ".join(chance.choices(WORDS, k=3)),
            " ".join(chance.choices(WORDS, k=chance.choice([0, 6]))),
            # Without authors, papers with the same title are different ones.
            year=chance.choice([None, 1999, 2000, 2001, 2002]),
            venue=chance.choice(["", "Trees", "Banks"]),
        )
        for place in range(size)
    ]
    names = [each.id for each in papers]
    sentences = [
        context(f"s{place}", chance.choice(names), chance.choice(names), " ".join(chance.choices(WORDS, k=5)))
        for place in range(size)
    ]
    return [*papers, *sentences, *cites(*(" ".join(chance.sample(names, 2)) for _ in range(size * 2)))]


def questions(count: int) -> list[Query]:
    chance = random.Random(count)
    return [
        Query(
            KINDS[place % 4],
            " ".join(chance.choices(WORDS, k=4)),
            title=" ".join(chance.choices(WORDS, k=2)),
            abstract=" ".join(chance.choices(WORDS, k=8)),
            known_ids=tuple(f"p{chance.randrange(60):02}" for _ in range(place % 3)),
            year=chance.choice([None, 2001, 2002]),
        )
        for place in range(count)
    ]


def answers(records: Sequence[Record], queries: Sequence[Query], batches: int = 1) -> list[Any]:
    """The first twenty for each query, with their scores, from a library that got the records in batches."""
    with (
        tempfile.TemporaryDirectory() as folder,
        unsynced(),
        Library.open(folder, create=True) as library,
    ):
        for batch in range(batches):
            library.add(records[batch::batches])
            recommender = Recommender(library)
        return [exact(recommender.rank(query, 20)) for query in queries]


def check_orders(seeds: range, queries: Sequence[Query]) -> None:
    for seed in seeds:
        records = world(seed)
        expected = answers(records, queries)
        chance = random.Random(seed)
        for batches in (1, 4):
            shuffled = chance.sample(records, len(records))
            assert answers(shuffled, queries, batches) == expected


def test_any_order_of_adding() -> None:
    """Fifty queries have the same first twenty and the same scores, in whatever order and however many
    batches the library was filled."""
    check_orders(range(1), questions(50))


@pytest.mark.full
def test_any_order_of_adding_in_full() -> None:
    """As above, five hundred queries to five libraries."""
    check_orders(range(1, 6), questions(500))


ASK = """
from test_pipeline import answers, questions, world
print(answers(world(3), questions(25)))
"""


def test_any_process() -> None:
    """Another process, with other hashes and more threads, gives the same answers to the last bit."""
    outputs = {repr(answers(world(3), questions(25)))}
    for threads in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": threads,
            "OPENBLAS_NUM_THREADS": threads,
            "OMP_NUM_THREADS": threads,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        ran = subprocess.run(
            [sys.executable, "-c", ASK], capture_output=True, text=True, env=environment, check=True
        )
        outputs.add(ran.stdout.strip())
    assert len(outputs) == 1


def test_many_threads(tmp_path: Path) -> None:
    """Eight threads that share a recommender get, for five hundred queries, what one alone gets: ids, scores,
    reasons, to the last bit."""
    asked = [replace(query, authors=("Ann Lee",)) for query in questions(500)]
    with unsynced(), make(tmp_path, world(5)) as library:

        def answer(recommender: Recommender, query: Query) -> tuple[Any, ...]:
            suggested = recommender.suggest(query, 2, threshold=0)
            return exact(recommender.rank(query, 20)), [repr(each) for each in suggested]

        alone = Recommender(library, models=ModelSet(encoder=HashEncoder(), ranker=small_model()))
        expected = [answer(alone, query) for query in asked]
        shared = Recommender(library, models=ModelSet(encoder=HashEncoder(), ranker=small_model()))
        with ThreadPoolExecutor(8) as pool:
            assert [*pool.map(lambda query: answer(shared, query), asked)] == expected


# Kinds of queries -------------------------------------------------------------------------------------------


def test_encoded_ahead(toy_library: Library) -> None:
    """The same queries in their order, answered alike; their texts were encoded before they are asked, and an
    encoder's error reaches the caller."""
    encoder, other = HashEncoder(), HashEncoder()
    queries = [
        Query("local", f"training model {each}", title="Words", paragraph=f"Of {each}.") for each in range(40)
    ]
    ahead, plain = (
        Recommender(toy_library, models=ModelSet(encoder=each, ranker=small_model()))
        for each in (encoder, other)
    )
    given = []
    for query in ahead.ahead(queries):
        before = len(encoder.batches)
        assert exact(ahead.rank(query, 5)) == exact(plain.rank(query, 5))
        assert [query.paragraph] not in encoder.batches[before:]
        given.append(query)
    assert given == queries
    broken = Recommender(toy_library, models=ModelSet(encoder=HashEncoder(fail_at=2), ranker=small_model()))
    with pytest.raises(KeyboardInterrupt):
        list(broken.ahead(queries))


def test_paragraphs_are_asked_as_sentences(toy_library: Library) -> None:
    """Where no model is made for them: a topic sentence like any sentence with its title, but with
    probabilities of its own, which say how many papers are proposed."""
    recommender = Recommender(toy_library)
    local = Query("local", "tuning the weights of a model", title="Translation", known_ids=("P02-1040",))
    bare = replace(local, kind="paragraph")
    for paragraph in (bare, replace(bare, preceding="Before it.", section="2 Data")):
        assert exact(recommender.rank(paragraph, 20)) == exact(recommender.rank(local, 20))
        answer = recommender.completed(paragraph, 20)
        assert 0 < len(answer.proposed) < len(answer.ranked.rows)
        assert answer.ranked.rows[: len(answer.proposed)].tolist() == list(answer.proposed)
    assert Recommender(toy_library, "bm25").completed(bare, 20).proposed == ()


class CosineOfMembers:
    """A set model by which papers follow the cosine with the members, and all above .5 belong to the set."""

    name = "cosines"

    def threshold(self, members: int) -> float:
        return 0.5

    def probabilities(self, table: Any) -> Any:
        return np.clip(table[:, SET_FEATURES.index("member_cosine")].astype(np.float64), 0.01, 0.99)


def test_a_set_is_ordered_beside_its_members(toy_library: Library) -> None:
    """By the set model, whose probabilities are those of the candidates; members are no candidates, papers
    that are cited elsewhere are; a set without members is a sentence."""
    recommender = Recommender(toy_library, models=ModelSet(sets=CosineOfMembers()))
    local = Query("local", "tuning the weights of a model", title="Translation", known_ids=("P02-1040",))
    members = ("P03-1021", "N03-1017")
    bracket = replace(local, kind="set", member_ids=members, known_ids=(*local.known_ids, *members))
    ranked = recommender.rank(bracket, 20)
    chances = [each.probability or 0 for each in ranked]
    assert chances == sorted(chances, reverse=True)
    assert {*ranked.ids} == {*recommender.rank(local, 20).ids} - {*members}
    assert "P02-1040" in ranked.ids, "what is cited elsewhere may be cited here"
    empty = replace(local, kind="set")
    assert exact(recommender.rank(empty, 20)) == exact(recommender.rank(local, 20))
    assert exact(recommender.rank(bracket, 5)) == exact(ranked)[:5]


def test_a_set_is_proposed(toy_library: Library) -> None:
    """What is proposed comes first and is marked; at least one paper, unless the citation may be complete;
    a pipeline without probabilities proposes nothing."""
    text = "tuning the weights of a model"
    bracket = Query("set", text, member_ids=("P03-1021",), known_ids=("P03-1021",))
    found = Recommender(toy_library, models=ModelSet(sets=CosineOfMembers())).suggest(bracket, 5, threshold=0)
    marks = [each.proposed for each in found]
    assert marks[0]
    assert marks == sorted(marks, reverse=True)

    class Never(CosineOfMembers):
        def threshold(self, members: int) -> float:
            return 1.0

    none = Recommender(toy_library, models=ModelSet(sets=Never()))
    assert [each.proposed for each in none.suggest(bracket, 3, threshold=0)] == [True, False, False]
    complete = replace(bracket, may_be_complete=True)
    assert not any(each.proposed for each in none.suggest(complete, 3, threshold=0))
    plain = Recommender(toy_library, "hybrid").suggest(bracket, 3)
    assert plain
    assert not any(each.proposed for each in plain)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_what_answers(toy_library: Library, pipeline: Any) -> None:
    """Every kind is answered, by the first stages of the pipeline; stages from elsewhere come last."""
    stages = {
        "bm25": ("text",),
        "dense": ("vectors",),
        "hybrid": ("text", "vectors"),
        "full": tuple(stage.name for stage in FIRST_STAGES),
    }[pipeline]
    for kind in KINDS:
        assert Recommender(toy_library, pipeline).answers(kind) == Answering(pipeline, stages, None)
    added = Recommender(toy_library, pipeline, models=ModelSet(first_stages=(Nothing(),)))
    assert added.answers("local").first_stages == (*stages, "nothing")


class Nothing:
    """A first stage of another package."""

    name = "nothing"
    treatment: Treatment = "fused"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        return Hits(np.zeros(0, np.int64), np.zeros(0, np.float32))


def test_first_stages_have_names(toy_library: Library) -> None:
    """Each its own: results are told by them."""
    with pytest.raises(
        QueryError, match=r"two first stages have the same name; names are: .*, nothing, nothing$"
    ):
        Recommender(toy_library, models=ModelSet(first_stages=(Nothing(), Nothing())))


def test_an_index_with_other_vectors(toy_library: Library) -> None:
    """Vectors of one encoder are never compared with those of another."""
    index = open_index(toy_library, HashEncoder("one"))
    assert len(
        Recommender(toy_library, index=index, models=ModelSet(encoder=HashEncoder("one"))).rank(
            Query("local", "BLEU"), 3
        )
    )
    assert len(Recommender(toy_library, "bm25", index=index).rank(Query("local", "BLEU"), 3))
    for other in (index, open_index(toy_library)):
        with pytest.raises(QueryError, match="the index has no vectors of two; open it with this encoder"):
            Recommender(toy_library, index=other, models=ModelSet(encoder=HashEncoder("two")))


def test_asked_twice(toy_library: Library) -> None:
    """A recommender that has answered other questions answers as one that is new."""
    used = Recommender(toy_library)
    queries = [replace(query, citing_id="N03-1017") for query in questions(20)]
    first = [exact(used.rank(query, 20)) for query in queries]
    assert [exact(used.rank(query, 20)) for query in reversed(queries)] == first[::-1]
    assert [exact(Recommender(toy_library).rank(query, 20)) for query in queries] == first
