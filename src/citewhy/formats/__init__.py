"""Foreign formats become records here: one reader a file, chosen by what the file holds, never by its name.

Every reader takes a path and an ImportReport and yields records. What is wrong with one record goes to the
report and the rest is read on; InputError means that the file as a whole cannot be read.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from citewhy.errors import InputError
from citewhy.formats import jsonlines, keyed, tables
from citewhy.formats.report import ImportReport
from citewhy.records import Alias, Citation, Context, FullText, Header, Paper, ReferenceList
from citewhy.text.source import FilePath, decode, invalid_utf8, open_raw_lines, read_head

__all__ = ["Format", "Record", "detect", "read"]

Record = Paper | Alias | Context | Citation | FullText | Header | ReferenceList
Reader = Callable[[FilePath, ImportReport], Iterator[Record]]

_HEAD = 1 << 18
"""Bytes that are looked at to tell a format. A .bib file may begin with pages of comments."""

_LINES = 200
"""Lines that are tried until one of JSON lines tells its kind; the first ones may be broken."""

_BIBTEX = re.compile(r"@[ \t]*\w+[ \t\r\n]*[{(]")
_RIS = re.compile(r"(?:^|\r)TY  ?-", re.MULTILINE)
_CSL_FIELD = re.compile(r'"(?:items|issued|container-title|title)"\s*:')
_XML_ROOT = re.compile(r"(?:(?><\?.*?\?>)|(?><!--.*?-->)|\s)*+<([A-Za-z][\w.-]*)", re.DOTALL)

_KINDS = {
    Paper: "papers",
    Alias: "aliases",
    Context: "contexts",
    Citation: "citations",
    FullText: "full texts",
    Header: "papers",
    ReferenceList: "reference lists",
}


@dataclass(frozen=True, slots=True)
class Format:
    """A format's name for people, and its reader."""

    name: str
    read: Reader


def read(path: FilePath, report: ImportReport) -> Iterator[Record]:
    """The records of a file of any known format; `report.read` counts them by kind."""
    for record in detect(path).read(path, report):
        report.read[_KINDS[type(record)]] += 1
        yield record


def detect(path: FilePath) -> Format:
    """The format of a file, by its content. Raises InputError for a content that no reader knows."""
    head = decode(read_head(path, _HEAD))[0].lstrip("\ufeff \t\r\n\v\f\0")
    if not head:
        return Format("an empty file", _read_nothing)
    if head.startswith("<"):
        return _xml_format(path, head)
    if head.startswith(("{", "[")) and (found := _json_format(path, head)):
        return found
    if kind := tables.kind_of(head.partition("\n")[0]):
        return _TABLES[kind]
    if _RIS.search(head):
        return _ris
    if _BIBTEX.search(head):
        return _bibtex
    if kind := _kind_of_lines(path):
        return _JSON_LINES[kind]
    if head.startswith(("{", "[")):
        for line, raw in islice(open_raw_lines(path), _LINES):
            if wrong := invalid_utf8(raw, path, line):
                raise wrong
    raise _unknown(path)


def _unknown(path: FilePath) -> InputError:
    return InputError(
        "the content is of no known format",
        path=path,
        hint="expected papers, contexts or full texts as JSON lines, a table of aliases or citations, "
        "BibTeX, RIS, CSL-JSON, or XML of the ACL Anthology, GROBID, ParsCit or CL-SciSumm",
    )


def _xml_format(path: FilePath, head: str) -> Format:
    """By the root element; where a document type hides it, the reader of the Anthology has a look."""
    root = _XML_ROOT.match(head)
    name = root[1] if root else "collection"
    if name not in _XML:
        raise _unknown(path)
    return _XML[name]


def _json_format(path: FilePath, head: str) -> Format | None:
    """One object by id, by its first entry; JSON lines by the first line that tells its kind; else CSL-JSON,
    which is one value over many lines."""
    if kind := keyed.kind_of(head):
        return _KEYED[kind]
    first, _, others = head.partition("\n")
    one_value_a_line = bool(others.strip()) and _is_whole(first.encode())
    if (head.startswith("{") or one_value_a_line) and (kind := _kind_of_lines(path)):
        return _JSON_LINES[kind]
    if head.startswith("[") or (_CSL_FIELD.search(head) and not _is_whole(first.encode())):
        return _csl
    return None


def _kind_of_lines(path: FilePath) -> str | None:
    for _, raw in islice(open_raw_lines(path), _LINES):
        try:
            kind = jsonlines.kind_of(jsonlines.parse(raw))
        except InputError:
            continue
        if kind:
            return kind
    return None


def _is_whole(line: bytes) -> bool:
    """Whether a line is a JSON value by itself."""
    import orjson

    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def _read_nothing(path: FilePath, report: ImportReport) -> Iterator[Record]:
    report.warn(path, 1, "the file is empty")
    return iter(())


def _later(module: str) -> Reader:
    """A reader whose module, and the parser behind it, are imported when they are first needed."""

    def reader(path: FilePath, report: ImportReport) -> Iterator[Record]:
        found: Reader = importlib.import_module(f"{__name__}.{module}").read
        return found(path, report)

    return reader


_bibtex = Format("BibTeX", _later("bibtex"))
_csl = Format("CSL-JSON", _later("csl"))
_ris = Format("RIS", _later("ris"))
_XML = {
    "volume": Format("ACL Anthology XML", _later("anthology")),
    "collection": Format("ACL Anthology XML", _later("anthology")),
    "TEI": Format("TEI of GROBID", _later("tei")),
    "algorithms": Format("XML of ParsCit", _later("parscit")),
    "PAPER": Format("CL-SciSumm XML", _later("clscisumm")),
}
"""By the root element."""

_TABLES = {
    "aliases": Format("a table of aliases", tables.read_aliases),
    "citations": Format("a table of citations", tables.read_citations),
}
_KEYED = {
    "papers": Format("papers as one JSON object", keyed.read_papers),
    "contexts": Format("contexts as one JSON object", keyed.read_contexts),
}
_JSON_LINES = {
    "papers": Format("papers as JSON lines", jsonlines.read_papers),
    "contexts": Format("contexts as JSON lines", jsonlines.read_contexts),
    "full texts": Format("full texts as JSON lines", jsonlines.read_full_texts),
}
