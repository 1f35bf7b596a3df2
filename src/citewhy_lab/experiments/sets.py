"""Experiment `sets`: places that cite one paper, and places that cite several.

Tables 3 and 4 of Zhang and Ma (2021): recall and average precision of the first ten for places with exactly
one, at least one, and at least two relevant papers; and recall by how often two of them were cited together
before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.making import made
from citewhy_lab.experiments.engine import (
    Cell,
    Result,
    Setup,
    Table,
    compared,
    comparisons,
    mean_and_spread,
    shown,
    signed,
)
from citewhy_lab.experiments.sets_data import CitingContext, Field
from citewhy_lab.experiments.sets_systems import FIRST, Ranked, SetsLab, System, open_lab
from citewhy_lab.experiments.significance import Difference
from citewhy_lab.train.sampling.co_citations import CoCitations

BEST = "MB4R mpt-src-tgt"

SYSTEMS = (
    System("BM25", pipeline="bm25"),
    System("built-in encoder", pipeline="dense"),
    System("MB4R no dynamic", "mpt-src-tgt", dynamic=False),
    System("MB4R triplet", "triplet"),
    System(BEST, "mpt-src-tgt"),
    System("W2V", method="word2vec"),
    System("D2V", method="doc2vec"),
    System("HD2V", method="hyperdoc2vec"),
    System("DACR", method="dacr"),
    System("MB4R mpt-src", "mpt-src"),
    System("MB4R mpt-tgt", "mpt-tgt"),
)
"""In the order in which they are trained."""

_TABLE_3 = (
    *("BM25", "built-in encoder", "W2V", "D2V", "HD2V", "DACR"),
    *("MB4R no dynamic", "MB4R triplet", BEST),
)

_TABLE_4 = ("MB4R triplet", "MB4R mpt-src", "MB4R mpt-tgt", BEST)

_COMPARED = ((BEST, "MB4R triplet"), (BEST, "MB4R no dynamic"))

_SIZES: Mapping[str, Callable[[int], bool]] = {
    "= 1": lambda size: size == 1,
    "≥ 1": lambda size: size >= 1,
    "≥ 2": lambda size: size >= 2,
}

_SOURCE = (
    "The source on DBLP-1, R@10 for = 1, ≥ 1 and ≥ 2: no dynamic .390, .394, .473; triplet .401, .403, .450;"
    " mpt-src .419, .422, .488; mpt-tgt .449, .451, .497; mpt-src-tgt .448, .452, .525."
)

_THIRDS = ("low", "middle", "high")


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Trains and asks every system, and compares the best with what it is made of."""
    lab = open_lab(files, setup, progress)
    runs = {system.name: lab.runs(system) for system in SYSTEMS}
    by_pair = _differences(runs, lab)
    named = {
        f"{pair}, {measure}": found
        for pair, by_measure in by_pair.items()
        for measure, found in by_measure.items()
    }
    options = {"scale": setup.scale, "seeds": list(lab.seeds), **lab.sizes}
    return Result(
        title="Several citations for one place",
        summary=_summary(by_pair, small=setup.scale == "small"),
        tables=[
            _table("Table 3", _TABLE_3, runs, lab),
            _table("Table 4", _TABLE_4, runs, lab),
            _by_frequency(runs, lab),
            comparisons(named, "95 % intervals and p with citing papers and seeds as drawn at random."),
        ],
        facts={
            "seeds": {
                name: [means(ranked, lab.field.asked) for ranked in of_system]
                for name, of_system in runs.items()
            }
        },
        made=made(lab.field.files, None, None, options, setup.seed),
    )


# Measures -------------------------------------------------------------------------------------------------


def measured(first: Ranked, asked: Sequence[CitingContext]) -> dict[str, NDArray[np.float64]]:
    """Returns [questions] recall and average precision of the first `FIRST`, and whether all relevant papers
    are among them."""
    recalls, precisions, whole = [], [], []
    for row, context in zip(first.tolist(), asked, strict=True):
        hits = [rank for rank, each in enumerate(row, 1) if each in context.cited]
        recalls.append(len(hits) / len(context.cited))
        precisions.append(
            sum(count / rank for count, rank in enumerate(hits, 1)) / min(len(context.cited), FIRST)
        )
        whole.append(float(len(hits) == len(context.cited)))
    return {"R@10": np.array(recalls), "AP@10": np.array(precisions), "all@10": np.array(whole)}


def _of_size(asked: Sequence[CitingContext], fits: Callable[[int], bool]) -> NDArray[np.bool_]:
    return np.array([fits(len(each.cited)) for each in asked])


def means(first: Ranked, asked: Sequence[CitingContext]) -> dict[str, float]:
    found = measured(first, asked)
    return {
        f"{name} {size}": float(values[kept].mean())
        for size, fits in _SIZES.items()
        if (kept := _of_size(asked, fits)).any()
        for name, values in found.items()
        if name != "all@10" or size == "≥ 2"
    }


def by_paper(values: NDArray[np.float64], asked: Sequence[CitingContext]) -> tuple[NDArray[np.float64], ...]:
    """Sums and numbers of questions by citing paper: those of one paper are not independent."""
    papers = {each.query.citing_id: None for each in asked}
    row = {paper: number for number, paper in enumerate(papers)}
    places = np.array([row[each.query.citing_id] for each in asked])
    return np.bincount(places, values).astype(np.float64), np.bincount(places).astype(np.float64)


