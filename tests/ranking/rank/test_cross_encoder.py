"""Cross-encoders: which texts are read of a pair, what is refused, and how they order candidates."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from small_library import make, paper
from tiny_cross import WORDS, network, tiny_cross

from citewhy.base.errors import DamagedError
from citewhy.base.records import DraftCitation, DraftEvidence, Paper, Query
from citewhy.models import open_model, read_model, write_model
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.cross_encoder import (
    MODEL,
    TOKENIZER,
    CrossEncoder,
    Limits,
    PairReader,
    abstract_part,
    citing_sentences,
    inputs_of,
)
from citewhy.ranking.rank.reranker import RerankRequest
from citewhy.ranking.recommender import Recommender

CLS, SEP, MASK = (WORDS.index(name) for name in ("[CLS]", "[SEP]", "[MASK]"))
PARSING, TREES, OF_WORDS, TAGGING, WE = (
    WORDS.index(word) for word in ("parsing", "trees", "words", "tagging", "we")
)


def draft(*citations: tuple[str, str]) -> DraftEvidence:
    """Other citations, each a sentence and the id of the paper."""
    made = [DraftCitation(text, (paper_id,), at, at) for at, (text, paper_id) in enumerate(citations)]
    return DraftEvidence(tuple(made), 0, 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cross").mkdir()
    return tiny_cross(tmp_path / "cross")


def reader(folder: Path, **limits: int) -> PairReader:
    """A reader with the tiny tokenizer."""
    return PairReader((folder / TOKENIZER).read_bytes(), Limits(**limits), folder)


def test_what_is_read_of_a_pair(folder: Path) -> None:
    """The sentence with its place and its paper's title; title and abstract; the sentence of the draft."""
    query = Query("local", "parsing TARGETCIT we OTHERCIT", "trees", draft=draft(("we words", "p")))
    pairs = reader(folder).pairs(query, [Paper("p", "parsing", "tagging"), Paper("q", "trees")])
    sentence = (CLS, PARSING, MASK, WE, SEP, TREES, SEP)
    assert pairs[0] == (sentence, (CLS, PARSING, SEP, TAGGING, SEP), (CLS, WE, OF_WORDS, SEP))
    assert pairs[1] == (sentence, (CLS, TREES, SEP), ())


def test_without_citing_sentences(folder: Path) -> None:
    """With 0 tokens for them, they are not read."""
    query = Query("local", "parsing", draft=draft(("words", "p")))
    (pair,) = reader(folder, citing=0).pairs(query, [Paper("p", "trees")])
    assert pair == ((CLS, PARSING, SEP), (CLS, TREES, SEP), ())


@pytest.mark.parametrize("before", [0, 1, 5, 20])
def test_a_long_sentence_is_read_around_its_citation(folder: Path, before: int) -> None:
    """Whatever is cut off, the place of the citation stays, and no more than the limit is read."""
    text = " ".join(["we"] * before + ["TARGETCIT"] + ["we"] * 20)
    ((sentence, _, _),) = reader(folder, sentence=10).pairs(Query("local", text, "trees"), [Paper("p", "a")])
    assert len(sentence) == 10
    assert sentence.count(MASK) == 1


def test_a_long_sentence_without_a_place_ends_at_the_limit(folder: Path) -> None:
    """Its end is read: there it will cite."""
    text = " ".join(["we"] * 20 + ["parsing"])
    ((sentence, _, _),) = reader(folder, sentence=6).pairs(Query("local", text), [Paper("p", "a")])
    assert sentence == (CLS, WE, WE, WE, PARSING, SEP)


def test_nothing_to_read(folder: Path) -> None:
    """Texts without words are empty blocks; a question without words scores nothing."""
    model = CrossEncoder(read_model(folder, "reranker"))
    request = RerankRequest(Query("local", " "), [Paper("p", "trees"), Paper("q", "")], [np.zeros(0)] * 2)  # type: ignore[list-item]
    assert model.scores(request).tolist() == [0, 0]
    assert inputs_of(((), (), ()))["blocks"].shape == (1, 0)


def test_the_part_of_an_abstract() -> None:
    """It begins with the sentence that shares most stems with the question; the first one among equals."""
    abstract = "We tag words. Trees are parsed fast. Graphs are drawn."
    assert abstract_part(abstract, {"tree", "pars"}, 50) == "Trees are parsed fast. Graphs are drawn."
    assert abstract_part(abstract, {"tree", "pars"}, 2) == "Trees are"
    assert abstract_part(abstract, set(), 3) == "We tag words."
    assert abstract_part(" ", {"tree"}, 3) == ""


def test_the_citing_sentence() -> None:
    """Of the sentences that cite a paper, the one that shares most stems; the first among equals."""
    evidence = draft(("words", "p"), ("trees are parsed", "p"), ("parsed trees", "p"), ("tags", "q"))
    assert citing_sentences(evidence, {"tree", "pars"}) == {"p": "trees are parsed", "q": "tags"}
    assert citing_sentences(None, {"tree"}) == {}


