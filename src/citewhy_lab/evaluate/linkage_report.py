"""The report on a linker: ranks of the first target sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy

from citewhy_lab.evaluate.bootstrap import intervals
from citewhy_lab.evaluate.compare import Difference, compare
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import MEASURES, Judged, average, overlap_f1
from citewhy_lab.evaluate.pages import markdown_page, text_page
from citewhy_lab.evaluate.plots import dot_plot, svg
from citewhy_lab.evaluate.runs import Ranking, trec

__all__ = ["TOPS", "LinkageReport", "Measured"]

TOPS = (1, 3, 5)
"""Numbers of sentences for the measure of overlap."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A linker's rankings, one for each cluster."""

    name: str
    judged: Sequence[Judged]
    seconds: Sequence[float]
    """Wall time of each citance: an equal share of its cluster's."""


@dataclass(frozen=True, slots=True)
class LinkageReport:
    """The complete report on an evaluation of the task `linkage`."""

    file: str
    clusters: Sequence[Cluster]
    system: Measured
    seed: int
    baseline: Measured | None = None
    skipped: int = 0
    """Citances of the file that cannot be scored."""
    peak_rss_mb: float | None = None
    notes: Sequence[str] = ()
    made: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        head = {
            "task": "linkage",
            "file": self.file,
            "queries": sum(len(each.targets) for each in self.system.judged),
            "clusters": len(self.clusters),
            "judgements": sum(int(each.targets.sum()) for each in self.system.judged),
            "average": "queries",
            "skipped": self.skipped,
        }
        against = {}
        if self.baseline is not None:
            against = {
                "baseline": self._column(self.baseline),
                "difference": {name: asdict(found) for name, found in self._differences().items()},
            }
        tail = {"peak_rss_mb": self.peak_rss_mb, "notes": list(self.notes), "made": dict(self.made)}
        return {**head, **self._column(self.system), **against, **tail}

    def text(self) -> str:
        """For a terminal of 80 columns."""
        return text_page(self._title(), self._facts(), self._rows(), self.notes)

    def markdown(self) -> str:
        """A heading, a table and notes."""
        return markdown_page(self._title(), self._facts(), self._rows(), self.notes)

    def run(self) -> bytes:
        """Every sentence of the cited paper for each citance, as ``paper/sid``; scores are minus the rank,
        because equal scores keep the order of the paper."""
        found = {}
        for cluster, judged in zip(self.clusters, self.system.judged, strict=True):
            names = [f"{cluster.id}/{sentence.sid}" for sentence in cluster.text.sentences]
            minus = [-float(rank) for rank in range(1, len(names) + 1)]
            for citance, places in zip(cluster.citances, judged.ranking, strict=True):
                found[citance.id] = Ranking(tuple(names[place] for place in places.tolist()), minus)
        return trec(found, self.system.name)

    def plot(self) -> str:
        """Mean reciprocal rank of each cluster at three radii."""
        scores = average(self.system.judged, "clusters")
        shown = ("RR", "RR±3", "RR±10")
        rows = [
            (cluster.release, cluster.id, [float(scores.sums[name][place]) for name in shown])
            for place, cluster in enumerate(self.clusters)
        ]
        rows.sort(key=lambda row: row[:2])
        return svg(dot_plot(f"{self._title()}, {self.system.name}", shown, rows))

    def _column(self, measured: Measured) -> dict[str, Any]:
        micro = average(measured.judged, "citances")
        p50, p95 = numpy.percentile(measured.seconds, [50, 95]).tolist()
        return {
            "linker": measured.name,
            "measures": micro.means(),
            "intervals": intervals(micro, self.seed),
            "by_clusters": average(measured.judged, "clusters").means(),
            "overlap": {f"F1@{top}": overlap_f1(measured.judged, top)[2] for top in TOPS},
            "seconds_per_query": {"p50": p50, "p95": p95},
        }

    def _differences(self) -> dict[str, Difference]:
        assert self.baseline is not None
        first, second = (average(each.judged, "citances") for each in (self.system, self.baseline))
        return compare(first, second, self.seed)

    def _title(self) -> str:
        return f"linkage: {self.file}"

    def _facts(self) -> list[str]:
        document = self.document()
        facts = [
            f"{document['queries']:,} citing sentences of {document['clusters']} cited papers, "
            f"{document['judgements']:,} sentences meant; each citing sentence counts once",
            f"F1 of the first sentence: {_number(document['overlap']['F1@1'])}; of the first three: "
            f"{_number(document['overlap']['F1@3'])}",
            "intervals: 95 %, bootstrap over cited papers; p: randomisation test",
        ]
        if self.skipped:
            facts.append(f"{self.skipped:,} citing sentences of the file could not be used")
        return facts

    def _rows(self) -> list[list[str]]:
        """Header and a row for each measure: value and interval; with a baseline also its value, difference,
        p."""
        document = self.document()
        head = ["measure", self.system.name, "95 %"]
        rows = [
            [name, _number(document["measures"][name]), "-".join(map(_number, document["intervals"][name]))]
            for name in MEASURES
        ]
        if self.baseline is not None:
            head += [self.baseline.name, "difference", "p"]
            for row, found in zip(rows, self._differences().values(), strict=True):
                value = document["baseline"]["measures"][row[0]]
                p = found.p_randomisation
                row += [_number(value), f"{found.value:+.3f}", "<.001" if p < 0.001 else _number(p)]
        return [head, *rows]


def _number(value: float) -> str:
    """``.413``"""
    return f"{value:.3f}".removeprefix("0")
