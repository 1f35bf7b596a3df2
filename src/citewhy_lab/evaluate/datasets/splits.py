"""Splits of contexts in the format of the field's data sets.

A split is a list ``[{"context_id": …, "positive_ids": […]}, …]``, or one such object a line. In the archives
of Medić and Šnajder (2020) training rows have a ``paper_id``, validation rows a ``true_ref`` and a
``neg_ref``, and rows for prediction a candidate each; the cited paper of a context is the one that the
context has.

A file in the same folder has the contexts by id (`jsonlines`), the first of `CONTEXT_FILES`: the archives
have them with 600 and with 200 characters on both sides of the marker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import orjson

from citewhy.base.errors import InputError
from citewhy.base.records import Context
from citewhy.text.source import read_bytes
from citewhy_lab.evaluate.datasets.lines import Line
from citewhy_lab.evaluate.datasets.reading import find, need, records

CONTEXT_FILES = ("contexts.json", "contexts_600.json", "contexts_200.json")

_MOST = 4 << 30
"""Maximum bytes of a split file: that of arXiv has three million lines."""

_PAIR = frozenset({"paper_id", "true_ref"})
"""Fields of rows that are a context and a paper."""

_UNKNOWN = "split rows whose context contexts.json does not have, left out"
_DIFFERENT = "split rows with other papers than the context's refid; those of the split are used"


def is_split(path: Path) -> bool:
    """Tells whether a file is named like a split, and is in a folder with contexts of this layout."""
    return (
        path.suffix == ".json"
        and path.name not in (*CONTEXT_FILES, "papers.json")
        and find(path.parent, *CONTEXT_FILES) is not None
    )


def split_contexts(path: Path) -> list[Context]:
    """Returns the contexts of one split, with its relevant papers, for a benchmark.

    Raises InputError if a context of `path`, or the file of contexts, cannot be read.
    """
    damage: Counter[str] = Counter()
    contexts = {record.id: record for record in records(need(path.parent, *CONTEXT_FILES), Context, damage)}
    contexts_read = list(read_split(path, contexts, damage))
    for problem, count in damage.items():
        if problem != _DIFFERENT:
            raise InputError(f"{problem}: {count}", path=path, hint="benchmarks must be read completely")
    return contexts_read


def read_split(path: Path, contexts: Mapping[str, Context], damage: Counter[str]) -> Iterator[Context]:
    """Returns the contexts of a split, with its relevant papers; problems are counted."""
    seen: set[str] = set()
    for line in _rows(path):
        context = contexts.get(line.text("context_id"))
        if context is None:
            damage[_UNKNOWN] += 1
            continue
        if _PAIR.isdisjoint(line.fields):
            positive = line.texts("positive_ids")
            if positive != context.cited_ids:
                damage[_DIFFERENT] += 1
            yield replace(context, cited_ids=positive)
        elif context.id not in seen:  # pairs, several of one context
            seen.add(context.id)
            yield context


def _rows(path: Path) -> Iterator[Line]:
    """Returns the rows of a split: a list, or one row a line."""
    data = read_bytes(path, _MOST).strip()
    try:
        rows = (
            orjson.loads(data) if data.startswith(b"[") else [orjson.loads(row) for row in data.splitlines()]
        )
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", path=path, hint="expected a list of contexts") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(f"row {number} is not a JSON object", path=path)
        yield Line(path, number, row)
