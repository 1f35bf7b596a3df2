"""The experiments on paragraph-level recommendation: ranks and figures by hand, and complete pages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

for needed in ("torch", "transformers", "scipy", "matplotlib"):
    pytest.importorskip(needed, reason="needs the extra train, and plots")

import torch  # noqa: E402
from small_collection import SHOWN, lines, paper, write  # noqa: E402
from tiny_bert import tiny_bert  # noqa: E402

from citewhy.base.errors import InputError, QueryError  # noqa: E402
from citewhy.base.records import Paper, Query  # noqa: E402
from citewhy_lab.evaluate.datasets.topics import Topic  # noqa: E402
from citewhy_lab.evaluate.measures import score  # noqa: E402
from citewhy_lab.evaluate.runs import Ranking  # noqa: E402
from citewhy_lab.experiments import Setup, experiment, paragraphs, pcr  # noqa: E402
from citewhy_lab.experiments.engine import Scale  # noqa: E402
from citewhy_lab.experiments.paragraphs import (  # noqa: E402
    MEASURES,
    RankedPapers,
    answerable,
    ranked,
    scored,
)
from citewhy_lab.experiments.pcr_analysis import Judgement, by_year, jaccard, judgements, side_by_side  # noqa: E402
from citewhy_lab.train.collection import Collection  # noqa: E402
from citewhy_lab.train.systems.encoder.network import TextModel  # noqa: E402
from citewhy_lab.train.systems.qpcr.network import topic_attention  # noqa: E402
from citewhy_lab.train.systems.qpcr.recipe import marked_tokenizer  # noqa: E402
from citewhy_lab.train.systems.qpcr.settings import QpcrSettings  # noqa: E402

TOPICS = ("machine translation", "language model", "error rate", "noisy channel")


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


def found(ranks: list[int]) -> RankedPapers:
    return RankedPapers(np.array(ranks), np.zeros((1, 10), dtype=np.int64))


def test_ranks_by_hand(tmp_path: Path) -> None:
    """Of five candidates, one is newer than the question and one is the citing paper: the others are ranked,
    equal scores by id. An alias finds its paper, and what is no candidate has rank 0."""
    papers = [
        paper(name, year, "an abstract")
        for name, year in zip("abcde", (2001, 2002, 2003, 2009, 2002), strict=True)
    ]
    collection = Collection(write(tmp_path, papers, aliases=[("e", "e2")]))
    topic = Topic(Query("paragraph", "t", year=2003, id="q", citing_id="e2"), ("c", "b", "d"))
    scores = np.array([[0.5, 0.4, 0.5, 0.9, 0.8]], dtype=np.float32)
    arrays = ranked(scores, [topic], list("abcde"), collection)
    assert arrays["ranks"].tolist() == [2, 3, 0]
    assert arrays["first"].tolist() == [[0, 2, 1, -1, -1, -1, -1, -1, -1, -1]]


def test_papers_without_an_abstract_do_not_count(tmp_path: Path) -> None:
    """No system can find them: a question keeps the others, and is left out if it has none. A newer paper
    counts, as missed."""
    papers = [paper("a", 2001, "an abstract"), paper("b", 2001, ""), paper("c", 2009, "an abstract")]
    collection = Collection(write(tmp_path, papers))
    query = Query("paragraph", "t", year=2003, id="q", citing_id="x")
    topics = [Topic(query, ("b", "a", "c")), Topic(query, ("b",)), Topic(query, ("unknown",))]
    assert [topic.relevant for topic in answerable(topics, collection)] == [("a", "c")]


def test_measures_are_those_of_the_evaluation() -> None:
    """Ranks 1, 3, 4 of one question, and 5 and a missed paper of another: R-precision 2/3 and 0, and as
    `citewhy evaluate` computes them."""
    topics = [
        Topic(Query("paragraph", "t", id=name), tuple(names)) for name, names in (("q", "abc"), ("r", "de"))
    ]
    (values,) = scored([found([1, 3, 4, 5, 0])], topics)
    assert values.sums["Rprec"].tolist() == pytest.approx([2 / 3, 0])
    assert values.means()["RR"] == pytest.approx((1 + 1 / 5) / 2)
    places = {"q": {1: "a", 3: "b", 4: "c"}, "r": {5: "d"}}
    run = {
        name: Ranking(tuple(at.get(rank, f"{name}{rank}") for rank in range(1, 20)), range(20, 1, -1))
        for name, at in places.items()
    }
    whole = score(run, {topic.query.id: topic.relevant for topic in topics}, MEASURES, "queries")
    for name in MEASURES:
        assert values.sums[name] == pytest.approx(whole.sums[name])


def test_mean_rank_by_year() -> None:
    """Ranks 2 and 5 of 2001, rank 1 of 1999."""
    judged = [Judgement(0, rank, year, 1, 0.5) for rank, year in ((2.0, 2001), (1.0, 1999), (5.0, 2001))]
    assert by_year(judged) == {1999: (1.0, 1), 2001: (3.5, 2)}


def test_judgements_by_hand() -> None:
    """A paper of 2001 cited in 2005, at ranks 2 and 4 of two seeds: rank 3, four years older. A paper that is
    no candidate, and one of unknown year, are not judged."""
    papers = {"a": Paper("a", "Chart parsing", year=2001), "c": Paper("c", "Trees")}
    lab: Any = SimpleNamespace(
        topics=[Topic(Query("paragraph", "Parsing", year=2005, id="q"), ("a", "b", "c"))],
        collection=SimpleNamespace(papers=papers),
    )
    assert judgements([found([2, 0, 1]), found([4, 0, 1])], lab) == [Judgement(0, 3.0, 2001, 4, 0.5)]


def test_side_by_side_by_hand(tmp_path: Path) -> None:
    """Of two paragraphs the first share both papers, the second one of two: the second is shown, with the
    ranks of what it cites, one of which is no candidate."""
    papers = [paper(name, 2001, "an abstract") for name in "abc"]
    collection = Collection(write(tmp_path, papers))
    topics = [
        Topic(Query("paragraph", "One.", "First"), ("a",)),
        Topic(Query("paragraph", "Two.", "Second"), ("c", "b")),
    ]
    lab: Any = SimpleNamespace(
        topics=topics, collection=collection, papers=lambda: [collection.papers[name] for name in "abc"]
    )
    ts = RankedPapers(np.array([1, 3, 2]), np.array([[0, 1], [0, 1]]))
    qpcr = RankedPapers(np.array([1, 1, 0]), np.array([[1, 0], [2, 1]]))
    (table,) = side_by_side(ts, qpcr, lab, 1)
    assert (table.title, table.rows) == (
        "Side by side: Second",
        [["1", "About a", "About c"], ["2", "About b", "About b"]],
    )
    assert table.notes == ["Two. Cited, with both ranks: About c (3, 1); About b (2, –)."]
    assert side_by_side(ts, qpcr, lab, 0) == []


def test_jaccard_by_hand() -> None:
    """{parsing, trees, fast, chart} and {chart, parsing, works}: two of five words are shared."""
    query = Query("paragraph", "Chart parsing", title="Fast parsing", abstract="Trees")
    assert jaccard(query, Paper("p", "Chart parsing works")) == 2 / 5
    assert jaccard(Query("paragraph", ""), Paper("p", "")) == 0


def test_attention_by_hand(tmp_path: Path) -> None:
    """Where all tokens get the same attention, a topic sentence gets the share of its tokens, without
    [TS] and the end mark: 2 of 7 here. A text without [TS] gives none."""
    start = tiny_bert(tmp_path / "bert", 2, ("[unused1]",))
    marked_tokenizer(start / "tokenizer.json", tmp_path / "tokenizer.json")
    model = TextModel(start, tmp_path / "tokenizer.json")
    with torch.no_grad():
        for layer in model.network.encoder.layer:
            layer.attention.self.query.weight.zero_()
            layer.attention.self.query.bias.zero_()
    shares = topic_attention(model, ["machine translation [TS] noisy channel", "machine translation"], 64)
    assert shares == pytest.approx(np.array([[2 / 7, 2 / 7], [0, 0]]), abs=1e-6)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Eight papers on each of four topics, and paragraphs on each for training, validation and test."""
    data, built = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("built")
    papers = [
        {
            "id": SHOWN[number],
            "title": f"{TOPICS[number % 4]} {number}",
            "abstract": "we",
            "year": 2000 + number % 3,
        }
        for number in range(32)
    ]
    for part, first in (("train", 0), ("val", 4), ("test", 8)):
        rows = [
            {
                "query_id": f"{part}{number}",
                "paper": f"{part}{number}",
                "year": 2004,
                "topic_sentence": f"the {TOPICS[number % 4]} of a",
                "title": f"a method {'the' * (number % 2)}",
                "cited_ids": [SHOWN[number + first], SHOWN[number + first + 4]],
                "related_ids": [SHOWN[number + 1]],
            }
            for number in range(8)
        ]
        (built / f"paragraphs.{part}.jsonl").write_bytes(lines(rows))
    return write(data, papers, citations=[(SHOWN[0], SHOWN[13])]), built


