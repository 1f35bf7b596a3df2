"""The recipe of the linker, on clusters where the right sentence is the one that shares words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewhy.errors import QueryError
from citewhy.evaluate.linkage import average, judge_all
from citewhy.linkage.learned import LearnedLinker
from citewhy.systems.linker.facets import FacetExample, fit_facets, macro_f1

ANIMALS = ("zebra", "lion", "heron", "otter", "badger", "falcon", "weasel", "marten", "beaver", "lynx")


def write(folder: Path, clusters: int) -> Path:
    """In each cluster ten sentences about an animal each, and five citing sentences that name one."""
    papers, citances = [], []
    for cluster in range(clusters):
        order = [ANIMALS[(3 * place + cluster) % 10] for place in range(10)]
        rows = [{"sid": 0, "section": "title", "text": "Animals of the valley"}]
        rows += [
            {
                "sid": place,
                "section": "1 Field",
                "text": f"Every {animal} of the valley was seen by day {place}.",
            }
            for place, animal in enumerate(order, 1)
        ]
        papers.append({"set": "toy", "cluster": f"c{cluster}", "reference_sentences": rows})
        citances += [
            {
                "set": "toy",
                "cluster": f"c{cluster}",
                "citance_id": f"c{cluster}_{place}",
                "citing_id": "x",
                "citance_text": f"A {order[place - 1]} was described (Smith, 2001).",
                "target_sids": [place],
                "facets": ["results" if place % 2 else "method"],
            }
            for place in (2, 3, 5, 7, 9)
        ]
    for name, lines in (("clusters", papers), ("citances", citances)):
        (folder / f"toy.{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "toy.citances.jsonl"


def test_it_learns_that_shared_words_matter(tmp_path: Path) -> None:
    """The linker finds the sentence with the animal; its making tells so of papers that it was not taught,
    and names the files; the same seed makes the same linker."""
    pytest.importorskip("lightgbm")
    from citewhy.evaluate.datasets.linkage import read_clusters
    from citewhy.formats.report import ImportReport
    from citewhy.systems.linker.recipe import train_linkage

    file = write(tmp_path, 4)
    document = train_linkage([file], [], 7)
    made = document["making"]
    assert (made["clusters"], made["citances"]) == (4, 20)
    assert {each["file"] for each in made["data"]} == {"toy.citances.jsonl", "toy.clusters.jsonl"}
    assert made["cross_fitted"]["citances"]["RR"] > 0.9
    assert train_linkage([file], [], 7)["linear"] == document["linear"]
    clusters = read_clusters(file, ImportReport())
    assert average(judge_all(LearnedLinker.of(document), clusters), "citances").means()["RR"] > 0.9


def test_one_paper_is_not_enough(tmp_path: Path) -> None:
    """What is learned from one paper cannot be held against another."""
    pytest.importorskip("lightgbm")
    from citewhy.systems.linker.recipe import train_linkage

    with pytest.raises(QueryError, match="two cited papers"):
        train_linkage([write(tmp_path, 1)], [], 7)


def test_facets() -> None:
    """A word that stands with one facet alone is learned; a word in few examples is not looked at."""
    data = [
        FacetExample(
            f"zebra w{n}" if n % 2 else f"lion w{n}", "", "", 0.0, ("aim",) if n % 2 else ("results",)
        )
        for n in range(40)
    ]
    document = fit_facets(data)
    assert "citing:w3" not in document["weights"]
    aim, _, results, _, _ = document["weights"]["citing:zebra"]
    assert aim > 0 > results


def test_macro_f1() -> None:
    """By hand: of several true facets one is enough, and a facet that nobody means does not count."""
    found = macro_f1(["aim", "method", "method"], [("aim", "method"), ("method",), ("aim",)])
    # aim: 1 hit, said 1, real 2 (the first, which it hit, and the third); method: 1 hit, said 2, real 1
    assert found == pytest.approx({"aim": 2 / 3, "method": 2 / 3, "macro": 2 / 3})
