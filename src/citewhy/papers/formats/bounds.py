"""Limits on the length of values: longer ones are omitted with a warning."""

from __future__ import annotations

import operator
from dataclasses import fields, replace

from citewhy.base.records import Context, FullText, Header, Paper
from citewhy.papers.formats.registry import Record
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten

__all__ = ["MAX_VALUE", "bounded"]

MAX_VALUE = 1 << 20
"""Maximum number of characters of a value: a title, an abstract, all authors of a paper, a sentence."""

_TEXTS = tuple(
    field.name for field in fields(Paper) if field.type == "str" and field.name not in ("id", "title")
)
_values = operator.attrgetter("id", "title", *_TEXTS)


def bounded(record: Record, path: FilePath, report: ImportReport) -> Record | None:
    """The record without values longer than `MAX_VALUE`; None if it is useless without them."""
    if isinstance(record, Paper):
        return _paper(record, path, report)
    if isinstance(record, Header):
        paper = _paper(record.paper, path, report)
        return None if paper is None else Header(paper)
    long = ""
    if isinstance(record, Context) and len(record.text) > MAX_VALUE:
        long = f"the text of {shorten(record.id)!r}"
    if isinstance(record, FullText) and any(len(one.text) > MAX_VALUE for one in record.sentences):
        long = f"a sentence of {shorten(record.paper_id)!r}"
    if long:
        report.skip(path, None, f"{long} has more than {MAX_VALUE:,} characters")
        return None
    return record


def _paper(paper: Paper, path: FilePath, report: ImportReport) -> Paper | None:
    if sum(map(len, _values(paper))) + sum(map(len, paper.authors)) <= MAX_VALUE:
        return paper
    if len(paper.title) > MAX_VALUE or len(paper.id) > MAX_VALUE:
        what = "id" if len(paper.id) > MAX_VALUE else "title"
        report.skip(path, None, f"the {what} of {shorten(paper.id)!r} has more than {MAX_VALUE:,} characters")
        return None
    long: dict[str, object] = {name: "" for name in _TEXTS if len(getattr(paper, name)) > MAX_VALUE}
    if sum(map(len, paper.authors)) > MAX_VALUE:
        long["authors"] = ()
    if not long:
        return paper
    for name in long:
        what = f"{name} of {shorten(paper.id)!r}"
        report.warn(path, None, f"{what} has more than {MAX_VALUE:,} characters; left out")
    return replace(paper, **long)  # type: ignore[arg-type]
