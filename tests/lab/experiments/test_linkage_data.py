"""The data sets of the experiment linkage."""

from __future__ import annotations

from citewhy.base.records import Citance, FullText, Sentence
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.experiments.linkage_runs import groups, split_citances


def cluster(name: str, release: str, citance: str = "It works.") -> Cluster:
    text = FullText(name, (Sentence(0, "", "It works."), Sentence(1, "", "It ends.")))
    return Cluster(text, (Citance(f"{name}1", "Q", name, citance, (1,)),), release)


def test_data_sets_of_the_source() -> None:
    """The pilot corpus of TAC 2014 is the training set of 2016; other releases keep their names."""
    names = ("Test-Set-2016", "Another", "Training-Set-2016", "Development-Set-Apr8")
    found = groups([cluster(f"{name}{n}", name) for n in range(3) for name in names])
    assert [each.name for each in found] == ["TAC2014", "DSA2016", "SRD2016", "Another"]
    assert [each.id for each in found[0].clusters] == [f"Training-Set-2016{n}" for n in range(3)]


def test_too_few_clusters_for_a_data_set() -> None:
    """With two clusters in one release, all are one data set, in their own order."""
    clusters = [cluster(f"P{n}", "one" if n % 3 else "two") for n in range(5)]
    (only,) = groups(clusters)
    assert (only.name, list(only.clusters)) == ("all clusters", clusters)


def test_a_citance_of_two_sentences() -> None:
    """Both parts have the targets of the whole."""
    (first, second) = split_citances(cluster("P", "", "They parse trees. It works well.")).citances
    assert (first.text, second.text) == ("They parse trees.", "It works well.")
    assert first.target_sids == second.target_sids == (1,)
    assert first.id != second.id
