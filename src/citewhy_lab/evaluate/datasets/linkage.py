"""Task `linkage`: to which sentences of the cited paper does a citing sentence refer?

Two files: ``NAME.citances.*`` has citing sentences with the numbers of their targets, ``NAME.clusters.*`` in
the same folder the cited papers, sentence by sentence. Or a folder of CL-SciSumm, as published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citance, FullText, Sentence
from citewhy.text.tidy import tidy
from citewhy_lab.evaluate.corpora import clscisumm
from citewhy_lab.evaluate.datasets.lines import Line, objects


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cited paper with the sentences that cite it: the unit that is held out."""

    text: FullText
    citances: tuple[Citance, ...]
    """At least one."""
    release: str = ""
    """Name of the first release with the cluster."""

    @property
    def id(self) -> str:
        return self.text.paper_id


def clusters_beside(citances: Path) -> Path:
    """Returns the file with the cited papers of a file of citances. Raises InputError if the name does not
    tell."""
    before, word, after = citances.name.rpartition("citances")
    if not word:
        raise InputError(
            "the file name does not show where the cited papers are",
            path=citances,
            hint="task linkage reads NAME.citances.jsonl and, in the same folder, NAME.clusters.jsonl",
        )
    return citances.with_name(f"{before}clusters{after}")


def benchmark_files(citances: Path) -> list[Path]:
    """Returns the files that determine a result, for their checksums; none for a folder, which has too
    many."""
    return [] if citances.is_dir() else [citances, clusters_beside(citances)]


def read_clusters(citances: Path, report: ImportReport) -> list[Cluster]:
    """Returns the clusters that have citances, in the order of their file; `citances` may be a folder of
    CL-SciSumm.

    A citance without text, without a cited paper or without a target in it is skipped with a note in
    `report`, and so is a single target that the cited paper does not have. Raises InputError with file and
    line for invalid content, and if no citance is left.
    """
    clusters = _in_folder(citances, report) if citances.is_dir() else _in_files(citances, report)
    if not clusters:
        raise InputError("no citance has a target in a cited paper", path=citances)
    return clusters


def _in_folder(folder: Path, report: ImportReport) -> list[Cluster]:
    return [Cluster(*linked) for linked in clscisumm.read_clusters(folder, report)]


def _in_files(citances: Path, report: ImportReport) -> list[Cluster]:
    papers = _papers(clusters_beside(citances))
    linked: dict[str, list[Citance]] = {paper_id: [] for paper_id in papers}
    seen: set[str] = set()
    for line in objects(citances, "linkage", "citance_id"):
        if line.text("citance_id") in seen:
            raise line.error(f"a second citance {line.text('citance_id')!r}")
        seen.add(line.text("citance_id"))
        if (citance := _citance(line, papers, report)) is not None:
            linked[citance.cited_id].append(citance)
            report.read["citances"] += 1
    clusters = [
        Cluster(text, tuple(linked[paper_id]), release)
        for paper_id, (text, release) in papers.items()
        if linked[paper_id]
    ]
    report.read["clusters"] += len(clusters)
    return clusters


def _papers(path: Path) -> dict[str, tuple[FullText, str]]:
    """Returns for each id the cited paper, and the release of its cluster."""
    papers: dict[str, tuple[FullText, str]] = {}
    for line in objects(path, "linkage", "cluster"):
        identifier = line.text("cluster")
        if identifier in papers:
            raise line.error(f"a second cluster {identifier!r}")
        release = line.fields.get("set")
        papers[identifier] = (_full_text(line, identifier), release if isinstance(release, str) else "")
    return papers


def _full_text(line: Line, identifier: str) -> FullText:
    rows = line.fields.get("reference_sentences")
    if not isinstance(rows, list) or not rows:
        raise line.error(f"cluster {identifier!r} has no `reference_sentences`")
    sentences = sorted((_sentence(line, row) for row in rows), key=lambda sentence: sentence.sid)
    for one, following in pairwise(sentences):
        if one.sid == following.sid:
            raise line.error(f"cluster {identifier!r} has two sentences {one.sid}")
    return FullText(identifier, tuple(sentences))


def _sentence(line: Line, row: object) -> Sentence:
    if not isinstance(row, dict) or type(row.get("sid")) is not int or not isinstance(row.get("text"), str):
        raise line.error("a sentence needs a number `sid` and a `text`")
    section = row.get("section")
    return Sentence(row["sid"], tidy(section) if isinstance(section, str) else "", tidy(row["text"]))


def _citance(line: Line, papers: Mapping[str, tuple[FullText, str]], report: ImportReport) -> Citance | None:
    """Reads a citance; returns None for one that cannot be scored, which is noted in the report."""
    identifier, cited = line.text("citance_id"), line.text("cluster")
    text = line.fields.get("citance_text")
    if not isinstance(text, str) or not text.strip():
        report.skip(line.path, line.number, f"citance {identifier} has no text")
        return None
    if cited not in papers:
        report.skip(line.path, line.number, f"citance {identifier} is of a missing cluster, {cited}")
        return None
    targets = _targets(line, identifier, papers[cited][0], report)
    if not targets:
        report.skip(line.path, line.number, f"citance {identifier} has no target in {cited}")
        return None
    facets = line.fields.get("facets")
    return Citance(
        id=identifier,
        citing_id=line.text("citing_id"),
        cited_id=cited,
        text=tidy(text),
        target_sids=targets,
        facets=tuple(facet for facet in facets if isinstance(facet, str)) if isinstance(facets, list) else (),
    )


def _targets(line: Line, identifier: str, cited: FullText, report: ImportReport) -> tuple[int, ...]:
    """Returns the targets that the cited paper has; the others are noted in the report."""
    there = {sentence.sid for sentence in cited.sentences}
    asked = sorted(set(line.numbers("target_sids")))
    for sid in asked:
        if sid not in there:
            report.warn(
                line.path, line.number, f"citance {identifier}: {cited.paper_id} has no sentence {sid}"
            )
    return tuple(sid for sid in asked if sid in there)
