"""The page of the experiment `linkage`: tables 1 to 6 and figure 7 of the source, tables of our own, and the
source's findings, each with what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.bootstrap import intervals
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import MEASURES, RADII, average, measure_name, overlap_f1
from citewhy_lab.evaluate.plots import dot_plot, svg
from citewhy_lab.experiments.engine import Cell, Result, Table, shown
from citewhy_lab.experiments.linkage_runs import SOURCE_NAMES, Columns, Group, Runs, System
from citewhy_lab.experiments.significance import Difference, crossed, regression

MAIN = "binary, entropy"
"""The network of table 6 and figure 7."""

TOPS = (1, 2, 3, 5)
"""Numbers of sentences for the measure of overlap."""

Doubles = NDArray[np.float64]


def pages(
    sets: Sequence[Group], columns: Columns, split: Columns, skipped: str, made: Mapping[str, Any]
) -> Result:
    """Makes the page of the experiment; `split` has systems for which citances were split into sentences."""
    clusters = [cluster for group in sets for cluster in group.clusters]
    tables = [
        profiles(sets),
        *_results("Table 2: MRR with citance-centred supervision (CCS)", sets, columns, "CCS"),
        *_results("Table 3: MRR with target-centred supervision (TCS)", sets, columns, "TCS"),
        _training(columns),
        _joints(columns),
        _supervisions(columns),
        regressions(clusters, columns.learned["CCS"][MAIN], MAIN),
        _overlap(columns),
        _ties(columns),
        _outputs(columns),
        _split(columns, split),
    ]
    seeds = len(columns.learned["CCS"][MAIN])
    return Result(
        "Citation linkage by neural networks",
        [
            _head(seeds, made.get("options", {})),
            *findings(columns, MAIN, sets),
            *([skipped] if skipped else []),
        ],
        tables,
        {"by-cluster": _figure(sets, columns)},
        {"systems": _systems(columns)},
        made,
    )


def _head(seeds: int, options: Mapping[str, Any]) -> str:
    """Writes the introduction; `options` are those of the scale; the sentence about them is left out where
    they are not there."""
    sizes = (
        f"; up to {options['epochs']} epochs, word2vec with {options['vector_size']} dimensions (300 in the"
        " source)"
        if options
        else ""
    )
    return (
        "Which sentence of the cited paper does a citing sentence mean? Nomoto (Resolving Citation Links "
        "With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018) asked two kinds of small "
        "networks; here they are trained and measured again. Each cluster (a cited paper and the sentences "
        "that cite it) is held out in turn, and systems are trained on the other clusters of its data set. "
        "Networks begin with weights on both sides of zero (or, where it says counting start, above it), and "
        f"are trained with {seeds} seeds; the number of epochs is chosen on inner folds{sizes}. MRR is the "
        "mean over clusters of the mean reciprocal rank of the first true sentence, with targets widened by "
        "±n sentences; [evaluation.md](evaluation.md) has the measures, and [the README of the networks]"
        "(../src/citewhy_lab/train/systems/linkage_networks/README.md) compares every choice with the source."
        " The command that made this page: `citewhy experiment linkage linkage.dev.citances.jsonl.gz --scale "
        f"{options.get('scale', 'full')} --out docs`."
    )


def _rows_of(sets: Sequence[Group]) -> dict[str, slice]:
    """Returns for each data set the rows of its clusters among all."""
    ends = np.cumsum([len(group.clusters) for group in sets]).tolist()
    starts = [0, *ends[:-1]]
    return {group.name: slice(*at) for group, at in zip(sets, zip(starts, ends, strict=True), strict=True)}


def _results(title: str, sets: Sequence[Group], columns: Columns, supervision: str) -> list[Table]:
    """Makes one table over all clusters, one by data set."""
    learned = _learned(columns, supervision)
    systems = _as_runs(columns.baselines) | {name: learned[name] for name in _learned(columns, "TCS")}
    whole: list[Sequence[Cell]] = [
        (
            name,
            mean(runs),
            spread(runs),
            *(mean(runs, radius) for radius in RADII[1:]),
            float(np.mean([average(system, "citances").means()["RR"] for system in runs])),
        )
        for name, runs in systems.items()
    ]
    heads = [f"{name} {measure_name(radius)}" for name in _rows_of(sets) for radius in (0, 5)]
    parts: list[Sequence[Cell]] = []
    for name, runs in systems.items():
        cells = [float(by_cluster(runs, r)[at].mean()) for at in _rows_of(sets).values() for r in (0, 5)]
        parts.append((name, *cells))
    note = (
        "Means over seeds; ±: standard deviation over seeds. Last column: over citances instead of clusters "
        "(each citance counts once)."
    )
    return [
        Table(title, ("system", "RR", "± RR", *MEASURES[1:], "RR, citances"), whole, [note]),
        Table(f"{title}, by data set", ("system", *heads), parts),
    ]


def _as_runs(systems: Mapping[str, System]) -> dict[str, Runs]:
    return {name: [system] for name, system in systems.items()}


def _learned(columns: Columns, supervision: str) -> dict[str, Runs]:
    """Returns the runs by name in the tables; those of networks start with NN."""
    systems = columns.learned[supervision]
    return {name if name == "SVR" else f"NN: {name}": runs for name, runs in systems.items()}


def _training(columns: Columns) -> Table:
    rows: list[Sequence[Cell]] = []
    for supervision, chosen in columns.epochs.items():
        for name, epochs in chosen.items():
            trained, untrained = columns.learned[supervision][name], columns.untrained[name]
            gain = difference(trained, untrained)
            middle = f"{np.median(epochs):g}"
            cells = (mean(untrained), mean(trained), gain.value, gain.low, gain.high, gain.p)
            rows.append((f"{supervision}, {name}", middle, *cells))
    heads = ("network", "epochs", "RR, untrained", "RR, trained", "difference", *_INTERVAL)
    note = (
        "Epochs: the median of the numbers that inner folds chose for the clusters. Untrained: with the "
        f"first weights of the same seeds. {_TEST}"
    )
    return Table("What training is worth", heads, rows, [note])


_INTERVAL = ("95 %, low", "95 %, high", "p")
_TEST = (
    "Intervals and p take clusters and seeds as drawn at random (quasi-F for two crossed random effects, "
    "two-sided)."
)


def _joints(columns: Columns) -> Table:
    ccs = columns.learned["CCS"]
    rows: list[Sequence[Cell]] = [
        (f"{psi}, {joint}", *_all(ccs[f"{psi}, entropy{'' if joint == 'mul' else ', sqrd'}"]))
        for psi in ("binary", "tfidf")
        for joint in ("mul", "sqrd")
    ]
    return Table(
        "Table 4: elementwise product (mul) against squared difference (sqrd)", ("ψ, f", *MEASURES), rows
    )


def _supervisions(columns: Columns) -> Table:
    rows: list[Sequence[Cell]] = []
    for name, tcs in columns.learned["TCS"].items():
        tests = [difference(columns.learned["CCS"][name], tcs, radius) for radius in (0, 3, 5)]
        rows.append((name, *(cell for test in tests for cell in (test.value, test.low, test.high, test.p))))
    heads = [
        f"{measure_name(radius)}{head}"
        for radius in (0, 3, 5)
        for head in ("", *(f", {column}" for column in _INTERVAL))
    ]
    note = f"CCS minus TCS: above zero, the source's finding. {_TEST}"
    return Table(
        "Table 5: citance-centred against target-centred supervision", ("system", *heads), rows, [note]
    )


def _all(runs: Runs) -> list[Cell]:
    """Computes MRR at each radius."""
    return [mean(runs, radius) for radius in RADII]


def _overlap(columns: Columns) -> Table:
    systems = _as_runs(columns.baselines) | _learned(columns, "CCS")
    rows: list[Sequence[Cell]] = [
        (name, *(float(np.mean([overlap_f1(system, top)[2] for system in runs])) for top in TOPS))
        for name, runs in systems.items()
    ]
    heads = [f"F1, first {top}" for top in TOPS]
    note = "Networks with CCS. All citances pooled; sentences exactly, without neighbours."
    return Table("CL-SciSumm's own measure: sentence overlap", ("system", *heads), rows, [note])


def _ties(columns: Columns) -> Table:
    rows: list[Sequence[Cell]] = []
    for name, last in columns.ties_last.items():
        first = average(columns.baselines[name], "citances").means()
        turned = average(last, "citances").means()
        rows.append(
            (
                name,
                *(cell for name_of in ("RR", "RR±3", "RR±5") for cell in (first[name_of], turned[name_of])),
            )
        )
    heads = [f"{measure}, {order}" for measure in ("RR", "RR±3", "RR±5") for order in ("first", "last")]
    note = (
        "Over citances. Equal scores keep the order of the paper (first) in all other tables; targets are "
        "frequent at the beginning of papers, so this favours systems with many ties."
    )
    return Table("The effect of ties", ("system", *heads), rows, [note])


def _outputs(columns: Columns) -> Table:
    rows: list[Sequence[Cell]] = []
    for supervision, systems in columns.by_output.items():
        for name, runs in systems.items():
            rows.append((f"{supervision}, {name}", *_beside(columns.learned[supervision][name], runs)))
    return Table(
        "Ranked by the layer G1, or by the network's own output",
        ("network", *_beside_heads("G1", "output")),
        rows,
        [_TEST],
    )


def _beside(first: Runs, second: Runs) -> list[Cell]:
    """Writes both, and second minus first."""
    gain = difference(second, first)
    interval = (gain.value, gain.low, gain.high, gain.p)
    return [mean(first), mean(second), *interval, mean(first, 5), mean(second, 5)]


def _beside_heads(first: str, second: str) -> list[str]:
    return [f"RR, {first}", f"RR, {second}", "difference", *_INTERVAL, f"RR±5, {first}", f"RR±5, {second}"]


def _systems(columns: Columns) -> dict[str, Any]:
    """Returns every system: both averages with intervals, and the reciprocal rank of each cluster."""
    named = {f"baseline/{name}": runs for name, runs in _as_runs(columns.baselines).items()}
    for supervision, systems in columns.learned.items():
        named |= {f"{supervision}/{name}": runs for name, runs in systems.items()}
    named |= {f"untrained/{name}": runs for name, runs in columns.untrained.items()}
    facts: dict[str, Any] = {}
    for name, runs in named.items():
        first = average(runs[0], "citances")
        facts[name] = {
            "seeds": len(runs),
            "first_seed": {"citances": first.means(), "intervals": intervals(first, seed=0)},
            "clusters": {measure_name(radius): mean(runs, radius) for radius in RADII},
            "by_cluster": dict(zip(first.query_ids, by_cluster(runs).mean(axis=1).tolist(), strict=True)),
        }
    return facts


def _split(columns: Columns, split: Columns) -> Table:
    whole = _as_runs(columns.baselines) | _learned(columns, "CCS")
    parts = _as_runs(split.baselines) | _learned(split, "CCS")
    rows: list[Sequence[Cell]] = [(name, *_beside(whole[name], parts[name])) for name in parts]
    note = (
        "The source splits a citance of several sentences; elsewhere on this page it stays whole. With CCS. "
        f"{_TEST}"
    )
    heads = ("system", *_beside_heads("whole", "split"))
    return Table("Citances split into sentences", heads, rows, [note])


def _figure(sets: Sequence[Group], columns: Columns) -> str:
    runs = columns.learned["CCS"][MAIN]
    values = [by_cluster(runs, radius).mean(axis=1) for radius in (0, 3, 10)]
    clusters = [(group.name, cluster.id) for group in sets for cluster in group.clusters]
    rows = [
        (name, cluster, [float(value[position]) for value in values])
        for position, (name, cluster) in enumerate(clusters)
    ]
    return svg(dot_plot("Figure 7: MRR by cluster, NN: binary, entropy, CCS", ["n = 0", "±3", "±10"], rows))


# Means, spreads, differences ------------------------------------------------------------------------------


def by_cluster(runs: Runs, radius: int = 0) -> Doubles:
    """Returns [clusters, seeds] mean reciprocal ranks."""
    name = measure_name(radius)
    return np.stack([average(system, "clusters").sums[name] for system in runs], axis=1)


def mean(runs: Runs, radius: int = 0) -> float:
    """Computes MRR over clusters, as in the source, and over seeds."""
    return float(by_cluster(runs, radius).mean())


def spread(runs: Runs) -> float | None:
    """Computes the standard deviation of the MRR over seeds; None for one run."""
    return stdev(by_cluster(runs).mean(axis=0).tolist()) if len(runs) > 1 else None


def difference(first: Runs, second: Runs, radius: int = 0) -> Difference:
    """Tests first minus second, with the same clusters and seeds; what has one run has the same for all
    seeds."""
    return crossed(by_cluster(first, radius) - by_cluster(second, radius))


# Features of the clusters ---------------------------------------------------------------------------------

_UNITS = {"|RP|": 100.0, "#CPs": 10.0, "|T|": 10.0, "|C|": 10.0}
FEATURES = tuple(_UNITS)


def profiles(sets: Sequence[Group]) -> Table:
    rows: list[Sequence[Cell]] = []
    for group in sets:
        features = _features(group.clusters)
        rows.append(
            (_named(group), len(group.clusters), *(f"{feature.mean():.1f}" for feature in features.values()))
        )
    heads = ("data set", "clusters", *(f"{name}, mean" for name in FEATURES))
    return Table("Table 1: the clusters", heads, rows)


def _named(group: Group) -> str:
    """Writes the source's name, and that of the release."""
    releases = [release for release, name in SOURCE_NAMES.items() if name == group.name]
    return f"{group.name} ({releases[0]})" if releases else group.name


