"""The recipe of the linker, on clusters where the right sentence is the one that shares words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewhy.base.errors import QueryError
from citewhy.base.progress import silent
from citewhy.base.records import SentenceInContext
from citewhy.ranking.linkage.learned import LearnedLinker
from citewhy_lab.evaluate.linkage import average, judge_all
from citewhy_lab.train.classifier.data import Example
from citewhy_lab.train.systems.linker.recipe import fit_facets
from citewhy_lab.train.systems.linker.settings import LinkerInputs, LinkerSettings

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
    pytest.importorskip("sklearn")
    from citewhy.base.import_report import ImportReport
    from citewhy_lab.evaluate.datasets.linkage import read_clusters
    from citewhy_lab.train.systems.linker.recipe import linker_document

    file = write(tmp_path, 4)
    document = linker_document(LinkerInputs((file,)), LinkerSettings(seed=7), silent)
    made = document["making"]
    assert (made["clusters"], made["citances"]) == (4, 20)
    assert {each["file"] for each in made["data"]} == {"toy.citances.jsonl", "toy.clusters.jsonl"}
    assert made["cross_fitted"]["citances"]["RR"] > 0.9
    assert (
        linker_document(LinkerInputs((file,)), LinkerSettings(seed=7), silent)["linear"] == document["linear"]
    )
    clusters = read_clusters(file, ImportReport())
    assert average(judge_all(LearnedLinker.of(document), clusters), "citances").means()["RR"] > 0.9


def test_one_paper_is_not_enough(tmp_path: Path) -> None:
    """What is learned from one paper cannot be held against another."""
    pytest.importorskip("lightgbm")
    pytest.importorskip("sklearn")
    from citewhy_lab.train.systems.linker.recipe import linker_document

    with pytest.raises(QueryError, match="two cited papers"):
        linker_document(LinkerInputs((write(tmp_path, 1),)), LinkerSettings(seed=7), silent)


def test_facets() -> None:
    """A word that stands with one facet alone is learned; a word in few examples is not looked at."""
    pytest.importorskip("sklearn")
    data = [
        Example(
            SentenceInContext("", citing=f"zebra w{n}" if n % 2 else f"lion w{n}"),
            ("aim",) if n % 2 else ("results",),
            "paper",
        )
        for n in range(40)
    ]
    classifier = fit_facets(data)
    assert classifier.vectorizer.vocabulary == ("citing:lion", "citing:zebra", "in:other")
    asked = [SentenceInContext("", citing=text) for text in ("A zebra w3", "The lion")]
    assert classifier.predict(asked) == ["aim", "results"]
