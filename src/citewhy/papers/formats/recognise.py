"""Detection of a file's format by its content, never by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from pathlib import PurePath
from typing import Any

import orjson

from citewhy.base.errors import InputError, NoPapersError
from citewhy.base.unforeseen import of_file
from citewhy.papers.formats import cff, csl, datacite, hayagriva, id_list, jsonlines, notices, tables
from citewhy.papers.formats.json_objects import first_objects
from citewhy.papers.formats.registry import EMPTY, FORMATS, Format, added_formats
from citewhy.text.json_files import one_a_line, parse
from citewhy.text.other_documents import other_document
from citewhy.text.source import FilePath, decode, invalid_utf8, open_raw_lines, read_head
from citewhy.text.tidy import shorten

_LISTS = ("results", "data", "items")
_EXPECTED = "expected the answer to a search that found papers"


def without_papers(path: FilePath, head: str) -> NoPapersError | None:
    """The error for a JSON document that has the layout of an answer, and no papers; None for anything else.
    `head` is the beginning of the file: longer answers have papers, or are of no known format."""
    try:
        answer = orjson.loads(head)
    except orjson.JSONDecodeError:
        return None
    if isinstance(answer, list):
        # Semantic Scholar's answer to a batch has a null for each unknown id.
        why = "an empty list" if not answer else "a list of nothing but null"
        return None if any(member is not None for member in answer) else _error(path, why)
    if not isinstance(answer, dict) or kind_of_object(answer):
        return None
    if not answer:
        return _error(path, "an empty object")
    name = _empty_list(answer)
    if name:
        service = _service(answer)
        return _error(path, f"the list “{name}” {f'of an answer of {service} ' if service else ''}is empty")
    message = _message(answer)
    if message:
        return _error(path, f"a service answered with the error “{shorten(message)}”")
    return None


def _error(path: FilePath, why: str) -> NoPapersError:
    return NoPapersError(f"the file holds no papers: {why}", path=path, hint=_EXPECTED)


def _empty_list(answer: dict[str, Any]) -> str:
    """The name of its list of papers, if this is empty."""
    inner = answer.get("message")
    held = inner if isinstance(inner, dict) else answer
    return next((name for name in _LISTS if name in held and held[name] in ([], None)), "")


def _service(answer: dict[str, Any]) -> str:
    if "message-type" in answer or "message" in answer:
        return "Crossref"
    if "meta" in answer and "results" in answer:
        return "OpenAlex"
    if {"data", "meta", "links"} <= answer.keys():
        return "DataCite"
    if "data" in answer and answer.keys() & {"total", "offset", "next", "token"}:
        return "Semantic Scholar"
    return ""


def _message(answer: dict[str, Any]) -> str:
    """The text of an error message."""
    message = answer.get("message") or answer.get("error") or answer.get("errors")
    if isinstance(message, list) and message and isinstance(message[0], dict):  # Crossref's, DataCite's
        message = message[0].get("message") or message[0].get("title")
    if isinstance(message, dict):
        message = message.get("message")
    failed = answer.get("status") in ("error", "failed")
    is_error = failed or bool({"error", "errors", "code"} & answer.keys())
    return message if isinstance(message, str) and is_error else ""


HINT = (
    "expected papers, contexts or full texts as JSON, BibTeX, RIS, CSL-JSON, a table with a header, "
    "or an export of a service that docs/formats.md names"
)
PDF_HINT = "make text of it with GROBID (processFulltextDocument), then add the .tei.xml files"

_HEAD = 1 << 18
"""Bytes that are read to detect a format. A .bib file may start with pages of comments."""

_LOOKED_AT = 200
"""Records that are tried until one is recognised; the first ones may be damaged."""

_OWN_FIELDS = {"authors", "year", "venue"}

_SQLITE = b"SQLite format 3\0"
_BIBTEX = re.compile(r"@[ \t]*\w+[ \t\r\n]*[{(]")
_RIS = re.compile(r"^TY  ?- ?[A-Z]*[ \t]*$|^TY  -", re.MULTILINE)
_BIBITEM = re.compile(r"^[ \t]*\\bibitem\b", re.MULTILINE)
_NBIB = re.compile(r"^(?:PMID ?- ?\d|OWN ?- ?[A-Z])", re.MULTILINE)
_ENDNOTE = re.compile(r"^%(?:0 \S|[ATDJ] \S)", re.MULTILINE)
_WOS = re.compile(
    r"(?:FN (?:Clarivate|Thomson|ISI)[^\n]*\n(?:VR[^\n]*\n)?\s*)?PT [A-Z]\n(?:[A-Z][A-Z0-9] |\s)"
)
_WOS_TABLE = re.compile(r"PT\tAU\t")
_MARKS = (
    *(("RIS", _RIS), ("nbib", _NBIB), ("EndNote text", _ENDNOTE)),
    *(("BibTeX", _BIBTEX), ("reference list", _BIBITEM)),
)
"""The first of these that occurs in a text tells its format."""

_LIKE_XML = re.compile(r"<(?:[?!A-Za-z_]|\Z)")
_XML_ROOT = re.compile(
    r"(?:(?><\?.*?\?>)|(?><!--.*?-->)|(?><!DOCTYPE[^<>\[]*(?:\[[^\]]*\]\s*)?>)|\s)*+"
    r"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)",
    re.DOTALL,
)
_XML = {
    **dict.fromkeys(("volume", "collection"), "Anthology"),
    **dict.fromkeys(("PubmedArticleSet", "PubmedBookArticleSet", "MedlineCitationSet"), "PubMed XML"),
    **dict.fromkeys(("PubmedArticle", "PubmedBookArticle", "MedlineCitation"), "PubMed XML"),
    **dict.fromkeys(("xml", "records"), "EndNote XML"),
    **dict.fromkeys(("article", "pmc-articleset"), "JATS"),
    **dict.fromkeys(("mods", "modsCollection"), "MODS"),
    **dict.fromkeys(("dblp", "dblpperson"), "DBLP"),
    **dict.fromkeys(("doi_records", "doi_record", "crossref_result"), "Crossref XML"),
    "TEI": "TEI",
    "Sources": "Word sources",
    "feed": "arXiv Atom",
    "entry": "arXiv Atom",
    "RDF": "Zotero RDF",
}
"""Formats by root element."""

_SIGNATURES = {
    **{"arXiv Atom": "arxiv.org", "Zotero RDF": "zotero.org", "EndNote XML": "record"},
    "Word sources": "/bibliography",
}
"""Required text near the beginning for root elements that many formats use."""


@of_file
def detect(path: FilePath) -> Format:
    """The format of a file, by its content; one of another package if it is none of CiteWhy's.

    Raises NoPapersError for the answer of a service without papers, InputError if no reader knows it.
    """
    data = read_head(path, _HEAD)
    head = decode(data)[0].lstrip("\ufeff \t\r\n\v\f\0")
    try:
        return _detect_own(path, data, head)
    except InputError as error:
        added = added_formats()
        for form in added.formats.values():
            if form.recognise is not None and form.recognise(head):
                return form
        if not added.broken or isinstance(error, NoPapersError):
            raise
        hint = "; ".join([error.hint or "check the file", *map(str, added.broken.values())])
        raise type(error)(error.problem, path=error.path, line=error.line, hint=hint) from error


def _detect_own(path: FilePath, data: bytes, head: str) -> Format:
    if data.startswith(_SQLITE):
        return FORMATS["Zotero database"]
    if is_pdf(data):
        raise InputError("the file is a PDF", path=path, hint=PDF_HINT)
    if not head:
        return EMPTY
    if head.startswith(("{", "[")) and len(data) < _HEAD and (empty := without_papers(path, head)):
        raise empty
    html = _LIKE_XML.match(head) and other_document(data, PurePath())  # hardly ever well-formed XML
    kind = None if html else _kind(path, head)
    if kind is None:
        raise _unknown(path, data)
    return FORMATS[kind]


def _unknown(path: FilePath, head: bytes) -> InputError:
    if other := other_document(head, PurePath(str(path))):
        what, advice = other
        return InputError(f"this is {what}, which is not read", path=path, hint=advice)
    return InputError("the content is of no known format", path=path, hint=HINT)


def is_pdf(head: bytes) -> bool:
    return b"%PDF-" in head[:1024]


def _kind(path: FilePath, head: str) -> str | None:
    if _LIKE_XML.match(head):
        return _xml_kind(head)
    if head.startswith(("{", "[")) and (kind := _json_kind(path, head)):
        return kind
    if cff.is_cff(head):
        return "CFF"
    kind = _kind_of_text(head) or _kind_of_lines(path)
    if kind is None:
        _name_wrong_bytes(path, head)
    return kind


def _kind_of_text(head: str) -> str | None:
    """Recognises the header of a table, or the first tag or entry in the text."""
    head = head.replace("\r\n", "\n").replace("\r", "\n")
    header = head.partition("\n")[0]
    if kind := tables.kind_of(header):
        return kind
    if notices.is_retraction_watch(header):
        return "Retraction Watch"
    if _WOS_TABLE.match(header):
        return "Web of Science table"
    table = tables.header_of(head)
    if table and not table[0]:
        return "table"
    if _WOS.match(head):
        return "Web of Science"
    marks = [(match.start(), kind) for kind, pattern in _MARKS if (match := pattern.search(head))]
    if marks:
        return min(marks)[1]
    if table:
        return "table"
    if csl.is_yaml(head):
        return "CSL-YAML"
    if hayagriva.is_hayagriva(head):
        return "Hayagriva"
    whole = head if len(head) < _HEAD // 2 else head.rpartition("\n")[0]
    return "identifiers" if id_list.is_list(whole) else None


def xml_root(head: str) -> str:
    """The name of the root element of a text that starts with XML; empty if a document type hides it."""
    root = _XML_ROOT.match(head)
    return root[1] if root else ""


def _xml_kind(head: str) -> str | None:
    """Recognises the root element. If a document type hides it, the reader of the Anthology gets the file."""
    kind = _XML.get(xml_root(head) or "collection")
    return kind if kind is None or _SIGNATURES.get(kind, "") in head else None


def _json_kind(path: FilePath, head: str) -> str | None:
    """One object by id, by its first entry; otherwise by the first object that is recognised."""
    if kind := jsonlines.kind_of_entries(head):
        return f"{kind} by id"
    for value in first_objects(path, _LOOKED_AT):
        if kind := kind_of_object(value):
            bare = kind == "papers" and head.startswith("[") and not _OWN_FIELDS & value.keys()
            return "CSL-JSON" if bare else kind
    return "CSL-JSON" if head.startswith("[") and not one_a_line(path) else None


def _kind_of_lines(path: FilePath) -> str | None:
    """JSON lines whose first line is damaged."""
    for _, raw in islice(open_raw_lines(path), _LOOKED_AT):
        try:
            kind = kind_of_object(parse(raw))
        except InputError:
            continue
        if kind:
            return kind
    return None


def _name_wrong_bytes(path: FilePath, head: str) -> None:
    """Raises the error of invalid UTF-8 for text that looks like JSON of no known format: its encoding may be
    wrong."""
    if head.startswith(("{", "[")):
        for line, raw in islice(open_raw_lines(path), _LOOKED_AT):
            if wrong := invalid_utf8(raw, path, line):
                raise wrong


# Kinds of JSON objects ----------------------------------------------------------------------------------

Row = dict[str, Any]

_OPENALEX_ID = re.compile(r"(?:https?://openalex\.org/)?(?:works/)?W\d+$", re.IGNORECASE)


def kind_of_object(row: object) -> str | None:
    """The name of the format; None if it is unknown. The order of `_KINDS` decides."""
    if not isinstance(row, dict):
        return None
    return next((kind for kind, is_one in _KINDS if is_one(row)), None)


def _openalex(row: Row) -> bool:
    own = {"abstract_inverted_index", "authorships", "referenced_works", "display_name", "primary_location"}
    identifier = row.get("id")
    return isinstance(identifier, str) and (
        identifier.startswith("https://openalex.org/")
        or bool(_OPENALEX_ID.match(identifier) and own & row.keys())
    )


def _s2orc_text(row: Row) -> bool:
    texts = {"body_text", "pdf_parse", "latex_parse", "bib_entries"}
    if "paper_id" in row and texts & row.keys():
        return True
    return "corpusid" in row and any(isinstance(row.get(name), dict) for name in ("content", "body"))


def _s2orc_metadata(row: Row) -> bool:
    return "paper_id" in row and bool(
        {"outbound_citations", "has_pdf_parse", "s2_url", "mag_id", "arxiv_id", "inbound_citations"}
        & row.keys()
    )


def _semantic_scholar(row: Row) -> bool:
    if "citingcorpusid" in row or "citedPaper" in row or "citingPaper" in row:
        return True
    if "corpusid" in row:
        return bool({"title", "abstract", "sha"} & row.keys())
    return "paperId" in row or ("corpusId" in row and "title" in row)


def _zotero(row: Row) -> bool:
    return isinstance(row.get("itemType"), str)


def _zotero_api(row: Row) -> bool:
    data = row.get("data")
    return isinstance(data, dict) and isinstance(data.get("itemType"), str)


def _crossref(row: Row) -> bool:
    return isinstance(row.get("DOI"), str) and (
        isinstance(row.get("title"), list)
        or isinstance(row.get("container-title"), list)
        or bool({"member", "prefix", "is-referenced-by-count", "reference-count", "deposited"} & row.keys())
    )


def _arxiv(row: Row) -> bool:
    return "categories" in row and bool({"authors_parsed", "submitter", "update_date"} & row.keys())


def _csl(row: Row) -> bool:
    fields = {"issued", "container-title", "author", "DOI", "citation-key", "event-title", "editor"}
    if not ("title" in row or "container-title" in row):
        return False
    return bool(fields & row.keys()) or ("type" in row and "authors" not in row)


_KINDS: tuple[tuple[str, Callable[[Row], bool]], ...] = (
    ("contexts", lambda row: jsonlines.kind_of(row) == "contexts"),
    ("full texts", lambda row: jsonlines.kind_of(row) == "full texts"),
    ("OpenAlex", _openalex),
    ("S2ORC full texts", _s2orc_text),
    ("S2ORC metadata", _s2orc_metadata),
    ("Semantic Scholar", _semantic_scholar),
    ("Zotero", _zotero),
    ("Zotero API", _zotero_api),
    ("arXiv metadata", _arxiv),
    ("Crossref", _crossref),
    ("DataCite", datacite.is_datacite),
    ("CSL-JSON", _csl),
    ("papers", lambda row: jsonlines.kind_of(row) == "papers"),
)