def _features(clusters: Sequence[Cluster]) -> dict[str, Doubles]:
    """Returns the explanatory features of table 6: numbers of sentences of the cited paper, of citing papers,
    of target sentences, of citances. A sentence is a target as often as it is meant: section 4 says of the
    source's |T| that it mostly exceeds the number of citances, because several share their targets."""
    counts = {
        "|RP|": [len(cluster.text.sentences) for cluster in clusters],
        "#CPs": [len({citance.citing_id for citance in cluster.citances}) for cluster in clusters],
        "|T|": [sum(len(citance.target_sids) for citance in cluster.citances) for cluster in clusters],
        "|C|": [len(cluster.citances) for cluster in clusters],
    }
    return {name: np.array(counts[name], dtype=np.float64) for name in FEATURES}


def regressions(clusters: Sequence[Cluster], runs: Runs, network: str) -> Table:
    features = {name: values / _UNITS[name] for name, values in _features(clusters).items()}
    rows: list[Sequence[Cell]] = []
    notes = [
        f"NN: {network}, CCS; a coefficient is the change of a cluster's MRR with one unit of the feature."
    ]
    for radius in RADII:
        try:
            fitted = regression(by_cluster(runs, radius).mean(axis=1), features)
        except QueryError as error:  # with few or similar clusters only this row is missing
            rows.append((f"n = ±{radius}", *[None] * (2 * len(features) + 1)))
            notes.append(f"n = ±{radius}: {error}.")
            continue
        cells = [cell for coefficient in fitted.coefficients for cell in (coefficient.value, coefficient.p)]
        rows.append((f"n = ±{radius}", *cells, fitted.r_squared))
    heads = [head for name, unit in _UNITS.items() for head in (f"{name} / {unit:g}", "p")]
    # Each column needs a name of its own.
    heads = [f"p of {heads[at - 1].split(' ')[0]}" if head == "p" else head for at, head in enumerate(heads)]
    return Table("Table 6: MRR regressed on features of the cluster", ("radius", *heads, "R²"), rows, notes)


