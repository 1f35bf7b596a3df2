"""The format of a JSON object, recognised by its fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from citewhy.papers.formats import jsonlines

__all__ = ["kind_of"]

Row = dict[str, Any]

_OPENALEX_ID = re.compile(r"(?:https?://openalex\.org/)?(?:works/)?W\d+$", re.IGNORECASE)


def kind_of(row: object) -> str | None:
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
    ("CSL-JSON", _csl),
    ("papers", lambda row: jsonlines.kind_of(row) == "papers"),
)
