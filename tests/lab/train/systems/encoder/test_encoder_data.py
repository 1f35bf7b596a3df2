"""What an encoder learns from: nothing newer, nothing held out, no right answer as a wrong one."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from small_collection import HIDDEN, SHOWN, collection, context, paper, write

from citewhy.base.errors import InputError
from citewhy.base.records import Paper, Query
from citewhy.search.encode.texts import paper_text, query_text
from citewhy_lab.evaluate.datasets.held_out import SHARE, held_out
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.encoder.data import NONE, SKIPPED, Batches, candidates, forbidden, mine, pairs
from citewhy_lab.train.systems.encoder.settings import EncoderSettings

A, B, C, D, E, F = SHOWN[:6]
LONG = "One sentence tells of parsing. Another one tells of trees. The last one tells of results. " * 3


def test_held_out_is_a_fifth() -> None:
    """The rule is a hash: one id in five, the same ones for ever."""
    share = np.mean([held_out(f"P{number:05d}") for number in range(20_000)])
    assert abs(share - 1 / SHARE) < 0.01
    asked = ("P02-1040", "J93-2003", "N03-1017", "P03-1021", "C98-1013")
    assert [each for each in asked if held_out(each)] == ["P02-1040"]


def test_the_year_is_the_last_one(tmp_path: Path) -> None:
    """Citing papers of `until` count, later ones and those without a year do not; nor do later answers."""
    data = collection(
        tmp_path,
        [paper(A, 2010), paper(B, 2011), paper(C, None), paper(D, 2009), paper(E, 2011)],
        [(A, D), (B, D), (C, D), (A, E)],
        [context(A, [D], 2010), context(B, [D], 2011), context(C, [D], None), context(F, [E], 2010)],
    )
    found = pairs(data, 2010)
    assert [(pair.query.text, pair.paper_id) for pair in found["context"]] == [
        (f"As TARGETCIT says, {A} is not {D}.", D)
    ]
    assert [(pair.query.title, pair.paper_id) for pair in found["citation"]] == [(f"About {A}", D)]
    assert {pair.paper_id for pair in pairs(data, 2011)["context"]} == {D, E}


def test_a_held_out_paper_is_no_answer(tmp_path: Path) -> None:
    """Neither right, in any source, nor wrong; also where only another id of the paper is held out."""
    hidden, alias = HIDDEN[:2]
    data = collection(
        tmp_path,
        [paper(A), paper(B, abstract=LONG), paper(C, abstract=LONG), paper(hidden, abstract=LONG)],
        [(A, B), (A, C), (A, hidden)],
        [context(A, [B, C, hidden], 2001)],
        [(C, alias)],
        paragraphs=[{"paper": "x", "topic_sentence": "We parse.", "cited_ids": [B, C, hidden]}],
    )
    answers = {
        source: {data.canonical(pair.paper_id) for pair in each} for source, each in pairs(data, 2010).items()
    }
    assert answers == {"context": {B}, "citation": {B}, "self": {B}, "paragraph": {B}}
    assert set(candidates(data, 2010, seed=1)) <= {A, B}
    assert B in candidates(data, 2010, seed=1)


def test_aliases_are_one_paper(tmp_path: Path) -> None:
    """Two ids, one answer; the record with an abstract speaks for it; each other's citations never count as
    wrong."""
    one, other = sorted((B, C))
    data = collection(
        tmp_path,
        [paper(A), paper(one), paper(other, abstract=LONG), paper(D)],
        [(A, one), (A, other), (D, one)],
        [context(A, [one, other], 2001)],
        [(other, one)],
    )
    found = pairs(data, 2010)
    assert [pair.paper_id for pair in found["context"]] == [one]
    assert found["context"][0].paper.abstract == LONG.strip()
    assert [pair.paper_id for pair in found["citation"]] == [one, one]
    same = forbidden(found["citation"], [])
    assert same.tolist() == [[False, True], [True, False]]


def test_other_references_are_no_wrong_answers(tmp_path: Path) -> None:
    """What the citing paper cites elsewhere, and the paper itself, do not count; strangers do."""
    data = collection(
        tmp_path,
        [paper(each) for each in (A, B, C, D, E)],
        [(A, C)],
        [context(A, [B], 2001), context(E, [C], 2001), context(E, [D], 2001)],
    )
    contexts = pairs(data, 2010)["context"]
    assert [pair.paper_id for pair in contexts] == [B, C, D]
    mask = forbidden(contexts, [A, E])
    assert mask.tolist() == [
        [False, True, False, True, False],  # A cites B and C
        [False, False, True, False, True],  # E cites C and D
        [False, True, False, False, True],
    ]


def test_texts_are_those_that_serve(tmp_path: Path) -> None:
    """A form is made by the functions that make texts for the encoder in use, whole or without a part."""
    data = collection(
        tmp_path,
        [paper(A, abstract=LONG), paper(B, abstract=LONG)],
        [(A, B)],
        [context(A, [B], 2001)],
    )
    found = pairs(data, 2010)
    rng = random.Random(1)
    (asked,), (cited,) = found["context"], found["citation"]
    title, text, abstract = f"About {A}", f"As TARGETCIT says, {A} is not {B}.", LONG.strip()
    papers = {
        paper_text(Paper(B, f"About {B}", abstract)),
        paper_text(Paper(B, f"About {B}")),
    }
    forms = [asked.form(rng) for _ in range(100)]
    assert {form.query for form in forms} == {
        query_text(Query("local", text=text, title=title)),
        query_text(Query("local", text=text)),
    }
    assert {form.paper for form in forms} == papers
    assert {form.reads_like for form in forms} == {"query"}
    forms = [cited.form(rng) for _ in range(100)]
    assert {form.query for form in forms} == {
        query_text(Query("global", title=title, abstract=abstract)),
        query_text(Query("global", title=title)),
    }
    assert {form.reads_like for form in forms} == {"paper"}


def test_a_sentence_is_not_in_its_answer(tmp_path: Path) -> None:
    """A paper that answers for itself is shown without what is asked: the title, or the sentence."""
    abstract = "We parse with trees. " + "Nobody has done it before in this way. " * 5 + "It is fast."
    data = collection(tmp_path, [paper(A, abstract=abstract), paper(B, abstract=LONG)])
    (own, _) = pairs(data, 2010)["self"]
    rng = random.Random(3)
    forms = [own.form(rng) for _ in range(60)]
    assert {form.query for form in forms} >= {f"About {A}", "We parse with trees.", "It is fast."}
    for form in forms:
        if form.query == f"About {A}":
            assert form.paper == abstract
        elif "Nobody" not in form.query:
            assert form.query not in form.paper
            assert form.paper.startswith(f"About {A}. ")


def test_a_triple_brings_its_wrong_answer(tmp_path: Path) -> None:
    """The far paper of a triple is a negative of its batch, beside the near ones."""
    row = {
        name: {"id": str(number), "title": f"Of {name}", "abstract": None}
        for number, name in enumerate(("query", "pos", "neg"))
    }
    data = collection(tmp_path, [paper(A)], triples=[row])
    batch = Batches(pairs(data, 2010), EncoderSettings(steps=1, batch=2))[0]
    assert (batch.queries, batch.papers) == (["Of query"] * 2, ["Of pos", "Of pos", "Of neg", "Of neg"])
    assert batch.forbidden.tolist() == [[False, True, False, False], [True, False, False, False]]


def test_mined_papers_are_wrong_and_not_newer(tmp_path: Path) -> None:
    """The nearest that are left once references and newer papers are out, without the very nearest."""
    ids = SHOWN[:12]
    data = collection(
        tmp_path,
        [paper(each, 2005 if place == 4 else 2000) for place, each in enumerate(ids)],
        [(A, ids[3])],
        [context(A, [ids[2]], 2001)],
    )
    asked = pairs(data, 2010)["context"]
    papers = np.array([[1 - place / 20, 0.0] for place in range(12)], dtype=np.float32)  # nearest first
    years = [data.papers[each].year or 0 for each in ids]
    found = mine(asked, np.array([[1.0, 0.0]], dtype=np.float32), ids, years, papers)
    wrong = [1, 5, 6, 7, 8, 9, 10, 11]  # not A itself, nor what it cites, nor the newer paper
    assert [place for place in found[0] if place != NONE] == wrong[SKIPPED:]


def test_a_batch_depends_on_seed_and_step(tmp_path: Path) -> None:
    """The batch of a step is the same whether or not others were made before; another seed, other batches."""
    ids = SHOWN[:40]
    data = collection(tmp_path, [paper(each, abstract=LONG) for each in ids], [(A, each) for each in ids[1:]])
    found = pairs(data, 2010)
    one, other = (Batches(found, EncoderSettings(steps=20, batch=4)) for _ in range(2))
    for step in range(20):
        one[step]
    last, again = one[19], other[19]
    assert (last.queries, last.papers) == (again.queries, again.papers)
    assert Batches(found, EncoderSettings(steps=20, batch=4, seed=8))[19].papers != last.papers


def test_a_source_is_gone_through_whole(tmp_path: Path) -> None:
    """Nothing comes twice before everything has come once."""
    ids = SHOWN[:13]
    data = collection(tmp_path, [paper(each) for each in ids], [(A, each) for each in ids[1:]])
    batches = Batches(pairs(data, 2010), EncoderSettings(steps=6, batch=4))
    for first in (0, 3):
        seen = [text for step in range(first, first + 3) for text in batches[step].papers]
        assert sorted(seen) == sorted(f"About {each}" for each in ids[1:])


def test_what_a_folder_needs(tmp_path: Path) -> None:
    """Without papers, or without anybody who cites, the folder is named with what was expected."""
    with pytest.raises(InputError, match=r"the folder has no papers; expected papers\.jsonl"):
        Collection(tmp_path)
    (tmp_path / "papers.jsonl").write_text("")
    with pytest.raises(InputError, match="the folder has no contexts and no citations"):
        Collection(tmp_path)


def test_bad_records(tmp_path: Path) -> None:
    """One bad record is counted and skipped; a file of another kind, and a broken triple, are refused."""
    folder = write(tmp_path, [paper(A), {"id": B}])
    assert Collection(folder).skipped == 1
    (folder / "triples.jsonl").write_text('{"query": {"id": "1", "title": "T"}}\n')
    with pytest.raises(InputError, match=r"triples\.jsonl:1: 'pos' is no paper"):
        Collection(folder)
    (folder / "triples.jsonl").unlink()
    (folder / "citations.tsv").write_text("id\tsame_as\na\tb\n")
    with pytest.raises(InputError, match=r"citations\.tsv: expected citations"):
        Collection(folder)
