"""The page of the experiment `linkage`: tables 1 to 6, figure 7, findings in sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.errors import QueryError
from citewhy.evaluate.bootstrap import intervals
from citewhy.evaluate.datasets.linkage import Cluster
from citewhy.evaluate.linkage import MEASURES, RADII, Judged, average, measure_name, overlap_f1
from citewhy.evaluate.plots import dot_plot, svg
from citewhy.evaluate.significance import paired_t, regression
from citewhy.experiments.result import Cell, Result, Table, shown

__all__ = ["MAIN", "Columns", "pages"]

MAIN = "binary, entropy"
"""The network of table 6 and figure 7."""

TOPS = (1, 2, 3, 5)
"""Numbers of sentences for the measure of overlap."""

Doubles = NDArray[np.float64]
System = Sequence[Judged]


@dataclass
class Columns:
    """Name of a system → its rankings, one for each cluster, in the same order of clusters."""

    baselines: dict[str, System] = field(default_factory=dict)
    ties_last: dict[str, System] = field(default_factory=dict)
    """Baselines that count words, with ties in the opposite order."""
    learned: defaultdict[str, dict[str, System]] = field(default_factory=lambda: defaultdict(dict))
    """By supervision."""
    by_output: defaultdict[str, dict[str, System]] = field(default_factory=lambda: defaultdict(dict))
    """By supervision: binary networks, ranked by their own output instead of G1."""


def pages(clusters: Sequence[Cluster], columns: Columns, skipped: str, made: Mapping[str, Any]) -> Result:
    """The page of the experiment."""
    tables = [
        _profiles(clusters),
        *_results("Table 2: MRR with citance-centred supervision (CCS)", clusters, columns, "CCS"),
        *_results("Table 3: MRR with target-centred supervision (TCS)", clusters, columns, "TCS"),
        _joints(columns),
        _supervisions(columns),
        _regressions(clusters, columns.learned["CCS"][MAIN]),
        _overlap(columns),
        _ties(columns),
        _outputs(columns),
    ]
    return Result(
        "Citation linkage by neural networks",
        [_HEAD, *_findings(columns), *([skipped] if skipped else [])],
        tables,
        {"by-cluster": _figure(clusters, columns)},
        {"systems": _systems(columns)},
        made,
    )


_HEAD = (
    "Which sentence of the cited paper does a citing sentence mean? Nomoto (Resolving Citation Links With "
    "Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018) asked two kinds of small "
    "networks; here they are trained and measured again. Each cluster (a cited paper and the sentences that "
    "cite it) is held out in turn. MRR is the mean over clusters of the mean reciprocal rank of the first "
    "true sentence, with targets widened by ±n sentences; [evaluation.md](evaluation.md) has the measures. "
    "The command that made this page: "
    "`citewhy experiment linkage linkage.dev.citances.jsonl.gz --out docs`."
)


def _mean(system: System) -> dict[str, float]:
    """MRR over clusters at each radius, as in the source."""
    return average(system, "clusters").means()


def _by_cluster(system: System, radius: int) -> Doubles:
    return average(system, "clusters").sums[measure_name(radius)]


def _profiles(clusters: Sequence[Cluster]) -> Table:
    features = _features(clusters)
    rows: list[Sequence[Cell]] = [
        (release, len(places), *(f"{values[places].mean():.1f}" for values in features.values()))
        for release, places in _releases(clusters).items()
    ]
    heads = ("release", "clusters", *(f"{name}, mean" for name in features))
    return Table("Table 1: the clusters", heads, rows)


def _features(clusters: Sequence[Cluster]) -> dict[str, Doubles]:
    """The explanatory features of table 6: numbers of sentences of the cited paper, of citing papers, of
    target sentences, of citances."""
    counts = {
        "|RP|": [len(each.text.sentences) for each in clusters],
        "#CPs": [len({citance.citing_id for citance in each.citances}) for each in clusters],
        "|T|": [len({sid for citance in each.citances for sid in citance.target_sids}) for each in clusters],
        "|C|": [len(each.citances) for each in clusters],
    }
    return {name: np.array(values, dtype=np.float64) for name, values in counts.items()}


def _releases(clusters: Sequence[Cluster]) -> dict[str, NDArray[np.intp]]:
    """Release → indices of its clusters."""
    names = np.array([each.release for each in clusters])
    return {str(name): np.flatnonzero(names == name) for name in np.unique(names)}


def _results(title: str, clusters: Sequence[Cluster], columns: Columns, supervision: str) -> list[Table]:
    """One table over all clusters, one by release."""
    learned = _learned(columns, supervision)
    systems = columns.baselines | {name: learned[name] for name in _learned(columns, "TCS")}
    whole: list[Sequence[Cell]] = [
        (name, *_mean(system).values(), average(system, "citances").means()["RR"])
        for name, system in systems.items()
    ]
    releases = _releases(clusters)
    heads = [f"{release} {measure_name(radius)}" for release in releases for radius in (0, 5)]
    parts: list[Sequence[Cell]] = []
    for name, system in systems.items():
        values = [_by_cluster(system, radius)[at].mean() for at in releases.values() for radius in (0, 5)]
        parts.append((name, *map(float, values)))
    note = "Last column: over citances instead of clusters (each citance counts once)."
    return [
        Table(title, ("system", *MEASURES, "RR, citances"), whole, [note]),
        Table(f"{title}, by release", ("system", *heads), parts),
    ]


def _learned(columns: Columns, supervision: str) -> dict[str, System]:
    """By name in the tables; those of networks start with NN."""
    systems = columns.learned[supervision]
    return {name if name == "SVR" else f"NN: {name}": system for name, system in systems.items()}


def _joints(columns: Columns) -> Table:
    ccs = columns.learned["CCS"]
    rows: list[Sequence[Cell]] = [
        (f"{psi}, {joint}", *_mean(ccs[f"{psi}, entropy{'' if joint == 'mul' else ', sqrd'}"]).values())
        for psi in ("binary", "tfidf")
        for joint in ("mul", "sqrd")
    ]
    return Table(
        "Table 4: elementwise product (mul) against squared difference (sqrd)", ("ψ, f", *MEASURES), rows
    )


def _supervisions(columns: Columns) -> Table:
    rows: list[Sequence[Cell]] = []
    for name, tcs in columns.learned["TCS"].items():
        tests = [_test(columns.learned["CCS"][name], tcs, radius) for radius in (0, 3, 5)]
        rows.append((name, *(cell for test in tests for cell in test)))
    heads = [head for radius in (0, 3, 5) for head in (measure_name(radius), f"p, n = {radius}")]
    note = "CCS minus TCS: above zero, the source's finding. Paired t-test over clusters, two-sided."
    return Table(
        "Table 5: citance-centred against target-centred supervision", ("system", *heads), rows, [note]
    )


def _test(first: System, second: System, radius: int) -> tuple[float, float]:
    """Mean difference over clusters, and its p."""
    one, other = _by_cluster(first, radius), _by_cluster(second, radius)
    return float((one - other).mean()), paired_t(one, other)


def _regressions(clusters: Sequence[Cluster], system: System) -> Table:
    features = {name: values / _UNITS[name] for name, values in _features(clusters).items()}
    rows: list[Sequence[Cell]] = []
    notes = [f"NN: {MAIN}, CCS; a coefficient is the change of a cluster's MRR with one unit of the feature."]
    for radius in RADII:
        try:
            found = regression(_by_cluster(system, radius), features)
        except QueryError as error:  # with few or similar clusters only this row is missing
            rows.append((f"n = ±{radius}", *[None] * (2 * len(features) + 1)))
            notes.append(f"n = ±{radius}: {error}.")
            continue
        cells = [cell for each in found.coefficients for cell in (each.value, each.p)]
        rows.append((f"n = ±{radius}", *cells, found.r_squared))
    heads = [head for name, unit in _UNITS.items() for head in (f"{name} / {unit:g}", "p")]
    # Each column needs a name of its own.
    heads = [f"p of {heads[at - 1].split(' ')[0]}" if head == "p" else head for at, head in enumerate(heads)]
    return Table("Table 6: MRR regressed on features of the cluster", ("radius", *heads, "R²"), rows, notes)


_UNITS = {"|RP|": 100.0, "#CPs": 10.0, "|T|": 10.0, "|C|": 10.0}


def _overlap(columns: Columns) -> Table:
    systems = columns.baselines | _learned(columns, "CCS")
    rows: list[Sequence[Cell]] = [
        (name, *(overlap_f1(system, top)[2] for top in TOPS)) for name, system in systems.items()
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
            (name, *(cell for each in ("RR", "RR±3", "RR±5") for cell in (first[each], turned[each])))
        )
    heads = [f"{each}, {order}" for each in ("RR", "RR±3", "RR±5") for order in ("first", "last")]
    note = (
        "Over citances. Equal scores keep the order of the paper (first) in all other tables; targets are "
        "frequent at the beginning of papers, so this favours systems with many ties."
    )
    return Table("The effect of ties", ("system", *heads), rows, [note])


def _outputs(columns: Columns) -> Table:
    rows: list[Sequence[Cell]] = []
    for supervision, systems in columns.by_output.items():
        for name, system in systems.items():
            by_units, by_output = _mean(columns.learned[supervision][name]), _mean(system)
            cells = [cell for each in ("RR", "RR±5") for cell in (by_units[each], by_output[each])]
            rows.append((f"{supervision}, {name}", *cells))
    heads = [f"{each}, {by}" for each in ("RR", "RR±5") for by in ("G1", "output")]
    return Table("Ranked by the layer G1, or by the network's own output", ("network", *heads), rows)


def _findings(columns: Columns) -> list[str]:
    """The findings of the source, each with the result here."""
    ccs, tcs, words = columns.learned["CCS"], columns.learned["TCS"], columns.baselines
    sqrd = "binary, entropy, sqrd"
    found = {
        "Networks with binary inputs rank above those with tf-idf, and above TFIDF.": [
            _versus((MAIN, ccs[MAIN]), ("TFIDF", words["TFIDF"])),
            _versus(("binary, triplet", ccs["binary, triplet"]), ("tfidf, triplet", ccs["tfidf, triplet"])),
        ],
        "They rank above the number of shared words.": [
            _versus((MAIN, ccs[MAIN]), ("BDOT", words["BDOT"])),
            _versus(("binary, triplet", ccs["binary, triplet"]), ("BDOT", words["BDOT"])),
        ],
        "CCS teaches more than TCS.": [
            _versus((f"{name}: CCS", ccs[name]), ("TCS", tcs[name])) for name in tcs
        ],
        "The product is a better f than the squared difference.": [
            _versus(("binary: mul", ccs[MAIN]), ("sqrd", ccs[sqrd])),
            _versus(("tfidf: mul", ccs["tfidf, entropy"]), ("sqrd", ccs["tfidf, entropy, sqrd"])),
        ],
        "Widening targets by five sentences makes MRR about four times as high.": [_growth(columns)],
    }
    lines = [f"- *{finding}* {' '.join(came_out)}" for finding, came_out in found.items()]
    return ["The source's findings, and what came out (p: paired t-test over clusters):", "\n".join(lines)]


def _versus(first: tuple[str, System], second: tuple[str, System]) -> str:
    p = _test(first[1], second[1], 0)[1]
    one, other = (f"{name} {shown(_mean(system)['RR'])}" for name, system in (first, second))
    return f"{one}, {other} (p {'' if p < 0.0005 else '= '}{shown(p)})."


def _growth(columns: Columns) -> str:
    systems = {**columns.baselines, **columns.learned["CCS"]}
    ratios = {name: _mean(each)["RR±5"] / _mean(each)["RR"] for name, each in systems.items()}
    least, most = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    ends = f"from {ratios[least]:.1f} ({least}) to {ratios[most]:.1f} ({most})"
    return f"{ratios[MAIN]:.1f} times for {MAIN}; {ends}."


def _systems(columns: Columns) -> dict[str, Any]:
    """Every system: both averages with intervals, and the reciprocal rank of each cluster."""
    named = {f"baseline/{name}": each for name, each in columns.baselines.items()}
    for supervision, systems in columns.learned.items():
        named |= {f"{supervision}/{name}": each for name, each in systems.items()}
    found = {}
    for name, system in named.items():
        micro, macro = average(system, "citances"), average(system, "clusters")
        found[name] = {
            "citances": micro.means(),
            "intervals": intervals(micro, seed=0),
            "clusters": macro.means(),
            "by_cluster": dict(zip(macro.query_ids, macro.sums["RR"].tolist(), strict=True)),
        }
    return found


def _figure(clusters: Sequence[Cluster], columns: Columns) -> str:
    system = columns.learned["CCS"][MAIN]
    values = {name: _by_cluster(system, radius) for name, radius in (("n = 0", 0), ("±3", 3), ("±10", 10))}
    rows = [
        (release, clusters[place].id, [float(each[place]) for each in values.values()])
        for release, places in _releases(clusters).items()
        for place in places.tolist()
    ]
    return svg(dot_plot("Figure 7: MRR by cluster, NN: binary, entropy, CCS", list(values), rows))
