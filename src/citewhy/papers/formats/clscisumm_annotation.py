"""Annotations of CL-SciSumm: to which sentences of the cited paper a citing sentence refers.

Two layouts: lines of labelled fields, ``Citance Number: 1 | Reference Article: C00-2123.xml | …``, in
``*.ann.txt`` and ``*.annv3.txt``; and tables with the same names as columns, ``*.csv``. In both, a field may
be ``NA``, sentence numbers are written as ``['12','13']`` with any of the quotes missing, and sentences are
quoted as ``<S sid="12" ssid="3">…</S>``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from citewhy.base.errors import InputError
from citewhy.papers.formats.clscisumm import LineOf
from citewhy.papers.formats.report import ImportReport
from citewhy.text.repair import decode_lines, repair
from citewhy.text.source import FilePath, read_bytes
from citewhy.text.tidy import tidy

__all__ = ["MAX_ANNOTATION", "Annotation", "read_annotations"]

MAX_ANNOTATION = 16 << 20
"""Bytes of the annotations of a cited paper."""

_TOPIC, _NUMBER = "Topic ID", "Citance Number"
_FIELDS = (
    _TOPIC,
    _NUMBER,
    "Reference Article",
    "Citing Article",
    "Citation Marker Offset",
    "Citation Marker",
    "Citation Offset",
    "Citation Text",
    "Citation Text Clean",
    "Reference Offset",
    "Reference Text",
    "Discourse Facet",
    "Annotator",
)
"""A record starts with one of the first three."""

_COLUMNS = ("Citing Article", "Citation Text", "Reference Offset")
"""Columns that a table of annotations must have."""

_LABEL = re.compile(rf"(?:^|\|)[^\S\n]*({'|'.join(_FIELDS)})[^\S\n]*:", re.MULTILINE)
_FACET = re.compile(r"\b([A-Za-z]+)_(?:Citation|Facet)\b")
_ONE_NAME = {"result": "results"}
_QUOTED = re.compile(r"<S\b[^<>]*>(.*?)(?=</?S\b[^<>]*>|$)", re.DOTALL)
_TAG = re.compile(r"</?S\b[^<>]*>")
_RANGE = re.compile(r"\d\s*-\s*\d")
_NOTHING = frozenset({"", "NA", "N/A", "nan", "None", "[]"})


@dataclass(frozen=True, slots=True)
class Annotation:
    """A record of a file. Texts are repaired; names of files have no suffix."""

    line: int
    number: str
    """Empty if the file does not number its records."""
    reference: str
    citing: str
    text: str
    """The text of all citing sentences, in order."""
    sids: tuple[int, ...] | None
    """Numbers of the target sentences; None if the file has none: targets are then quoted, or given as
    character offsets in a text that is not available."""
    quoted: tuple[str, ...]
    """The target sentences, or parts of them."""
    facets: tuple[str, ...]


def read_annotations(path: FilePath, report: ImportReport) -> list[Annotation]:
    """All records of a file in either layout, including incomplete ones.

    A truncated table is noted in `report`. Raises InputError for a file in neither layout.
    """
    text = decode_lines(read_bytes(path, MAX_ANNOTATION))
    if _LABEL.search(text):
        rows = _labelled(text)
    elif all(name in text.partition("\n")[0] for name in _COLUMNS):
        rows = _table(path, text, report)
    else:
        raise InputError(
            "neither fields such as 'Citance Number:' nor a table of them",
            path=path,
            hint="expected annotations of CL-SciSumm",
        )
    return [_annotation(line, row) for line, row in rows]


def _labelled(text: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Records, which need not start or end at line ends and may lack any field.

    Texts can contain bars, so fields are found by their names; a name that occurs again starts the next
    record.
    """
    line_of = LineOf(text)
    labels = list(_LABEL.finditer(text))
    record: dict[str, str] = {}
    start = 0
    for label, following in pairwise([*labels, None]):
        assert label is not None
        if label[1] in record or (label[1] == _NUMBER and record.keys() - {_TOPIC}):
            yield line_of(start), record
            record = {}
        if not record:
            start = label.start(1)
        value = text[label.end() : None if following is None else following.start()]
        record[label[1]] = value.strip().removesuffix("|").strip()
    if record:
        yield line_of(start), record


def _table(path: FilePath, text: str, report: ImportReport) -> Iterator[tuple[int, Mapping[str, str]]]:
    rows = csv.reader(io.StringIO(text.replace("\0", ""), newline=""))
    columns = [tidy(name) for name in next(rows)]
    line = rows.line_num + 1
    try:
        for row in rows:
            if any(row):
                yield line, dict(zip(columns, row, strict=False))
            line = rows.line_num + 1
    except csv.Error as error:  # after an unclosed quote the rest of the file is one field
        report.skip(path, line, f"the table is truncated: {error}")


def _annotation(line: int, row: Mapping[str, str]) -> Annotation:
    values = {name: "" if (value := row.get(name, "").strip()) in _NOTHING else value for name in _FIELDS}
    offsets = values["Reference Offset"]
    counted = bool(offsets) and _RANGE.search(offsets) is None
    return Annotation(
        line=line,
        number=tidy(values["Citance Number"]),
        reference=_stem(values["Reference Article"]),
        citing=_stem(values["Citing Article"]),
        text=" ".join(_quotes(values["Citation Text Clean"] or values["Citation Text"])),
        sids=tuple(sorted({int(sid) for sid in re.findall(r"\d{1,9}", offsets)})) if counted else None,
        quoted=_quotes(values["Reference Text"]),
        facets=_facets(values["Discourse Facet"]),
    )


def _stem(article: str) -> str:
    return re.sub(r"\.(?:txt|xml)$", "", tidy(article), flags=re.IGNORECASE)


def _quotes(field: str) -> tuple[str, ...]:
    """The sentences of a field, one for each tag; the whole field if it has no tags."""
    pieces = _QUOTED.findall(field) if _TAG.search(field) else re.split(r"\s\.\.\.\s", field)
    return tuple(quote for piece in pieces if (quote := tidy(repair(_TAG.sub(" ", piece)))))


def _facets(field: str) -> tuple[str, ...]:
    """``['Method_Citation','Result_Citation']`` as ``method``, ``results``."""
    names = [name.lower() for name in _FACET.findall(field)]
    return tuple(dict.fromkeys(_ONE_NAME.get(name, name) for name in names))
