"""Training instances, an anchor paper with the papers that it should be near to, and far from; in memory, and
on disk: as section 4.3 of Bansal (2023) describes them, and as triples of two others.

.jsonl          a line an instance: the aspect, and titles and abstracts of the anchor, of positives and of
                negatives; or a line a triple, with the papers ``query``, ``pos`` and ``neg``, as SPECTER's
                training data are published
_triples.csv    SciNCL's: ids of anchor, positive and negative behind a line of headings; texts are beside
                it in ``…_metadata.jsonl``, with ``paper_id``, ``title`` and ``abstract``
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.artifact import replace_file
from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy.text.source import open_lines
from citewhy_lab.evaluate.datasets.lines import Line, every_object
from citewhy_lab.train.reranking.words import padded
from citewhy_lab.train.systems.aspects.graph import Rows
from citewhy_lab.train.systems.aspects.settings import Aspect

NONE = -1
"""Pads rows with fewer papers than others."""


@dataclass(frozen=True, slots=True)
class Instances:
    """A row an instance; papers are rows of the graph, padded with NONE."""

    aspects: tuple[Aspect, ...]
    """[n] the aspect that positives and negatives are of; empty strings where there is none."""
    anchors: Rows
    """[n]"""
    positives: Rows
    """[n, p], the first never NONE."""
    hard: Rows
    """[n, h]: of L1, linked in another aspect; of L2 and without aspects, references of references."""
    easy: Rows
    """[n, e]: not linked at all."""
    distant: Rows
    """[n, g]: the negatives of the global loss of a hybrid; otherwise without columns."""

    def __len__(self) -> int:
        return len(self.anchors)

    @property
    def papers(self) -> Rows:
        """[n, 1 + p + h + e + g] the anchor of each, and all others, padded with NONE."""
        parts = (self.anchors[:, None], self.positives, self.hard, self.easy, self.distant)
        return np.concatenate(parts, axis=1)

    def take(self, positions: Rows) -> Instances:
        """Returns the instances at `positions`."""
        arrays = {field.name: getattr(self, field.name)[positions] for field in fields(self)[1:]}
        return Instances(tuple(self.aspects[position] for position in positions.tolist()), **arrays)

    @staticmethod
    def joined(parts: list[Instances]) -> Instances:
        """Returns the instances of all parts; columns are padded to the longest."""
        aspects = tuple(aspect for part in parts for aspect in part.aspects)
        names = ("positives", "hard", "easy", "distant")
        arrays = {name: _joined([getattr(part, name) for part in parts]) for name in names}
        return Instances(aspects, np.concatenate([part.anchors for part in parts]), **arrays)


def _joined(parts: list[Rows]) -> Rows:
    width = max(part.shape[1] for part in parts)
    return np.concatenate(
        [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=NONE) for part in parts]
    )


# On disk ---------------------------------------------------------------------------------------------------


TRIPLES = "_triples.csv"

_LISTS = {"positives": "positives", "hard": "hard_negatives", "easy": "easy_negatives", "distant": "distant"}
"""Field of `Instances` → field of a line."""


def write_instances(path: Path, instances: Instances, papers: Sequence[Paper], triples: bool = False) -> None:
    """Writes SciNCL's triples to a name that ends with ``_triples.csv``, and lines otherwise: of SPECTER's
    `triples`, or of instances. `papers` are in the order of the rows. Raises StorageError."""
    if path.name.endswith(TRIPLES):
        listed = list(_triples(instances))
        used = dict.fromkeys(row for triple in listed for row in triple)
        rows = [",".join(papers[row].id for row in triple) for triple in listed]
        texts = [{"paper_id": papers[row].id} | _text(papers[row]) for row in used]
        replace_file(metadata_of(path), _lines(texts))
        replace_file(path, "".join(f"{row}\n" for row in ["anchor_id,pos_id,neg_id", *rows]).encode())
    elif triples:
        names = ("query", "pos", "neg")
        replace_file(
            path,
            _lines(
                {name: _paper(papers[row]) for name, row in zip(names, triple, strict=True)}
                for triple in _triples(instances)
            ),
        )
    else:
        replace_file(
            path, _lines(_instance(instances, position, papers) for position in range(len(instances)))
        )


def metadata_of(path: Path) -> Path:
    """Returns the file with the texts of SciNCL's triples at `path`."""
    return path.with_name(path.name.removesuffix(TRIPLES) + "_metadata.jsonl")


