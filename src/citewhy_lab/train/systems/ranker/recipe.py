"""The recipe of the default ranker: questions of one year, asked of the years before, in several
conditions."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.artifact import checksum
from citewhy.base.config import VERSION
from citewhy.base.errors import InputError, QueryError
from citewhy.base.progress import Progress
from citewhy.models.trees import Forest
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.folder import write_ranker
from citewhy.ranking.rank.linear import KNOWN
from citewhy.ranking.rank.linear_trees import LINEAR_SHARE, SEEN_BY_TREES, forest_name, second_scores
from citewhy.search.encode import Encoder, open_encoder
from citewhy.search.index.arrays import Floats
from citewhy.text.source import open_lines
from citewhy_lab.evaluate.datasets.lines import Line
from citewhy_lab.train.recipe import DeviceName, Trained
from citewhy_lab.train.systems.ranker.data import Group, Indexed, groups, questions
from citewhy_lab.train.systems.ranker.fit import fit_calibration, fit_linear, fit_trees, listed, quality
from citewhy_lab.train.systems.ranker.settings import RankerInputs, RankerSettings

FOLDS = 5
"""Parts of the citing papers; each is scored by trees that were grown on the others."""

NEW_WEIGHT = {"local": 3.0, "global": 0.3}
"""Weight of a question about a held-out paper as if nobody had cited it."""

ROUNDS = {"local": 150, "global": 40}

NEIGHBOURS = ("cocited", "cocited_sum", "coupled", "linked")

DAMPING = 0.3
"""Share of the fitted linear weights of `NEIGHBOURS` that a sentence of a draft takes, beside the weights for
words. The training graph names only references that are in the collection, and so makes them better witnesses
than a real reference list is: on real drafts the fitted weights rank worse than none, and a third of them
well."""

Questions = Mapping[str, Sequence[Group]]
"""Kind → questions in all conditions."""


def train_ranker(
    inputs: RankerInputs, settings: RankerSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> Trained:
    """Writes the ranker `out`. Raises QueryError unless the files have citing sentences and whole papers of
    the year, InputError for other files, StorageError."""
    contexts: list[Path] = []
    wholes: list[Path] = []
    for file in inputs.files:
        (contexts if _has_sentences(file) else wholes).append(file)
    if not contexts or not wholes:
        raise QueryError(
            "the ranker learns from citing sentences and from whole papers",
            hint="give at least one file of each, such as contexts.jsonl and global.jsonl",
        )
    encoder = open_encoder(inputs.encoder)
    with Library.open(inputs.library) as library:
        document = ranker_document(library, encoder, contexts, wholes, settings, progress)
    write_ranker(out, f"citewhy ranker (questions of {settings.year})", document)
    summary = [
        f"{name:24} R@10 {measures['R@10']:.3f}  RR {measures['RR']:.3f}"
        for name, measures in document["making"]["cross_fitted"].items()
    ]
    return Trained(document["making"], summary)


def _has_sentences(file: Path) -> bool:
    """Tells whether the file contains citing sentences; otherwise it contains whole papers. Raises InputError
    for other files."""
    for number, text in open_lines(file):
        try:
            row = orjson.loads(text)
        except ValueError:
            row = None
        kind = Line(file, number, row).kind if isinstance(row, dict) else None
        if kind in ("context_id", "query_id"):
            return kind == "context_id"
        raise InputError(
            "expected a citing sentence or a whole paper",
            path=file,
            line=number,
            hint="docs/evaluation.md describes both",
        )
    raise InputError("the file is empty", path=file, hint="give a file with questions")


def ranker_document(
    library: Library,
    encoder: Encoder,
    contexts: Sequence[Path],
    wholes: Sequence[Path],
    settings: RankerSettings,
    progress: Progress,
) -> dict[str, Any]:
    """Makes what `rank.folder.write_ranker` writes. `contexts` are files of the task ``local``, `wholes` of
    the task ``global``. Raises QueryError where no question is of the year."""
    questions = ask(library, encoder, contexts, wholes, settings.year, settings.seed, progress)
    document = fit(questions, settings.seed, progress)
    document["threshold"] = settings.threshold
    document["making"] |= {
        "year": settings.year,
        "encoder": encoder.fingerprint,
        "data_crc32": {path.name: checksum(path) for path in [*contexts, *wholes]},
    }
    return document


def ask(
    library: Library,
    encoder: Encoder,
    contexts: Sequence[Path],
    wholes: Sequence[Path],
    year: int,
    seed: int,
    progress: Progress,
) -> Questions:
    """Returns the feature tables of all questions of the year."""
    indexed = Indexed.of(library, encoder)
    groups_by_kind: dict[str, list[Group]] = {}
    for kind, files in (("local", contexts), ("global", wholes)):
        topics = questions(library, files, kind, [year])
        if not topics:
            raise QueryError(
                f"no question of the task {kind} is of {year}", hint="choose another --year, or other files"
            )
        groups_by_kind[kind] = []
        for group in groups(indexed, topics, kind, NEW_WEIGHT[kind], seed):
            groups_by_kind[kind].append(group)
            progress(f"asking: {kind}, {len(groups_by_kind[kind])} questions", None)
    return groups_by_kind


def fit(questions: Questions, seed: int, progress: Progress) -> dict[str, Any]:
    """Returns the model without a threshold: weights, trees, calibration; and how well it did,
    cross-fitted."""
    weights: dict[str, dict[str, float]] = {}
    trees: dict[str, Any] = {}
    calibration: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for kind, members in questions.items():
        weights |= _linear(members, progress)
        for name, lists in _lists(members, weights).items():
            scores = _cross_fitted(lists, ROUNDS[kind], seed, name, progress)
            calibration[name] = asdict(
                fit_calibration(
                    scores,
                    [ranked_list.right for ranked_list in lists],
                    [ranked_list.weight for ranked_list in lists],
                    shared=kind == "local",
                )
            )
            progress(f"growing trees: {name}", None)
            trees[name] = fit_trees(lists, ROUNDS[kind], seed)
            facts |= quality(
                (judged_list.name + (", uncited" if judged_list.uncited else ""), judged_list, values)
                for judged_list, values in zip(lists, scores, strict=True)
            )
    return {
        "columns": list(SEEN_BY_TREES),
        "linear": weights,
        "trees": trees,
        "calibration": calibration,
        "making": {
            "command": "citewhy train ranker",
            "version": VERSION,
            "seed": seed,
            "folds": FOLDS,
            "rounds": ROUNDS,
            "new_weight": NEW_WEIGHT,
            "damping": DAMPING,
            "linear_share": float(LINEAR_SHARE),
            "cross_fitted": facts,
        },
    }


def _linear(groups: Sequence[Group], progress: Progress) -> dict[str, dict[str, float]]:
    """Linear weights for each set of questions."""
    sets: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        sets[group.name].append(group)
    weights = {}
    for name, members in sets.items():
        progress(f"fitting: {name}", None)
        weights[name] = fit_linear(members)
    for name in weights:
        if name.startswith("local" + KNOWN):
            words = weights[forest_name(name)]
            weights[name] = words | {
                neighbour: round(DAMPING * weights[name][neighbour], 5) for neighbour in NEIGHBOURS
            }
    return weights


def _lists(groups: Sequence[Group], weights: dict[str, dict[str, float]]) -> dict[str, list[Group]]:
    """Makes the lists that each forest is grown on."""
    lists: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        seen = listed(group, weights[group.name])
        if group.name.startswith("local"):
            seen.table[:, [FEATURES.index(name) for name in NEIGHBOURS]] = 0
        lists[forest_name(group.name)].append(seen)
    return lists


def _cross_fitted(
    lists: Sequence[Group], rounds: int, seed: int, name: str, progress: Progress
) -> list[Floats]:
    """Scores of every list by trees that saw no question of the same citing paper."""
    parts = np.array([zlib.crc32(ranked_list.key.encode()) % FOLDS for ranked_list in lists])
    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(lists)
    for part in range(FOLDS):
        progress(f"cross-fitting: {name}", part / FOLDS)
        forest = Forest.of(
            fit_trees([lists[i] for i in np.flatnonzero(parts != part).tolist()], rounds, seed)
        )
        for position in np.flatnonzero(parts == part).tolist():
            scores[position] = second_scores(forest, lists[position].table)
    return scores