def test_scores_and_reasons(folder: Path) -> None:
    """Scores by hand: words of the paper count once, those of the citing sentence twice."""
    model = open_model(folder, "reranker")
    query = Query("local", "we TARGETCIT", draft=draft(("words", "b")))
    papers = [Paper("a", "parsing trees"), Paper("b", "trees", "tagging")]
    request = RerankRequest(query, papers, [np.zeros(0, dtype=np.int16)] * 2)
    assert model.scores(request).tolist() == [11, 209]
    (reason,) = model.reasons(request, 1)
    assert (reason.kind, reason.weight) == ("text", 209)
    assert reason.text == "the sentence and its title and abstract, read together, score 209.00"
    assert model.reasons(request, 0)[0].text.startswith("the sentence and its title, read together")


RECORDS = [
    paper("a", "parsing parsing"),
    paper("b", "parsing words"),
    paper("c", "parsing and more trees"),
]


def test_the_order_is_fused(tmp_path: Path) -> None:
    """The score minus the weight times the logarithm of the rank orders the first candidates."""
    library = make(tmp_path / "library", RECORDS)
    query = Query("local", "parsing")
    before = Recommender(library, "bm25").rank(query, 3).ids
    values = {"a": 2.0, "b": 101.0, "c": 11.0}
    for weight in (0.0, 1000.0):
        (tmp_path / str(weight)).mkdir()
        model = CrossEncoder(read_model(tiny_cross(tmp_path / str(weight), weight=weight), "reranker"))
        found = Recommender(library, "bm25", models=ModelSet(rerankers=(model,))).rank(query, 3)
        expected = {each: values[each] - weight * log(1 + rank) for rank, each in enumerate(before)}
        assert [one.paper_id for one in found] == sorted(expected, key=lambda each: -expected[each])
        assert [one.score for one in found] == pytest.approx(
            sorted(expected.values(), reverse=True), rel=1e-5
        )
    library.close()


def test_the_scores_before_count(tmp_path: Path) -> None:
    """The fact `order` says how much the scores before count; reasons are of the network alone."""
    library = make(tmp_path / "library", RECORDS)
    query = Query("local", "parsing")
    before = {one.paper_id: one.score for one in Recommender(library, "bm25").rank(query, 3)}
    (tmp_path / "cross").mkdir()
    folder = tiny_cross(tmp_path / "cross")
    rewritten(folder, order=50.0, weights=[])
    model = CrossEncoder(read_model(folder, "reranker"))
    recommender = Recommender(library, "bm25", models=ModelSet(rerankers=(model,)))
    values = {"a": 2.0, "b": 101.0, "c": 11.0}
    expected = {each: value + 50 * before[each] for each, value in values.items()}
    found = recommender.rank(query, 3)
    assert [one.paper_id for one in found] == sorted(expected, key=lambda each: -expected[each])
    assert {one.paper_id: one.score for one in found} == pytest.approx(expected, rel=1e-5)
    texts = [one.reasons[0].text for one in recommender.suggest(query, 3) if one.paper.id == "b"]
    assert texts == ["the sentence and its title, read together, score 101.00"]
    library.close()


@pytest.mark.parametrize("order", [-1.0, float("inf"), "much", None])
def test_other_weights_of_the_order(folder: Path, order: Any) -> None:
    """The scores of the order before count by a finite number from 0 up."""
    rewritten(folder, order=order)
    with pytest.raises(DamagedError, match="the fact 'order' is"):
        open_model(folder, "reranker")


def rewritten(folder: Path, **facts: Any) -> None:
    """The manifest again, for the files as they are, with other facts."""
    manifest = orjson.loads((folder / "manifest.json").read_bytes())
    told, shapes = {**manifest["facts"], **facts}, {MODEL: manifest["files"][MODEL]["shapes"]}
    write_model(folder, "reranker", "cross-encoder", "tiny", told, shapes)


@pytest.mark.parametrize(
    "tokens",
    [
        {},
        {"sentence": 9, "paper": 9},
        {"sentence": 9, "paper": 9, "citing": -1},
        {"sentence": 3, "paper": 9, "citing": 9},
        {"sentence": True, "paper": 9, "citing": 9},
    ],
)
def test_other_numbers_of_tokens(folder: Path, tokens: dict[str, int]) -> None:
    """Are refused in one sentence."""
    rewritten(folder, tokens=tokens)
    with pytest.raises(DamagedError, match="the fact 'tokens' is"):
        open_model(folder, "reranker")


def test_other_depths(folder: Path) -> None:
    """At least one candidate is read."""
    rewritten(folder, depth=0)
    with pytest.raises(DamagedError, match="the depth is 0"):
        open_model(folder, "reranker")


def test_another_network(folder: Path) -> None:
    """A network with other outputs is refused."""
    (folder / MODEL).write_bytes(network("others"))
    rewritten(folder)
    with pytest.raises(DamagedError, match="the network's inputs and outputs are"):
        open_model(folder, "reranker")


def test_a_tokenizer_without_marks(folder: Path) -> None:
    """Is refused, by the name of the mark."""
    document = orjson.loads((folder / TOKENIZER).read_bytes())
    document["added_tokens"] = [each for each in document["added_tokens"] if each["content"] != "[MASK]"]
    document["model"]["vocab"] = {k: v for k, v in document["model"]["vocab"].items() if k != "[MASK]"}
    (folder / TOKENIZER).write_bytes(orjson.dumps(document))
    rewritten(folder)
    with pytest.raises(DamagedError, match=r"the tokenizer lacks \[MASK\]"):
        open_model(folder, "reranker")
