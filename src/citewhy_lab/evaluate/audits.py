"""Measures of audits on entries that are known to be valid or invented: those of HALLMARK.

Detected is what differs, is mixed, or is impossible. A verdict says nothing of how sure it is, and HALLMARK's
calibration error asks for that: `SURE` gives each verdict a number, the same for all rows.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy
from numpy.typing import NDArray

from citewhy.answers.audit import Verdict
from citewhy.base.records import Paper
from citewhy_lab.evaluate.bootstrap import RESAMPLES, interval
from citewhy_lab.evaluate.datasets.hallmark import Row

DETECTED: tuple[Verdict, ...] = ("differs", "mixed", "impossible")
SURE: dict[Verdict, float] = {
    "impossible": 0.99,
    "mixed": 0.95,
    "differs": 0.95,
    "known": 0.9,
    "unknown": 0.5,
}
"""How sure each verdict is taken to be; `unknown` counts as valid, as in HALLMARK."""
_TIERS = (1, 2, 3)
_BINS = 10
_RETITLED = frozenset(("chimeric_title", "near_miss_title"))
"""Inventions whose title is no paper's."""
_WITHOUT_DOI = 1 / 3

_FULL = {
    "NeurIPS": "Advances in Neural Information Processing Systems",
    "ICML": "International Conference on Machine Learning",
    "CVPR": "Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition",
    "AAAI": "Proceedings of the AAAI Conference on Artificial Intelligence",
    "ICLR": "International Conference on Learning Representations",
    "Mach. Learn.": "Machine Learning",
    "J. Mach. Learn. Res.": "Journal of Machine Learning Research",
    "Trans. Mach. Learn. Res.": "Transactions on Machine Learning Research",
}

_NUMBER = re.compile(r" \d{4}$")
"""What DBLP puts behind a name that several people have."""

Doubles = NDArray[numpy.float64]


def restyled(paper: Paper, rng: random.Random) -> Paper:
    """A record of the same paper in another style: initials for given names, the full name of its venue, and
    one in three without a DOI."""
    names = [_NUMBER.sub("", name).split() for name in map(str, paper.authors)]
    authors = tuple(" ".join([*(f"{word[0]}." for word in name[:-1]), name[-1]]) for name in names if name)
    publication = paper.publication and replace(
        paper.publication, container=_FULL.get(paper.publication.container, paper.publication.container)
    )
    return replace(
        paper,
        authors=authors,
        venue=_FULL.get(paper.venue, paper.venue),
        publication=publication,
        source=None,
        doi="" if rng.random() < _WITHOUT_DOI else paper.doi,
    )


@dataclass(frozen=True, slots=True)
class AuditedRow:
    """A row with its verdict."""

    row: Row
    verdict: Verdict
    there: bool
    """Whether the library has the paper that it is, or was made from."""


def are_there(rows: Sequence[Row], library: Sequence[Row]) -> list[bool]:
    """Of each row, whether the library has its title or DOI, or the authors of a row with a changed title."""
    titles = {row.paper.title.casefold() for row in library}
    dois = {row.paper.doi for row in library} - {""}
    people = {row.paper.authors for row in library}
    return [
        row.paper.title.casefold() in titles
        or row.paper.doi in dois
        or (row.kind in _RETITLED and row.paper.authors in people)
        for row in rows
    ]


def measures(
    audited: Sequence[AuditedRow], seed: int
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """HALLMARK's measures with their 95 % intervals, by a bootstrap over rows."""
    table = _Table(
        numpy.array([each.row.valid for each in audited]),
        numpy.array([each.verdict in DETECTED for each in audited]),
        numpy.array([each.row.tier for each in audited]),
        numpy.array([each.there for each in audited]),
        numpy.array([each.verdict == "known" for each in audited]),
        numpy.array([SURE[each.verdict] for each in audited]),
    )
    found = table.measures(numpy.arange(len(audited)))
    rng = numpy.random.default_rng(seed)
    samples = [table.measures(rng.integers(0, len(audited), len(audited))) for _ in range(RESAMPLES)]
    drawn = {name: numpy.array([one[name] for one in samples if name in one]) for name in found}
    return found, {name: interval(values) for name, values in drawn.items()}


@dataclass(frozen=True, slots=True)
class _Table:
    valid: NDArray[numpy.bool_]
    detected: NDArray[numpy.bool_]
    tier: NDArray[numpy.int64]
    there: NDArray[numpy.bool_]
    known: NDArray[numpy.bool_]
    sure: Doubles

    def measures(self, rows: NDArray[numpy.int64]) -> dict[str, float]:
        """Those that the rows allow: there is no rate of what does not occur."""
        valid, detected, tier = self.valid[rows], self.detected[rows], self.tier[rows]
        there, known = self.there[rows], self.known[rows]
        found: dict[str, float] = {}
        shares = {
            "detection rate": (detected, ~valid),
            "detection rate, paper there": (detected, ~valid & there),
            "called known, paper absent": (known, ~valid & ~there),
            "false-positive rate": (detected, valid),
        }
        for name, (what, among) in shares.items():
            if among.any():
                found[name] = float(what[among].mean())
        if (~valid).any():
            found["F1"] = _f1(valid, detected, numpy.ones(len(rows)))
            found["F1, tier-weighted"] = _f1(valid, detected, numpy.where(valid, 1.0, tier))
        for number in _TIERS:
            some = tier == number
            if (some & ~valid).any():
                found[f"F1, tier {number}"] = _f1(valid[some], detected[some], numpy.ones(int(some.sum())))
        found["ECE"] = _calibration_error(self.sure[rows], detected != valid)
        return found


def _f1(valid: NDArray[numpy.bool_], detected: NDArray[numpy.bool_], weights: Doubles) -> float:
    right = float(weights[detected & ~valid].sum())
    return 2 * right / float(2 * right + weights[detected & valid].sum() + weights[~detected & ~valid].sum())


def _calibration_error(sure: Doubles, right: NDArray[numpy.bool_]) -> float:
    """The expected calibration error over bins of equal numbers of rows."""
    order = numpy.argsort(sure, kind="stable")
    bins = [part for part in numpy.array_split(order, _BINS) if len(part)]
    return float(sum(len(part) * abs(right[part].mean() - sure[part].mean()) for part in bins) / len(sure))


def by_kind(audited: Sequence[AuditedRow]) -> list[str]:
    """A line for each kind of row: how many, the share detected, and the verdicts."""
    counts: dict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
    for each in audited:
        counts[each.row.kind or "valid", "there" if each.there else "absent"][each.verdict] += 1
    lines = [f"{'kind':24}{'paper':8}{'rows':>6}{'detected':>10}  verdicts"]
    for (kind, where), verdicts in sorted(counts.items()):
        share = sum(verdicts[verdict] for verdict in DETECTED) / verdicts.total()
        names = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        lines.append(f"{kind:24}{where:8}{verdicts.total():6}{share:10.3f}  {names}")
    return lines
