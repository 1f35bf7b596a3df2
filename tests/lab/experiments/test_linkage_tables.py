"""The tables of the experiment linkage, from rankings made by hand: every figure is worked out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("matplotlib", reason="needs the extra plots")

from citewhy.base.records import Citance, FullText, Sentence
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import RADII, Judged
from citewhy_lab.experiments.engine import Cell, Result
from citewhy_lab.experiments.linkage_runs import Columns, Group
from citewhy_lab.experiments.linkage_tables import MAIN, _by_set, pages

System = list[Judged]


def cluster(name: str, release: str, sentences: int, citances: list[tuple[str, tuple[int, ...]]]) -> Cluster:
    text = FullText(name, tuple(Sentence(sid, "", f"s{sid}") for sid in range(sentences)))
    cited = [
        Citance(f"{name}{number}", citing, name, "c", sids) for number, (citing, sids) in enumerate(citances)
    ]
    return Cluster(text, tuple(cited), release)


CLUSTERS = [
    cluster("A", "one", 4, [("Q1", (0,)), ("Q1", (0, 1))]),
    cluster("B", "two", 6, [("Q2", (2,))]),
]


SETS = [Group("one", CLUSTERS[:1]), Group("two", CLUSTERS[1:])]


def system(first: int, second: int, third: int) -> System:
    """Ranks of the first target of A's two citances and of B's one; widened by any number of sentences, the
    target is first. Sentences are ranked in the order of the paper."""

    def judged(cluster: Cluster, ranks: list[int]) -> Judged:
        widened = {radius: np.array(ranks if radius == 0 else [1] * len(ranks)) for radius in RADII}
        size = len(cluster.text.sentences)
        targets = np.array([[s in each.target_sids for s in range(size)] for each in cluster.citances])
        return Judged(cluster.id, widened, np.tile(np.arange(size), (len(ranks), 1)), targets)

    return [judged(CLUSTERS[0], [first, second]), judged(CLUSTERS[1], [third])]


def page() -> Result:
    columns = Columns(
        baselines={"TFIDF": system(1, 2, 4), "BDOT": system(2, 2, 2)},
        ties_last={"BDOT": system(4, 4, 4)},
    )
    columns.learned["CCS"] = {
        MAIN: [system(1, 1, 1)],
        "binary, triplet": [system(1, 1, 2)],
        "tfidf, triplet": [system(5, 5, 5), system(5, 5, 5)],
        "binary, entropy, sqrd": [system(1, 1, 4)],
        "embedding, triplet": [system(4, 4, 4)],
        "tfidf, entropy": [system(2, 2, 4)],
        "tfidf, entropy, sqrd": [system(4, 4, 4)],
    }
    columns.learned["TCS"] = {MAIN: [system(2, 2, 1)], "binary, triplet": [system(1, 1, 2)]}
    columns.by_output["CCS"] = {MAIN: [system(1, 1, 4)]}
    columns.untrained = {MAIN: [system(2, 2, 2)]}
    columns.epochs["CCS"] = {MAIN: [4, 8]}
    split = Columns(baselines={"TFIDF": system(4, 4, 4)})
    split.learned["CCS"] = {MAIN: [system(2, 2, 2), system(4, 4, 4)]}
    return pages(SETS, columns, split, "", {})


RESULT = page()


def row(title: str, name: str) -> list[Cell]:
    """Without its name."""
    (table,) = (each for each in RESULT.tables if each.title == title)
    (found,) = (each for each in table.rows if each[0] == name)
    return list(found[1:])


def test_the_clusters() -> None:
    """Release one: 4 sentences, one citing paper, two citances with targets 0, and 0 and 1: sentence 0
    is a target twice. Release two: 6, 1, 1, 1."""
    assert row("Table 1: the clusters", "one") == [1, "4.0", "1.0", "3.0", "2.0"]
    assert row("Table 1: the clusters", "two") == [1, "6.0", "1.0", "1.0", "1.0"]


def test_results_of_a_supervision() -> None:
    """TFIDF: A (1 + ½) / 2, B ¼: over clusters ½, over citances 1.75 / 3; widened, 1. Networks say so."""
    ccs, tcs = (
        "Table 2: MRR with citance-centred supervision (CCS)",
        "Table 3: MRR with target-centred supervision (TCS)",
    )
    figures = row(ccs, "TFIDF")
    assert figures.pop(1) is None  # one run has no deviation over seeds
    assert figures == pytest.approx([1 / 2, 1, 1, 1, 1, 1.75 / 3])
    assert row(ccs, f"NN: {MAIN}") == [1, None, 1, 1, 1, 1, 1]
    assert [row(tcs, f"NN: {MAIN}")[at] for at in (0, 2, -1)] == pytest.approx([3 / 4, 1, 2 / 3])
    assert row(f"{ccs}, by data set", "TFIDF") == pytest.approx([3 / 4, 1, 1 / 4, 1])


def test_product_against_difference() -> None:
    """Each row is the network that it names."""
    title = "Table 4: elementwise product (mul) against squared difference (sqrd)"
    firsts = [row(title, f"{psi}, {f}")[0] for psi in ("binary", "tfidf") for f in ("mul", "sqrd")]
    assert firsts == pytest.approx([1, (1 + 1 / 4) / 2, (1 / 2 + 1 / 4) / 2, 1 / 4])


def test_supervisions() -> None:
    """CCS minus TCS: ½ in A, 0 in B: t = 1 on one degree of freedom, p = 1 − 2/π · atan 1 = ½; its 97.5 %
    point is 12.706, the standard error ¼. Two systems that are alike do not differ (p = 1), nor does anything
    where targets are widened."""
    title = "Table 5: citance-centred against target-centred supervision"
    found = row(title, MAIN)
    assert [found[at] for at in (0, 3, 4, 7, 8, 11)] == pytest.approx([1 / 4, 1 / 2, 0, 1, 0, 1])
    assert found[1:3] == pytest.approx([1 / 4 - 12.706 / 4, 1 / 4 + 12.706 / 4], abs=0.001)
    assert row(title, "binary, triplet") == pytest.approx([0, 0, 0, 1] * 3)


def test_what_training_is_worth() -> None:
    """Untrained everything is second (½), trained first (1): a difference of ½ in both clusters. The median
    of four and eight epochs is six."""
    found = row("What training is worth", f"CCS, {MAIN}")
    assert found[0] == "6"
    assert found[1:] == pytest.approx([1 / 2, 1, 1 / 2, 1 / 2, 1 / 2, 0])


def test_split_citances() -> None:
    """Of both seeds, ½ and ¼."""
    title = "Citances split into sentences"
    for name, whole, split in ((f"NN: {MAIN}", 1, 3 / 8), ("TFIDF", 1 / 2, 1 / 4)):
        found = row(title, name)
        assert found[:3] == pytest.approx([whole, split, split - whole])
        assert found[-2:] == [1, 1]


def test_a_regression_that_cannot_be() -> None:
    """Four features of two clusters: the rows are empty, and a note says why."""
    title = "Table 6: MRR regressed on features of the cluster"
    assert row(title, "n = ±0") == [None] * 9
    (table,) = (each for each in RESULT.tables if each.title == title)
    assert sum("n = ±" in note for note in table.notes) == len(RADII)


def test_overlap() -> None:
    """Sentences in the order of the paper, targets {0}, {0, 1} and {2}: of the first ones 2 of 3 hit, of 4
    targets in all: 2 · 2 / 7; of the first three 4 of 9: 2 · 4 / 13."""
    f1 = row("CL-SciSumm's own measure: sentence overlap", "BDOT")
    assert [f1[0], f1[2]] == pytest.approx([4 / 7, 8 / 13])


def test_ties_and_outputs() -> None:
    """BDOT is at ½, with ties turned round at ¼; the network at 1 by G1, and at .625 by its output."""
    assert row("The effect of ties", "BDOT")[:2] == [1 / 2, 1 / 4]
    outputs = "Ranked by the layer G1, or by the network's own output"
    assert row(outputs, f"CCS, {MAIN}")[:3] == [1, (1 + 1 / 4) / 2, -3 / 8]


def test_findings() -> None:
    """Each compares the systems that it speaks of."""
    said = "\n".join(RESULT.summary)
    assert f"{MAIN} 1.000, TFIDF .500 (.500; " in said
    assert "binary, triplet .750, tfidf, triplet .200 (.550; " in said
    assert f"{MAIN}: CCS 1.000, TCS .750 (.250; -2.927 to 3.427; p = .500)." in said
    assert f"{MAIN} 1.000, binary, triplet .750 (.250; " in said
    assert "binary, triplet .750, embedding, triplet .250 (.500; " in said
    assert "BDOT .500, embedding, triplet .250 (.250; " in said
    assert f"{MAIN} 1.000, tfidf, entropy .375 (.625; " in said
    assert "BDOT .500, TFIDF .500 (.000; " in said
    assert f"n = ±5: {MAIN} 1.000, BDOT 1.000 (.000; " in said
    assert f"{MAIN}, TCS minus CCS: no data set has two clusters." in said
    assert f"n = ±3: {MAIN} 1.000, TFIDF 1.000 (.000; " in said
    assert "n = ±5: binary, triplet 1.000, TFIDF 1.000 (.000; " in said
    assert "alone predicts MRR.* n = ±0: 2 values do not tell 4 features apart; " in said
    assert "tfidf: mul .375, sqrd .250 (.125; " in said
    assert f"1.0 times for {MAIN}; from 1.0 ({MAIN}) to 5.0 (tfidf, triplet)." in said


def test_what_each_data_set_loses() -> None:
    """One data set of both clusters, in which TCS loses ½ in A and nothing in B: −¼, on one degree of freedom
    with a standard error of ¼; its 97.5 % point is 12.706, so that the interval is −3.427 to 2.927."""
    both = [Group("both", CLUSTERS), Group("none", [])]
    assert _by_set([system(2, 2, 1)], [system(1, 1, 1)], both) == "both -.250 (-3.427 to 2.927)"


def test_the_readme_that_a_page_names() -> None:
    """Its link leads to a file, seen from the folder of the page."""
    (target,) = re.findall(r"\]\((\.\./src[^)]+)\)", RESULT.summary[0])
    assert (Path(__file__).parents[3] / "docs" / target).is_file()


def test_the_document() -> None:
    """Every system with its reciprocal rank by cluster."""
    systems = RESULT.facts["systems"]
    assert systems["baseline/TFIDF"]["by_cluster"] == {"A": 0.75, "B": 0.25}
    assert systems[f"TCS/{MAIN}"]["by_cluster"] == {"A": 0.5, "B": 1.0}
