"""The experiments on paper embeddings: questions by hand, the measure, and pages that have every row."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra lab")
pytest.importorskip("transformers", reason="needs the extra lab")

from small_collection import SHOWN, context, lines, paper
from small_intents import with_intents
from tiny_bert import tiny_bert

from citewhy.base.errors import InputError
from citewhy_lab.experiments import Setup, experiment
from citewhy_lab.experiments import documents as pages
from citewhy_lab.experiments.documents import _near as near_papers
from citewhy_lab.experiments.documents import questions
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.aspects.recipe import EPOCHS, EPSILON


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


def collection(folder: Path, asked: int = 1) -> Path:
    """Sixty papers of 2000, each of which cites the three before it for one intent each, and so many papers
    of 2012, which cite the first two of them as method and background."""
    data = with_intents(folder, 60)
    rows = [json.loads(line) for line in (data / "contexts.jsonl").read_text().splitlines()]
    newest = SHOWN[60 : 60 + asked]
    for new in newest:
        rows += [context(new, [SHOWN[0]], 2012) | {"intent": "method"}]
        rows += [context(new, [SHOWN[1]], 2012) | {"intent": "background"}]
    (data / "contexts.jsonl").write_bytes(lines(rows))
    papers = [json.loads(line) for line in (data / "papers.jsonl").read_text().splitlines()]
    (data / "papers.jsonl").write_bytes(lines([*papers, *(paper(new, 2012) for new in newest)]))
    table = [f"{row['citing_id']}\t{row['cited_ids'][0]}" for row in rows]
    (data / "citations.tsv").write_text("\n".join(["citing_id\tcited_id", *table]))
    return data


def test_questions_by_hand(tmp_path: Path) -> None:
    """Only the paper of 2012 is asked about. Others are cited papers that it does not cite; those near it
    come first, what cites the two or is cited with them. Of the aspects, method and background have a
    question each."""
    found = questions(Collection(collection(tmp_path)), 2012, None, 50, 7)
    assert {kind: len(some) for kind, some in found.items()} == {
        "cite": 1,
        "near": 1,
        "background": 1,
        "method": 1,
        "result": 0,
    }
    (cite,), (near,) = found["cite"], found["near"]
    assert (cite.query, set(cite.relevant)) == (SHOWN[60], {SHOWN[0], SHOWN[1]})
    assert len(cite.others) == len(near.others) == 25
    assert not {*cite.others, *near.others} & {SHOWN[0], SHOWN[1], SHOWN[59], SHOWN[60]}
    assert set(near.others[:2]) == {SHOWN[2], SHOWN[3]}
    method = found["method"][0]
    assert (method.relevant, method.others) == ((SHOWN[0],), (SHOWN[1],))


def test_near_papers() -> None:
    """m is cited by the cited c, n and o together with it, o twice; what the query cites is left out."""
    earlier = {"c": {"m"}, "x": {"c", "n", "o", "d"}, "y": {"c", "o"}, "z": {"far"}}
    assert near_papers({"c", "d"}, earlier, {"c", "d", "q"}) == ["o", "n", "m"]


def test_the_asked_embedding() -> None:
    """For aspects that of each, for others that of the encoder."""
    scored = {
        f"{kind}/{name}": [float(10 * row + column)]
        for row, kind in enumerate(("cite", "background", "method", "result"))
        for column, name in enumerate(("encoder", "background", "method", "result"))
    }
    row = pages.Row(None, embedding="asked")
    assert pages._values("aspects", row, scored) == [11, 22, 33]
    assert pages._values("cite", row, scored) == [0]
    assert pages._values("aspects", pages.Row(None), scored) == [10, 20, 30]


@pytest.mark.parametrize("name", ["documents-losses", "documents-aspects"])
def test_pages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row and comparison is there with figures; a second run trains nothing, and has the same page."""
    data, start = collection(tmp_path / "data", 2), tiny_bert(tmp_path / "bert")
    monkeypatch.setattr(pages, "SMALL", {**pages.SMALL, "steps": 1, "tokens": 16})
    monkeypatch.setattr(pages, "SEEDS", (1, 2))
    told: list[str] = []

    def progress(what: str, _share: float | None) -> None:
        told.append(what)

    def run() -> dict[str, Any]:
        setup = Setup(scale="small", encoder=start)
        return experiment(name).run([data, tmp_path / "kept"], setup, progress).document(name)

    found = run()
    assert any(what.startswith("step") for what in told)
    rows = [row for table in found["tables"] for row in table["rows"]]
    assert all(0 < row["cite"] <= 1 for row in rows if "cite" in row)
    assert len(found["tables"][-1]["rows"]) == {"documents-losses": 18, "documents-aspects": 21}[name]
    assert found["made"]["command"] == f"citewhy experiment {name} data kept --scale small --encoder bert"
    told.clear()
    assert run()["tables"] == found["tables"]
    assert not any(what.startswith("step") for what in told)


