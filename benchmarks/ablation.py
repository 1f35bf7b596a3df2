"""What each signal is worth: the ranker fitted again without it. Makes `docs/ablation.md`.

    python benchmarks/ablation.py --library DIR [--data DIR]

A ranker for sentences learns from the questions of 2011 and answers those of 2012, as things are and, about
held-out papers (`citewhy_lab.evaluate.datasets.held_out`), as if nobody had cited them; the encoder has seen
neither. The questions are asked once; each row leaves out the features of one signal in learning and in
answering. Candidates stay the same: the table is about their order. Intervals are of paired differences to
the whole ranker, by bootstrap over queries.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.config import DEFAULT_SEED
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.linear_trees import LinearTrees
from citewhy.search.encode import default_encoder
from citewhy_lab.train.systems.ranker.data import Group, Indexed, groups, questions
from citewhy_lab.train.systems.ranker.fit import fit_linear, fit_trees, listed
from citewhy_lab.train.systems.ranker.recipe import NEW_WEIGHT, ROUNDS
from common import parser as shared_parser

ROOT = Path(__file__).parents[1]
SIGNALS: Mapping[str, tuple[str, ...]] = {
    "own words": ("text", "title", "cited_best_text", "uncited_best_text", "uncited_text", "uncited_title"),
    "best passage": ("passage", "uncited_passage"),
    "feedback": ("feedback", "uncited_feedback"),
    "meaning": ("cosine", "uncited_cosine"),
    "citing sentences": ("nearest_context", "context", "cited_best_context", "mentions", "cited_text"),
    "meaning of citing sentences": ("context_cosine",),
    "how often cited": ("citations", "mentions"),
    "citations of authors and venue": (
        *("author_citations", "venue_citations"),
        *("uncited_author", "uncited_venue"),
    ),
    "the draft's authors": ("shared_author", "cited_before"),
    "age": ("age", "same_year"),
}
"""Signal → beginnings of the names of its features."""

SAMPLES = 2000

Scores = dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Condition → R@10 and reciprocal rank of each judgement."""


def without(found: Sequence[Group], features: Sequence[str]) -> list[Group]:
    """Returns the same questions, where these features say nothing."""
    places = [FEATURES.index(name) for name in features]

    def blind(group: Group) -> Group:
        table = group.table.copy()
        table[:, places] = 0
        return replace(group, table=table)

    return [blind(group) for group in found]


def answered(model: LinearTrees, found: Sequence[Group]) -> Scores:
    """Returns how the model ranks the right papers of each question."""
    ranks: dict[str, list[float]] = {}
    for group in found:
        order = model.order(group.table, group.ids, "local").order
        name = "held-out papers, as if uncited" if group.uncited else "as things are"
        right = (np.flatnonzero(group.right[order]) + 1.0).tolist()
        ranks.setdefault(name, []).extend([*right, *[np.inf] * group.missed])
    return {
        name: ((np.array(each) <= 10).astype(np.float64), 1 / np.array(each)) for name, each in ranks.items()
    }


def cell(values: NDArray[np.float64], whole: NDArray[np.float64]) -> str:
    """Writes the mean, and the 95 % interval of the difference to the whole ranker."""
    if values is whole:
        return f"{values.mean():.3f}"
    rng = np.random.default_rng(DEFAULT_SEED)
    gaps = (values - whole)[rng.integers(len(whole), size=(SAMPLES, len(whole)))].mean(axis=1)
    low, high = np.percentile(gaps, [2.5, 97.5])
    return f"{values.mean():.3f} ({low:+.3f} to {high:+.3f})"


def page(rows: Mapping[str, Scores]) -> str:
    whole = rows["all signals"]
    shown = list(whole)
    lines = [
        "# What each signal is worth",
        "",
        textwrap.fill(" ".join((__doc__ or "").split("\n\n")[2].split()), 110),
        "",
    ]
    for place, measure in enumerate(("R@10", "RR")):
        lines += [
            f"## {measure}",
            "",
            "| without | " + " | ".join(shown) + " |",
            "| --- |" + " ---: |" * len(shown),
            *(
                f"| {row} | "
                + " | ".join(cell(found[name][place], whole[name][place]) for name in shown)
                + " |"
                for row, found in rows.items()
            ),
            "",
        ]
    counts = ", ".join(f"{name} {len(whole[name][0]):,}" for name in shown)
    return "\n".join(
        [*lines, f"Judgements: {counts}. `python benchmarks/ablation.py` makes this page again.", ""]
    )


def asked(library: Library, file: Path, year: int) -> list[Group]:
    """Returns the questions of a file of citing sentences, as things are, and about held-out papers as if
    uncited."""
    indexed = Indexed.of(library, default_encoder())
    topics = questions(library, [file], "local", [year])
    return list(groups(indexed, topics, "local", NEW_WEIGHT["local"], DEFAULT_SEED, other_conditions=False))


def learned(found: Sequence[Group]) -> LinearTrees:
    """Fits linear weights and trees; probabilities play no part here."""
    weights = {"local": fit_linear(found)}
    trees = fit_trees([listed(group, weights["local"]) for group in found], ROUNDS["local"], DEFAULT_SEED)
    return LinearTrees(weights, {"local": trees}, {"local": Calibration(1.0, 0.0)}, 0.0)


def main() -> None:
    parser = shared_parser(__doc__, "data", "library!")
    arguments = parser.parse_args()
    with Library.open(arguments.library) as library:
        train = asked(library, arguments.data / "contexts.train.jsonl.gz", 2011)
        val = asked(library, arguments.data / "contexts.val.jsonl.gz", 2012)
    rows: dict[str, Scores] = {}
    for row, beginnings in {"all signals": (), **SIGNALS}.items():
        left_out = [name for name in FEATURES if beginnings and name.startswith(beginnings)]
        model = learned(without(train, left_out))
        rows[row] = answered(model, without(val, left_out))
        print(row, {name: round(float(found[1].mean()), 4) for name, found in rows[row].items()}, flush=True)
    (ROOT / "docs" / "ablation.md").write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
