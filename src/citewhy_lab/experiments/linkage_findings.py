"""The findings of Nomoto (2018), each with what came out."""

from __future__ import annotations

from citewhy_lab.experiments.linkage_measures import difference, mean
from citewhy_lab.experiments.linkage_runs import Columns, Runs
from citewhy_lab.experiments.result import shown

__all__ = ["findings"]


def findings(columns: Columns, main: str) -> list[str]:
    """`main`: the network of table 6 and figure 7."""
    ccs, tcs = columns.learned["CCS"], columns.learned["TCS"]
    words: dict[str, Runs] = {name: [system] for name, system in columns.baselines.items()}
    sqrd = "binary, entropy, sqrd"
    found = {
        "Networks with binary inputs rank above those with tf-idf, and above TFIDF.": [
            _versus((main, ccs[main]), ("TFIDF", words["TFIDF"])),
            _versus(("binary, triplet", ccs["binary, triplet"]), ("tfidf, triplet", ccs["tfidf, triplet"])),
        ],
        "They rank above the number of shared words.": [
            _versus((main, ccs[main]), ("BDOT", words["BDOT"])),
            _versus(("binary, triplet", ccs["binary, triplet"]), ("BDOT", words["BDOT"])),
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
    lines = [f"- *{finding}* {' '.join(came_out)}" for finding, came_out in found.items()]
    head = (
        "The source's findings, and what came out (difference, its 95 % interval, and p, over clusters and"
        " seeds):"
    )
    return [head, "\n".join(lines)]


def _versus(first: tuple[str, Runs], second: tuple[str, Runs]) -> str:
    found = difference(first[1], second[1])
    one, other = (f"{name} {shown(mean(runs))}" for name, runs in (first, second))
    sign = "" if found.p < 0.0005 else "= "
    return (
        f"{one}, {other} ({shown(found.value)}; {shown(found.low)} to {shown(found.high)};"
        f" p {sign}{shown(found.p)})."
    )


def _growth(columns: Columns, main: str) -> str:
    systems: dict[str, Runs] = {name: [system] for name, system in columns.baselines.items()}
    systems |= columns.learned["CCS"]
    ratios = {name: mean(runs, 5) / mean(runs) for name, runs in systems.items()}
    least, most = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    ends = f"from {ratios[least]:.1f} ({least}) to {ratios[most]:.1f} ({most})"
    return f"{ratios[main]:.1f} times for {main}; {ends}."