def difference(
    one: Sequence[Ranked], other: Sequence[Ranked], name: str, asked: Sequence[CitingContext]
) -> Difference:
    """Tests first minus second, over citing papers and seeds."""

    def by_citing_paper(first: Ranked) -> NDArray[np.float64]:
        sums, counts = by_paper(measured(first, asked)[name], asked)
        scaled: NDArray[np.float64] = sums * len(sums) / counts.sum()
        return scaled

    return compared(*([by_citing_paper(first) for first in runs] for runs in (one, other)))


def thirds(field: Field) -> dict[str, list[tuple[int, int, int]]]:
    """Returns pairs of papers that one question cites, as (question, paper, paper), by thirds of the number
    of earlier papers that cite both."""
    history = CoCitations(field.together)
    pairs, counts = [], []
    for number, context in enumerate(field.asked):
        for one, other in combinations(context.cited, 2):
            pairs.append((number, one, other))
            counts.append(history.frequencies(one, context.query.year or 0).get(other, 0))
    if not pairs:
        return {}
    low, high = np.quantile(counts, [1 / 3, 2 / 3])
    which = [0 if count <= low else 1 if count <= high else 2 for count in counts]
    return {
        name: [pair for pair, third in zip(pairs, which, strict=True) if third == number]
        for number, name in enumerate(_THIRDS)
    }


# Pages ----------------------------------------------------------------------------------------------------


def _table(title: str, names: Sequence[str], runs: Mapping[str, Sequence[Ranked]], lab: SetsLab) -> Table:
    asked = lab.field.asked
    columns = [f"{name}, {size}" for size in _SIZES for name in ("R@10", "AP@10")]
    rows: list[list[Cell]] = []
    for name in names:
        cells: list[Cell] = [name]
        for fits in _SIZES.values():
            kept = _of_size(asked, fits)
            cells += [_cell(runs[name], measure, kept, lab) for measure in ("R@10", "AP@10")]
        rows.append(cells)
    sizes = lab.sizes
    note = (
        f"{sizes['asked']:,} questions of the newest year, {sizes['several']:,} of them with several relevant"
        f" papers; {sizes['papers']:,} candidates; {sizes['taught']:,} earlier places for training. Means"
        f" over {len(lab.seeds)} seeds ± their standard deviation, and 95 % intervals of the means by"
        " the bootstrap over citing papers."
    )
    return Table(title, ["", *columns], rows, [note, _SOURCE])


def _cell(runs: Sequence[Ranked], measure: str, kept: NDArray[np.bool_], lab: SetsLab) -> Cell:
    asked = [each for each, fits in zip(lab.field.asked, kept, strict=True) if fits]
    if not asked:
        return None
    values = [measured(each[kept], asked)[measure] for each in runs]
    sums, counts = by_paper(np.mean(values, axis=0), asked)
    low, high = interval(resampled_means(sums, counts, lab.setup.seed))
    mean, spread = mean_and_spread([float(run.mean()) for run in values])
    around = "" if spread is None else f" ± {shown(spread)}"
    return f"{shown(mean)}{around} ({shown(low)}–{shown(high)})"


def _by_frequency(runs: Mapping[str, Sequence[Ranked]], lab: SetsLab) -> Table:
    pairs = thirds(lab.field)
    rows: list[list[Cell]] = []
    for name, found in runs.items():
        cells: list[Cell] = [name]
        for third in pairs.values():
            both = [
                {one, other} <= set(first[number].tolist()) for first in found for number, one, other in third
            ]
            cells.append(float(np.mean(both)) if both else None)
        whole = [means(first, lab.field.asked).get("all@10 ≥ 2") for first in found]
        cells.append(fmean(each for each in whole if each is not None) if whole[0] is not None else None)
        rows.append(cells)
    columns = [*(f"{name} ({len(of)} pairs)" for name, of in pairs.items()), "all relevant papers"]
    note = (
        "Share of the pairs of papers that one question cites of which the first ten have both, by thirds of"
        " the number of earlier papers that cite both; and the share of questions with several relevant"
        " papers of which the first ten have all."
    )
    return Table("By frequency of co-citation", ["", *columns], rows, [note])


def _differences(runs: Mapping[str, Sequence[Ranked]], lab: SetsLab) -> dict[str, dict[str, Difference]]:
    """Returns the differences by measure and size, of each pair of systems that are compared."""
    by_pair: dict[str, dict[str, Difference]] = {}
    for first, second in _COMPARED:
        by_pair[f"{first} − {second}"] = by_measure = {}
        for size, fits in _SIZES.items():
            right_size = _of_size(lab.field.asked, fits)
            asked = [context for context, own in zip(lab.field.asked, right_size, strict=True) if own]
            if len({context.query.citing_id for context in asked}) < 2:
                continue
            for measure in ("R@10", "AP@10"):
                one, other = ([ranked[right_size] for ranked in runs[name]] for name in (first, second))
                by_measure[f"{measure} {size}"] = difference(one, other, measure, asked)
    return by_pair


def _summary(by_pair: Mapping[str, Mapping[str, Difference]], small: bool) -> list[str]:
    sentences = [
        f"{pair.replace(' − ', ' against ')}, {size}: {signed(by_measure[f'R@10 {size}'])} in R@10"
        for pair, by_measure in by_pair.items()
        for size in ("≥ 1", "≥ 2")
        if f"R@10 {size}" in by_measure
    ]
    note = (
        "Scale small: networks of one layer on the vectors of the built-in sentence encoder, a sample of the"
        " candidates and of each full text. The source trains six layers on six for words; only the order of"
        " the systems can be compared."
    )
    return [*([note] if small else []), f"{'; '.join(sentences)}."]