@pytest.mark.parametrize("name", ["pcr", "pcr-analysis", "pcr-nearest"])
def test_pages(name: str, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every system and comparison is there with figures; a second run trains nothing, and has the same
    page."""
    small = Scale(QpcrSettings(epochs=1, paragraphs=4, pool=5), seeds=(1, 2))
    monkeypatch.setitem(paragraphs.SCALES, "small", small)
    monkeypatch.setitem(
        pcr.NEAREST_SCALES, "small", replace(small, settings=replace(small.settings, nearest=2))
    )
    start = tiny_bert(tmp_path / "bert", 3, ("[unused1]",))
    told: list[str] = []

    def progress(what: str, _share: float | None) -> None:
        told.append(what)

    def run() -> dict[str, Any]:
        setup = Setup(scale="small", encoder=start)
        result = experiment(name).run([*files, tmp_path / "kept"], setup, progress)
        assert result.markdown(name)
        return json.loads(result.json(name))  # type: ignore[no-any-return]

    first = run()
    assert any("step" in what for what in told)
    sizes = {"pcr": [5, 24], "pcr-analysis": [3, 3, 2], "pcr-nearest": [3, 12]}[name]
    assert [len(table["rows"]) for table in first["tables"]] == sizes
    assert first["made"]["options"]["taught"] == 8
    told.clear()
    assert run()["tables"] == first["tables"]
    assert not any("step" in what for what in told)


def test_other_files(files: tuple[Path, Path], tmp_path: Path) -> None:
    """The folder of paragraphs is required, and it must be split."""
    with pytest.raises(InputError, match="1 files"):
        experiment("pcr").run([files[0]], Setup(), silent)
    with pytest.raises(InputError, match=r"no paragraphs\.train\.jsonl"):
        experiment("pcr").run([files[0], tmp_path], Setup(), silent)


def test_the_scale_of_the_source_needs_a_start(files: tuple[Path, Path]) -> None:
    """Its models are read at [CLS], which the default start was not trained for."""
    with pytest.raises(QueryError, match=r"no meaning at \[CLS\]"):
        experiment("pcr").run([*files], Setup(scale="source"), silent)


def test_paragraphs_without_titles(files: tuple[Path, Path], tmp_path: Path) -> None:
    """One variant is trained on whole papers: without titles there are none, and the page cannot be made."""
    data, built = files
    for part in ("train", "val", "test"):
        rows = [json.loads(line) for line in (built / f"paragraphs.{part}.jsonl").read_text().splitlines()]
        untitled = [row | {"title": ""} for row in rows]
        (tmp_path / f"paragraphs.{part}.jsonl").write_bytes(lines(untitled))
    start = tiny_bert(tmp_path / "bert", 3, ("[unused1]",))
    with pytest.raises(InputError, match=r"no paragraph has the title of its paper.*; add the field title"):
        experiment("pcr").run([data, tmp_path], Setup(scale="small", encoder=start), silent)