def test_what_a_full_training_compares() -> None:
    """Each training of the tables is in a comparison, and none is of a training with itself. At the scale
    small only those of several seeds are compared."""

    def trained(row: pages.Row, scale: str) -> object:
        return row.trial and (row.trial.settings({**pages.COMMON[scale], "until": 2011}, 1), row.embedding)

    for scale in ("full", "source"):
        contrasts = pages.loss_contrasts(scale) | pages.aspect_contrasts(scale)
        sides = [(trained(one, scale), trained(other, scale)) for one, other in contrasts.values()]
        assert all(one != other for one, other in sides)
        compared = {side for pair in sides for side in pair}
        tables = (pages._numbers, pages._temperatures, pages._main, pages._others, pages._alphas)
        for rows in (*tables, pages._second):
            assert {trained(row, scale) for row in rows(scale).values()} <= compared
    once = {*pages._numbers("small").values(), *pages._alphas("small").values()}
    small = pages.loss_contrasts("small") | pages.aspect_contrasts("small")
    assert not once & {row for pair in small.values() for row in pair}


def test_the_scale_of_the_source() -> None:
    """Sections 4.2 to 4.4 and table 5.1 of Bansal (2023): two epochs, AdamW with ε of 10⁻⁸ and 2 · 10⁻⁵ after
    100 steps, batches of eight, or of 32 triplets (six anchors have 30), τ = .05, α = .7; of each model the
    numbers of positives, hard, easy and global negatives."""
    numbers = {
        "specter-undirected": (5, 2, 3, 0),
        "specter-cl": (1, 2, 3, 0),
        "sciaspect": (1, 10, 3, 0),
        "sciaspect-weighted": (1, 10, 3, 0),
        "sciaspect-l2": (1, 3, 3, 0),
        "sciaspect-hybrid": (1, 5, 0, 5),
    }
    rows = [*pages._main("source").values(), *pages._others("source").values()]
    trials = {row.trial.recipe: row.trial for row in reversed(rows) if row.trial is not None}
    assert EPOCHS == 2
    assert EPSILON == 1e-8
    for name, wanted in numbers.items():
        s = trials[name].settings(pages.SOURCE, 1)
        assert (s.positives, s.hard, s.easy, s.distant) == wanted
        assert (s.learning_rate, s.warm_up, s.steps) == (2e-5, 100, 0)
        assert (s.tokens, s.pooling, s.projection, s.dropout) == (512, "cls", "random", 0.1)
        assert (s.temperature, s.alpha) == (0.05, 0.7)
        assert s.batch == (6 if name == "specter-undirected" else 8)


def test_too_many_folders(tmp_path: Path) -> None:
    """Two folders for results are one too many."""
    with pytest.raises(InputError, match="too many folders"):
        experiment("documents-losses").run([tmp_path, tmp_path / "a", tmp_path / "b"], Setup(), silent)


def test_differences_are_of_questions_and_seeds() -> None:
    """Of two questions and two seeds the differences are .1 and .3, and the other way round: nothing but
    their interaction differs, and the interval, of questions and seeds whose means are equal, has no width.
    A third seed that is worse makes it contain zero. A start that is not trained is the same for all."""
    row, start = pages.Row(pages.Trial("specter-cl")), pages.START

    class Kept:
        def is_trained(self, system: object) -> bool:
            return system is not None

        def run(self, system: object, seed: int) -> dict[str, list[float]]:
            trained = {1: [0.6, 0.8], 2: [0.8, 0.6], 3: [0.2, 0.2]}[seed]
            return {"cite/encoder": [0.5, 0.5] if system is None else trained}

    two = replace(row, seeds=2)
    found = pages._difference("cite", two, start, Kept())  # type: ignore[arg-type]
    assert (round(found.value, 9), round(found.low, 9)) == (0.2, 0.2)
    three = pages._difference("cite", row, start, Kept())  # type: ignore[arg-type]
    assert round(three.value, 9) == round((0.2 + 0.2 - 0.3) / 3, 9)
    assert three.low < 0 < three.high
