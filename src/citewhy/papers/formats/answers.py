"""Answers of services without papers: searches that found nothing, and error messages."""

from __future__ import annotations

from typing import Any

import orjson

from citewhy.base.errors import NoPapersError
from citewhy.papers.formats.json_kinds import kind_of
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten

__all__ = ["without_papers"]

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
        return None if any(each is not None for each in answer) else _error(path, why)
    if not isinstance(answer, dict) or kind_of(answer):
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
    if "data" in answer and answer.keys() & {"total", "offset", "next", "token"}:
        return "Semantic Scholar"
    return ""


def _message(answer: dict[str, Any]) -> str:
    """The text of an error message."""
    found = answer.get("message") or answer.get("error")
    if isinstance(found, list) and found and isinstance(found[0], dict):  # Crossref's
        found = found[0].get("message")
    if isinstance(found, dict):
        found = found.get("message")
    is_error = "error" in answer or "code" in answer or answer.get("status") in ("error", "failed")
    return found if isinstance(found, str) and is_error else ""