def read_instances(path: Path) -> tuple[Instances, tuple[Paper, ...]]:
    """Any of these files; its papers in the order of the rows of the instances.

    A triple becomes an instance with one hard negative. Raises InputError for what is none of them, for an
    empty file, and for a triple whose text is missing.
    """
    reader = _scincl(path) if path.name.endswith(TRIPLES) else _json_lines(path)
    papers: dict[str, Paper] = {}
    position: dict[str, int] = {}
    rows: list[tuple[str, int, dict[str, list[int]]]] = []
    for aspect, anchor, lists in reader:
        for paper in (anchor, *(listed for some in lists.values() for listed in some)):
            position.setdefault(paper.id, len(position))
            papers.setdefault(paper.id, paper)
        numbers = {name: [position[paper.id] for paper in some] for name, some in lists.items()}
        rows.append((aspect, position[anchor.id], numbers))
    if not rows:
        raise InputError("there are no training instances in this file", path=path)
    arrays = {name: padded([numbers.get(name, []) for _, _, numbers in rows], 0) for name in _LISTS}
    anchors = np.array([anchor for _, anchor, _ in rows], dtype=np.int64)
    return Instances(tuple(aspect for aspect, _, _ in rows), anchors, **arrays), tuple(papers.values())


Row = tuple[str, Paper, dict[str, list[Paper]]]
"""Aspect, anchor, lists of papers by field of `Instances`."""


def _json_lines(path: Path) -> Iterator[Row]:
    for line in every_object(path):
        if "query" in line.fields:
            triple = [_read(line, line.fields.get(name)) for name in ("query", "pos", "neg")]
            yield "", triple[0], {"positives": [triple[1]], "hard": [triple[2]]}
            continue
        lists = {
            name: [_read(line, content) for content in line.fields.get(field) or []]
            for name, field in _LISTS.items()
        }
        if not lists["positives"]:
            raise line.error(
                "there are no 'positives' and no 'query'",
                hint="a line is an instance (anchor, positives, …) or a triple (query, pos, neg)",
            )
        yield str(line.fields.get("aspect") or ""), _read(line, line.fields.get("anchor")), lists


def _scincl(path: Path) -> Iterator[Row]:
    texts = {}
    beside = metadata_of(path)
    for number, text in open_lines(beside):
        line = Line(beside, number, orjson.loads(text))
        texts[line.text("paper_id")] = _read(line, dict(line.fields) | {"id": line.fields["paper_id"]})
    for number, cells in enumerate(csv.reader(text for _, text in open_lines(path)), start=1):
        if number == 1 or not cells:
            continue
        if len(cells) != 3 or not set(cells) <= texts.keys():
            raise InputError(
                f"{','.join(cells)!r} are not the ids of three papers in {beside.name}",
                path=path,
                line=number,
            )
        anchor, near, far = (texts[paper_id] for paper_id in cells)
        yield "", anchor, {"positives": [near], "hard": [far]}


def _read(line: Line, value: Any) -> Paper:
    if not isinstance(value, dict):
        raise line.error("a paper is missing", hint="a paper has the fields id, title and abstract")
    fields = Line(line.path, line.number, {**value, "id": str(value.get("id") or "")})
    return Paper(fields.text("id"), fields.text("title"), str(value.get("abstract") or ""))


def _triples(instances: Instances) -> Iterator[tuple[int, int, int]]:
    """Yields each positive with a negative, as the triplet loss pairs them."""
    for position in range(len(instances)):
        near = _there(instances.positives[position])
        far = _there(
            np.concatenate([instances.hard[position], instances.easy[position], instances.distant[position]])
        )
        for number in range(max(len(near), len(far)) if near and far else 0):
            yield int(instances.anchors[position]), near[number % len(near)], far[number % len(far)]


def _instance(instances: Instances, position: int, papers: Sequence[Paper]) -> dict[str, Any]:
    lists = {
        field: [_paper(papers[row]) for row in _there(getattr(instances, name)[position])]
        for name, field in _LISTS.items()
    }
    anchor = _paper(papers[int(instances.anchors[position])])
    return {"aspect": instances.aspects[position] or None, "anchor": anchor, **lists}


def _there(rows: Any) -> list[int]:
    return [int(row) for row in rows if row != NONE]


def _paper(paper: Paper) -> dict[str, str]:
    return {"id": paper.id, **_text(paper)}


def _text(paper: Paper) -> dict[str, str]:
    return {"title": paper.title, "abstract": paper.abstract}


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)