# Findings -------------------------------------------------------------------------------------------------


def findings(columns: Columns, main: str, sets: Sequence[Group]) -> list[str]:
    """Writes the findings; `main`: the network of table 6 and figure 7."""
    ccs, tcs = columns.learned["CCS"], columns.learned["TCS"]
    words: dict[str, Runs] = {name: [system] for name, system in columns.baselines.items()}
    clusters = [cluster for group in sets for cluster in group.clusters]
    sqrd = "binary, entropy, sqrd"
    outcomes = {
        "Networks with binary inputs rank above those with tf-idf.": [
            _versus((main, ccs[main]), ("tfidf, entropy", ccs["tfidf, entropy"])),
            _versus(("binary, triplet", ccs["binary, triplet"]), ("tfidf, triplet", ccs["tfidf, triplet"])),
        ],
        "Whatever the width of targets, they rank above the support vector regression, TFIDF and the number"
        " of shared words.": [
            _versus((name, ccs[name]), (other, runs), radius)
            for name in (main, "binary, triplet")
            for other in ("SVR", "TFIDF", "BDOT")
            if (runs := ccs.get(other, words.get(other)))
            for radius in (0, 3, 5)
        ],
        "The number of shared words ranks above TFIDF.": [
            _versus(("BDOT", words["BDOT"]), ("TFIDF", words["TFIDF"]))
        ],
        "With TCS the triplet network, too, is better with binary inputs than with tf-idf.": [
            _versus(("binary, triplet", tcs["binary, triplet"]), (other, tcs[other]))
            for other in ("tfidf, triplet",)
            if other in tcs
        ],
        "With TCS networks fall below the number of shared words.": [
            _versus((name, tcs[name]), ("BDOT", words["BDOT"]))
            for name in (main, "binary, triplet")
            if name in tcs
        ],
        "With TCS networks lose most on TAC2014, which has the fewest citing papers.": [
            f"{name}, TCS minus CCS: {_by_set(tcs[name], ccs[name], sets)}."
            for name in (main, "binary, triplet")
            if name in tcs
        ],
        "The binary network ranks above the triplet network.": [
            _versus((main, ccs[main]), ("binary, triplet", ccs["binary, triplet"]))
        ],
        "Shared words tell more than embeddings.": [
            _versus((name, runs), (psi, ccs[psi]))
            for psi in ("embedding, triplet", "word2vec, triplet")
            if psi in ccs
            for name, runs in (("binary, triplet", ccs["binary, triplet"]), ("BDOT", words["BDOT"]))
        ],
        "Of the features of a cluster the length of the cited paper alone predicts MRR.": [
            _predictors(clusters, ccs[main], radius) for radius in RADII
        ],
        "CCS teaches more than TCS.": [
            _versus((f"{name}: CCS", ccs[name]), ("TCS", tcs[name])) for name in tcs
        ],
        "The product is a better f than the squared difference.": [
            _versus(("binary: mul", ccs[main]), ("sqrd", ccs[sqrd])),
            _versus(("tfidf: mul", ccs["tfidf, entropy"]), ("sqrd", ccs["tfidf, entropy, sqrd"])),
        ],
        "Widening targets by five sentences makes MRR about four times as high.": [_growth(columns, main)],
    }
    lines = [f"- *{finding}* {' '.join(came_out)}" for finding, came_out in outcomes.items()]
    head = (
        "The source's findings, and what came out (difference, its 95 % interval, and p, over clusters and"
        " seeds):"
    )
    return [head, "\n".join(lines)]


