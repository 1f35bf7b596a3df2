"""Paragraphs as training examples."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from small_collection import lines, paper, write

pytest.importorskip("torch", reason="needs the extra lab")

from citewhy.base.records import Query
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.qpcr.encoder import ByTokens, paragraph_text, whole_text
from citewhy_lab.train.systems.qpcr.recipe import (
    Example,
    Quadruplet,
    examples,
    published,
    quadruplets,
)

ROW: dict[str, Any] = {
    "query_id": "q_0",
    "paper": "q",
    "year": 2005,
    "title": "Ours",
    "abstract": "We parse.",
    "topic_sentence": "Parsing is old.",
    "cited_ids": ["a", "b", "q"],
    "related_ids": ["c", "b"],
    "other_ids": ["d", "later", "c"],
}


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """`a` cites e and d, `c` cites f, `q` itself g; `later` is of 2009."""
    rows = [paper(each) for each in ("a", "b", "c", "d", "e", "f", "g", "q")]
    edges = [("a", "e"), ("a", "d"), ("c", "f"), ("g", "a"), ("q", "g")]
    return Collection(write(tmp_path, [*rows, paper("later", 2009)], citations=edges))


def read(
    collection: Collection, tmp_path: Path, *rows: dict[str, Any], barred: tuple[str, ...] = ()
) -> list[Example]:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(lines(rows))
    return examples([path], collection, barred)


def test_pools(collection: Collection, tmp_path: Path) -> None:
    """Cited by other paragraphs: c. Elsewhere in the paper: d, not the newer one, and g by the collection. By
    what the section cites: e and f, and not d, which the paper itself cites. The paper itself is nowhere."""
    [found] = read(collection, tmp_path, ROW)
    assert found.positives == ("a", "b")
    assert found.pools == (("c",), ("d", "g"), ("e", "f"))
    assert found.references == {"a", "b", "c", "d", "g", "q"}


def test_other_paragraphs_of_the_file(collection: Collection, tmp_path: Path) -> None:
    """Without a list, other paragraphs of the paper in the file are its related work."""
    bare = {name: ROW[name] for name in ("query_id", "paper", "topic_sentence", "cited_ids")}
    first, second = read(
        collection, tmp_path, bare, bare | {"query_id": "q_1", "cited_ids": ["c", "unknown"]}
    )
    assert (first.pools[0], second.positives, second.pools[0]) == (("c",), ("c",), ("a", "b"))
    assert (first.query.title, first.query.year) == ("About q", 2000)


def test_paragraphs_of_other_sections(collection: Collection, tmp_path: Path) -> None:
    """With a list, what other paragraphs of the file cite is cited elsewhere in the paper."""
    [first, _] = read(
        collection,
        tmp_path,
        ROW | {"related_ids": [], "other_ids": []},
        ROW | {"query_id": "q_1", "cited_ids": ["c"]},
    )
    assert first.pools[:2] == ((), ("c", "g"))


def test_what_the_topic_sentence_cites(collection: Collection, tmp_path: Path) -> None:
    """It is cited by the paper, and is no negative, wherever else it is cited: c by another paragraph, d by
    another section, e by a. What the rest of the paragraph cites as well stays positive."""
    [found] = read(collection, tmp_path, ROW | {"topic_ids": ["a", "c", "d", "e"]})
    assert (found.positives, found.pools) == (("a", "b"), ((), ("g",), ()))
    assert found.references == {"a", "b", "c", "d", "e", "g", "q"}


def test_barred_papers(collection: Collection, tmp_path: Path) -> None:
    """They are neither positives nor negatives; a paragraph without a positive is left out."""
    [found] = read(collection, tmp_path, ROW, ROW | {"cited_ids": ["b"]}, barred=("b", "e"))
    assert (found.positives, found.pools) == (("a",), (("c",), ("d", "g"), ("f",)))


def test_as_a_whole_paper(collection: Collection, tmp_path: Path) -> None:
    """All that the section cites is positive; only what the paper does not cite is negative."""
    [found] = read(collection, tmp_path, ROW)
    whole = found.as_whole()
    assert (whole.positives, whole.pools) == (("a", "b", "c"), ((), (), ("e", "f")))


def test_three_pools() -> None:
    """3, 3 and 4 negatives, each once; positives are two different papers."""
    pools = tuple(tuple(f"{pool}{n}" for n in range(9)) for pool in "xyz")
    example = Example(Query("paragraph", "t"), ("p1", "p2", "p3"), pools, frozenset({"p1", "p2", "p3"}))
    drawn = quadruplets(example, ["far"], random.Random(1))
    assert [each.negative[0] for each in drawn] == [*"xxxyyyzzzz"]
    assert len({each.negative for each in drawn}) == 10
    assert all(each.first != each.second for each in drawn)


def test_small_pools() -> None:
    """What is missing comes from the other pools, then from other papers that are not cited; a paragraph with
    one positive has it twice."""
    example = Example(Query("paragraph", "t"), ("p",), (("x",), (), ("z1", "z2")), frozenset({"p", "cited"}))
    drawn = quadruplets(example, ["p", "cited", "x", "far1", "far2"], random.Random(1))
    assert {each.negative for each in drawn} == {"x", "z1", "z2", "far1", "far2"}
    assert drawn[0] == Quadruplet("p", "p", "x")


def test_nearest_papers_as_negatives() -> None:
    """Four of ten are from the nearest, also if one of them is in a pool; if there are three, three."""
    pools = tuple(tuple(f"{pool}{n}" for n in range(9)) for pool in "xyz")
    example = Example(Query("paragraph", "t"), ("p",), pools, frozenset({"p"}))
    for near in (("n1", "n2", "n3", "n4", "z1"), ("n1", "n2", "n3")):
        drawn = {each.negative for each in quadruplets(example, [], random.Random(1), near, 4)}
        assert len(drawn) == 10
        assert len(drawn.intersection(near)) == min(4, len(near))


def test_instances_as_published() -> None:
    """Of a paragraph that cites a and b, twenty quadruplets: ten for each, whose other positive is the other
    one. The related work has two papers of four, both used; the rest five of three, drawn, perhaps twice;
    two of three are cited by what is cited. Three are missing, and come from anywhere but the citing paper,
    be it cited."""
    pools = (("r1", "r2"), ("o1", "o2", "o3", "o4", "o5"), ("s1", "s2"))
    query = Query("paragraph", "t", citing_id="own")
    example = Example(query, ("a", "b"), pools, frozenset({"a", "b"}))
    drawn = published(example, ["a", "own"], random.Random(1), "qpcr")
    assert [(each.first, each.second) for each in drawn] == [("a", "b")] * 10 + [("b", "a")] * 10
    for cited in ("a", "b"):
        negatives = [each.negative for each in drawn if each.first == cited]
        assert negatives[:2] == ["r1", "r2"]
        assert set(negatives[2:5]) <= set(pools[1])
        assert negatives[5:] == ["s1", "s2", "a", "a", "a"]


def test_a_single_citation_as_published() -> None:
    """A paragraph that cites one paper has no quadruplet, and ten triplets."""
    example = Example(Query("paragraph", "t"), ("a",), ((), (), ()), frozenset({"a"}))
    assert published(example, ["far"], random.Random(1), "qpcr") == []
    assert published(example, ["far"], random.Random(1), "tri") == [Quadruplet("a", "a", "far")] * 10


def test_whole_papers_as_published(collection: Collection, tmp_path: Path) -> None:
    """Negatives are partly cited elsewhere in the paper, d and g, partly cited by what it cites, e and f; the
    other six are from anywhere but what its related work cites; all three positives share the ten."""
    [found] = read(collection, tmp_path, ROW)
    whole = found.as_whole(published=True)
    assert (whole.positives, whole.pools) == (("a", "b", "c"), (("d", "g"), (), ("e", "f")))
    drawn = published(whole, ["a", "b", "c", "q", "far"], random.Random(1), "aclrw")
    assert [each.negative for each in drawn] == ["d", "g", "e", "f", *["far"] * 6] * 3
    assert [each.first for each in drawn] == ["a"] * 10 + ["b"] * 10 + ["c"] * 10


def test_texts() -> None:
    """Title and abstract, the mark, the topic sentence; what is unknown is left out; a long abstract is cut
    at a word, and the topic sentence is kept."""
    query = Query("paragraph", "Parsing is old.", "Ours", "We parse.")
    assert paragraph_text(query) == "Ours. We parse. [TS] Parsing is old."
    assert whole_text(query) == "Ours. We parse."
    assert paragraph_text(Query("paragraph", "Parsing is old.")) == "[TS] Parsing is old."
    assert paragraph_text(Query("paragraph", "Old.", "Ours")) == "Ours [TS] Old."
    long = paragraph_text(Query("paragraph", "Parsing is old.", "Ours", "parse " * 300))
    assert long.endswith("parse parse [TS] Parsing is old.")
    assert len(long) < 950


def test_texts_that_are_cut_by_tokens() -> None:
    """Of twelve tokens, two mark start and end, and the mark and three words are the topic sentence's: six
    words of title and abstract are left, all where there is room, and none where the topic sentence takes
    it."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0}, "?"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(pad_to_multiple_of=8)
    query = Query("paragraph", "Parsing is old.", "Ours", "a b c d e f g")
    assert paragraph_text(query, ByTokens(tokenizer, 12)) == "Ours. a b c d e [TS] Parsing is old."
    assert paragraph_text(query, ByTokens(tokenizer, 14)) == "Ours. a b c d e f g [TS] Parsing is old."
    assert paragraph_text(query, ByTokens(tokenizer, 6)) == "[TS] Parsing is old."
    assert whole_text(query, ByTokens(tokenizer, 6)) == "Ours. a b c"
    assert (tokenizer.truncation or {})["max_length"] == 3
