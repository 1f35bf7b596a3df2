"""What each kind of evidence is worth, in every world. Makes `docs/evidence.md`.

    python benchmarks/evidence.py --documents DIR --library DIR [--encoder DIR] [--data DIR]
        [--questions N] [--places N]

The same questions are asked of the default ranking, and of rankings that lack a part: a kind of evidence is
absent in answering (the models are not fitted again), or the last step, or all of ranking but words or
vectors. With ``--encoder``, its vectors are compared with those of the built-in encoder. Every world has up
to N questions; of each document of other fields, N places. Models have learned from none of these documents
and fields, and from no question of these files; the field of the last five worlds is the one that they were
fitted to. Intervals are of paired differences to the default, by bootstrap over questions.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.config import DEFAULT_SEED
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.last_step import EVIDENCE, LastStep, without
from citewhy.ranking.rank.last_step_features import PART_FEATURES, SIMILAR_FEATURES
from citewhy.ranking.rank.linear_trees import LinearTrees
from citewhy.ranking.rank.model import default_model
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder, default_encoder, open_encoder
from citewhy.search.index import Index, open_index
from citewhy.search.index.arrays import Floats
from citewhy_lab.evaluate.compare import compare
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.train.drafts import open_library, read_manifest, topics_of, use_of
from citewhy_lab.train.systems.ranker.data import about_held_out
from common import parser as shared_parser
from fields import MEASURES, rank_in, scores

ROOT = Path(__file__).parents[1]
DEPTH = 1000
ABSENT: Mapping[str, Sequence[str]] = {
    "without the draft's other citations": EVIDENCE["own-citation"],
    "without people, years and names in the sentence": EVIDENCE["named"],
    "without paragraph, preceding text and heading": EVIDENCE["paragraph"],
    "without parts of abstracts and the sentence that cites": PART_FEATURES,
    "without how the candidates resemble each other": SIMILAR_FEATURES,
}
"""Row → features."""


@dataclass(frozen=True)
class World:
    """Questions of one library."""

    library: Path
    topics: Sequence[Topic]
    hidden: frozenset[str] = frozenset()
    """Papers that nobody has cited."""


class Lacking(LastStep):
    """The last step without some of its features."""

    absent: Sequence[str] = ()

    def scores(self, table: NDArray[np.float32]) -> Floats:
        return super().scores(without(table, self.absent))


def lacking(model: LinearTrees, names: Sequence[str]) -> LinearTrees:
    assert model.last_step is not None
    last = model.last_step
    step = Lacking(last.forests, last.calibrations, last.paragraphs)
    object.__setattr__(step, "absent", names)
    return replace(model, last_step=step)


def rankings(other: Encoder | None) -> dict[str, Callable[..., Recommender]]:
    """Returns for each row how its ranking is made."""
    model = default_model()
    assert isinstance(model, LinearTrees)
    made: dict[str, Callable[..., Recommender]] = {"default": Recommender}
    made |= {
        row: partial(Recommender, models=ModelSet(ranker=lacking(model, names)))
        for row, names in ABSENT.items()
    }
    made["without the last step"] = partial(
        Recommender, models=ModelSet(ranker=replace(model, last_step=None))
    )
    made |= {name: partial(Recommender, pipeline=name) for name in ("hybrid", "bm25", "dense")}
    if other is not None:
        made["dense, the other encoder"] = partial(
            Recommender, pipeline="dense", models=ModelSet(encoder=other)
        )
    return made


def asked(world: World, made: Mapping[str, Callable[..., Recommender]]) -> Iterator[tuple[str, list[float]]]:
    """Returns for each row the rank of each right paper, infinite where it was not found."""
    with Library.open(world.library) as library:
        indexes: dict[str, Index] = {}
        for row, make in made.items():
            encoder = getattr(make, "keywords", {}).get("encoder") or default_encoder()
            index = indexes.setdefault(encoder.fingerprint, open_index(library, encoder))
            recommender = make(library, hidden_ids=world.hidden, index=index)
            ranked = [recommender.rank(topic.query, DEPTH).ids for topic in world.topics]
            yield (
                row,
                [
                    rank_in(ids, paper_id)
                    for ids, topic in zip(ranked, world.topics, strict=True)
                    for paper_id in topic.relevant
                ],
            )


def documents(given: argparse.Namespace, folder: Path) -> Iterator[World]:
    """Returns places of the documents that measure, each with its own library."""
    for draft in read_manifest(given.data / "external" / "documents.manifest.jsonl", given.documents):
        if use_of(draft.author) != "measuring":
            continue
        with open_library(draft, folder / draft.name) as library:
            topics = topics_of(draft, library)
        yield World(
            folder / draft.name, random.Random(draft.name).sample(topics, min(given.places, len(topics)))
        )


def sentences(library: Path, file: Path, most: int) -> World:
    with Library.open(library) as opened:
        topics = local_topics(file, opened, Options())
    return World(library, random.Random(DEFAULT_SEED).sample(topics, min(most, len(topics))))


def uncited(library: Path, file: Path, most: int) -> World:
    """Returns questions about held-out papers, as if nobody had cited them."""
    with Library.open(library) as opened:
        topics = local_topics(file, opened, Options())
    hidden = frozenset(paper_id for topic in topics for paper_id in topic.relevant if held_out(paper_id))
    about = [only for topic in topics if (only := about_held_out(topic)) is not None]
    return World(library, random.Random(DEFAULT_SEED).sample(about, min(most, len(about))), hidden)


def worlds(given: argparse.Namespace, folder: Path) -> dict[str, list[World]]:
    data, most, arxiv = given.data, given.questions, folder / "arxiv"
    add = [sys.executable, "-m", "citewhy", "add", str(data / "external" / "reasons.papers.jsonl.gz")]
    subprocess.run([*add, "--library", str(arxiv), "--quiet"], check=True)
    names = [sys.executable, str(ROOT / "benchmarks" / "names.py"), "--library", str(given.library)]
    subprocess.run([*names, "--out", str(folder / "names")], check=True)
    external = data / "external"
    return {
        "drafts of other fields": list(documents(given, folder / "documents")),
        "graphics": [sentences(arxiv, external / "reasons-Graphics.contexts.jsonl.gz", most)],
        "robotics": [sentences(arxiv, external / "reasons-Robotics.contexts.jsonl.gz", most)],
        "names": [sentences(given.library, folder / "names" / "names.jsonl", most)],
        "needs": [sentences(given.library, folder / "names" / "needs.jsonl", most)],
        "later papers": [sentences(given.library, external / "multicite.dev.contexts.jsonl.gz", most)],
        "uncited papers": [uncited(given.library, data / "contexts.val.jsonl.gz", most)],
        "its own field": [sentences(given.library, data / "contexts.val.jsonl.gz", most)],
    }


def page(found: Mapping[str, Mapping[str, Scores]], size: str) -> str:
    """Writes a table of each measure; `size` are the options that it was made with."""
    lines = ["# What each kind of evidence is worth", "", *(__doc__ or "").split("\n\n")[2].splitlines(), ""]
    rows = list(next(iter(found.values())))
    for measure in MEASURES:
        lines += [f"## {measure}", "", "| | " + " | ".join(found) + " |", "| --- |" + " ---: |" * len(found)]
        for row in rows:
            cells = [cell(of_world[row], of_world["default"], measure) for of_world in found.values()]
            lines.append(f"| {row} | " + " | ".join(cells) + " |")
        lines.append("")
    counts = ", ".join(f"{name} {int(each['default'].weights.sum()):,}" for name, each in found.items())
    return "\n".join(
        [*lines, f"Answers: {counts}. `python benchmarks/evidence.py {size}` makes this page again.", ""]
    )


def cell(own: Scores, default: Scores, measure: str) -> str:
    mean = f"{own.means()[measure]:.3f}"
    if own is default:
        return mean
    low, high = compare(own, default, DEFAULT_SEED)[measure].interval
    return f"{mean} ({low:+.3f} to {high:+.3f})"


def main() -> None:
    parser = shared_parser(__doc__, "data", "documents!", "library!")
    parser.add_argument("--encoder", type=Path, help="another encoder, to compare its vectors")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--places", type=int, default=12)
    given = parser.parse_args()
    made = rankings(open_encoder(given.encoder) if given.encoder else None)
    found: dict[str, dict[str, Scores]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, parts in worlds(given, Path(scratch)).items():
            ranks: dict[str, list[float]] = {row: [] for row in made}
            questions: list[str] = []
            for number, world in enumerate(parts):
                questions += [f"{number} {topic.query.id}" for topic in world.topics for _ in topic.relevant]
                for row, of_world in asked(world, made):
                    ranks[row] += of_world
            found[name] = {row: scores(questions, each) for row, each in ranks.items()}
            print(
                name, {row: round(each.means()["R@10"], 3) for row, each in found[name].items()}, flush=True
            )
    size = f"--questions {given.questions} --places {given.places}"
    (ROOT / "docs" / "evidence.md").write_text(page(found, size), encoding="utf-8")


if __name__ == "__main__":
    main()
