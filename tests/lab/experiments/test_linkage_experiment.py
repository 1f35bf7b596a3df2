"""The experiment linkage: what it refuses, and that its page has every table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("scipy")

from citewhy.base.config import CACHE_VARIABLE
from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.ranking.linkage.baselines import BASELINES
from citewhy_lab.evaluate.datasets.linkage import read_clusters
from citewhy_lab.evaluate.linkage import average, judge_all
from citewhy_lab.experiments import Setup, experiment
from citewhy_lab.experiments.linkage import SCALES
from citewhy_lab.train.systems.linkage_networks.data import CONFUSERS, citance_centred
from citewhy_lab.train.systems.linkage_networks.recipe import EMBEDDING, MARGIN, Network
from citewhy_lab.train.systems.linkage_networks.settings import Loss

RUN = experiment("linkage").run

WORDS = ["parser", "trees", "corpus", "tagger", "model", "grammar", "tokens", "align", "phrase"]


def written(folder: Path, clusters: int) -> Path:
    """Clusters of different sizes, whose citing sentences repeat a sentence of the paper."""
    papers: list[dict[str, object]] = []
    citances: list[dict[str, object]] = []
    for number in range(clusters):
        size = 24 + 3 * number % 11
        sentences = [
            {"sid": sid, "section": "", "text": f"{WORDS[sid % 9]} {WORDS[sid * number % 7]} n{sid}"}
            for sid in range(size)
        ]
        papers.append({"set": f"set{number % 2}", "cluster": f"P{number}", "reference_sentences": sentences})
        citances += [
            {
                "cluster": f"P{number}",
                "citance_id": f"P{number}_{place}",
                "citing_id": f"Q{place % (1 + number % 3)}",
                "citance_text": f"{WORDS[place * 3 % 9]} {WORDS[number % 7]} of {WORDS[place]}",
                "target_sids": [place * 3, *range(13, 13 + number % 4)],
            }
            for place in range(2 + number * number % 5)
        ]
    for name, rows in (("citances", citances), ("clusters", papers)):
        (folder / f"x.{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return folder / "x.citances.jsonl"


def test_the_scale_of_the_source() -> None:
    """Nomoto (2018): 60 units (triplet), or 100 and 2 (figure 3), I = 10 numbers and C = 1 (3.1), ten
    negatives of a target (4), ranks 1 to 10 true and 11 to 20 false, citances split into sentences (5), and
    300 dimensions of word2vec (6.2)."""
    scale = SCALES["source"]
    assert (scale.vector_size, scale.split) == (300, True)
    losses: tuple[Loss, ...] = ("triplet", "entropy")
    triplet, binary = (Network("binary", loss).build(5, None) for loss in losses)
    shapes = [tuple(parameter.shape) for parameter in (*triplet.parameters(), *binary.parameters())]
    assert shapes == [(5, 60), (60,), (5, 100), (100,), (2, 100), (2,)]
    assert (EMBEDDING, MARGIN, CONFUSERS) == (10, 1.0, 10)
    order = citance_centred(np.arange(30, 0, -1, dtype=np.float32)[None])
    assert order.true.tolist() == [[*range(10)]]
    assert order.false.tolist() == [[*range(10, 20)]]


def test_the_whole_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every system of the source is measured on every cluster (`test_linkage_tables` has the figures); a
    baseline's are those of the baseline itself; the JSON has every system with an interval."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setitem(SCALES, "small", replace(SCALES["small"], seeds=1, epochs=2, vector_epochs=1))
    file = written(tmp_path, 7)
    result = RUN([file], Setup(scale="small"), lambda what, share: None)
    document = json.loads(result.json("linkage"))
    clusters = read_clusters(file, ImportReport())
    for name in ("bdot", "jaccard", "bm25"):
        judged = average(judge_all(BASELINES[name], clusters), "clusters")
        wanted = dict(zip(judged.query_ids, judged.sums["RR"].tolist(), strict=True))
        shown = {"bdot": "BDOT", "jaccard": "Jaccard", "bm25": "BM25"}[name]
        assert document["systems"][f"baseline/{shown}"]["by_cluster"] == wanted
    assert len({str(each["by_cluster"]) for each in document["systems"].values()}) > 10  # no two are one
    systems = document["systems"]
    assert {"baseline/BDOT", "CCS/SVR", "TCS/binary, entropy", "CCS/tfidf, entropy, sqrd"} <= systems.keys()
    for system in systems.values():
        low, high = system["first_seed"]["intervals"]["RR"]
        assert low <= system["first_seed"]["citances"]["RR"] <= high
        assert len(system["by_cluster"]) == 7
    assert {"untrained/binary, entropy", "TCS/binary, entropy, counting start"} <= systems.keys()
    kept = {each.name for each in (tmp_path / "cache" / "linkage").iterdir()}
    again = RUN([file], Setup(scale="small"), lambda what, share: None)
    assert again.facts == result.facts
    assert {each.name for each in (tmp_path / "cache" / "linkage").iterdir()} == kept
    assert [entry["file"] for entry in document["made"]["data"]] == ["x.citances.jsonl", "x.clusters.jsonl"]
    assert "up to 2 epochs, word2vec with 20 dimensions (300 in the source)" in result.summary[0]
    assert "--scale small" in result.summary[0]
    drawn = result.plots["by-cluster"]
    assert all(f">P{number}</text>" in drawn for number in range(7))


def test_too_few_clusters(tmp_path: Path) -> None:
    """A regression on four features needs seven clusters; the error says how many there are."""
    with pytest.raises(InputError, match="3 clusters are too few"):
        RUN([written(tmp_path, 3)], Setup(scale="small"), lambda what, share: None)


def test_one_file(tmp_path: Path) -> None:
    """The cited papers are found beside the citances, and not named."""
    with pytest.raises(InputError, match="reads one file of citances, not 2"):
        RUN([tmp_path, tmp_path], Setup(), lambda what, share: None)