def _versus(first: tuple[str, Runs], second: tuple[str, Runs], radius: int = 0) -> str:
    gain = difference(first[1], second[1], radius)
    one, other = (f"{name} {shown(mean(runs, radius))}" for name, runs in (first, second))
    sign = "" if gain.p < 0.0005 else "= "
    width = f"n = ±{radius}: " if radius else ""
    return (
        f"{width}{one}, {other} ({shown(gain.value)}; {shown(gain.low)} to {shown(gain.high)};"
        f" p {sign}{shown(gain.p)})."
    )


def _by_set(first: Runs, second: Runs, sets: Sequence[Group]) -> str:
    """Writes first minus second for each data set; that of one cluster has no interval, and is left out."""
    apart = by_cluster(first) - by_cluster(second)
    found = []
    for name, rows in _rows_of(sets).items():
        if len(apart[rows]) > 1:
            gain = crossed(apart[rows])
            found.append(f"{name} {shown(gain.value)} ({shown(gain.low)} to {shown(gain.high)})")
    return ", ".join(found) or "no data set has two clusters"


def _predictors(clusters: Sequence[Cluster], runs: Runs, radius: int) -> str:
    """Writes which features have p < .05 in the regression of table 6."""
    features = {name: values / _UNITS[name] for name, values in _features(clusters).items()}
    try:
        fitted = regression(by_cluster(runs, radius).mean(axis=1), features)
    except QueryError as error:  # few or similar clusters
        return f"n = ±{radius}: {error}."
    told = [f"{each.name} p {'' if each.p < 0.0005 else '= '}{shown(each.p)}" for each in fitted.coefficients]
    found = [each.name for each in fitted.coefficients if each.p < 0.05]
    return f"n = ±{radius}: {' and '.join(found) or 'none'} with p < .05 ({'; '.join(told)})."


def _growth(columns: Columns, main: str) -> str:
    systems: dict[str, Runs] = {name: [system] for name, system in columns.baselines.items()}
    systems |= columns.learned["CCS"]
    ratios = {name: mean(runs, 5) / mean(runs) for name, runs in systems.items()}
    least, most = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    ends = f"from {ratios[least]:.1f} ({least}) to {ratios[most]:.1f} ({most})"
    return f"{ratios[main]:.1f} times for {main}; {ends}."
