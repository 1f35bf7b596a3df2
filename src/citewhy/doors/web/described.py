"""The description of the API (OpenAPI 3.1): what operations answer, by the schemas of the documents."""

from __future__ import annotations

import html
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from citewhy.base.config import VERSION
from citewhy.doors.present.documents import schema_of
from citewhy.doors.web.answers import EVENTS, NDJSON
from citewhy.doors.web.problems import MEDIA_TYPE

PROBLEM = {
    "title": "Problem",
    "description": "What went wrong (RFC 9457).",
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "hint": {"type": "string"},
        "path": {"type": "string"},
        "line": {"type": "integer"},
    },
    "required": ["type", "title", "status", "detail"],
}

_PROBLEMS = {
    400: "The request cannot be read.",
    401: "The token is missing or not yours.",
    403: "Another site calls, or the path is outside of the folder of the server.",
    404: "There is no such draft, paper or address.",
    408: "The request did not arrive in time.",
    409: "The draft has changed meanwhile.",
    413: "The request, a file or an archive is too large.",
    415: "Files of this kind are not taken.",
    421: "The request names another host.",
    422: "The request is not as expected, or cannot be answered.",
    429: "Too many requests are waiting.",
    503: "The library cannot be used now, or the answer takes too long.",
}

Responses = dict[int | str, dict[str, Any]]

_documents: dict[str, type] = {}


def problems() -> Responses:
    """The problems that any operation may answer."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": what, "content": content} for status, what in _PROBLEMS.items()}


def returns(document: type, what: str, status: int = 200, *, lines: type | None = None) -> Responses:
    """The response with a `document`; or, if it is asked for, a stream of `lines`, each a document."""
    content = {"application/json": {"schema": _reference(document)}}
    if lines is not None:
        content[NDJSON] = {"schema": _reference(lines)}
    return {status: {"description": what, "content": content}}


def streams(what: str) -> Responses:
    """The response with server-sent events."""
    return {200: {"description": what, "content": {EVENTS: {"schema": {"type": "string"}}}}}


def sends(media_types: list[str], what: str) -> Responses:
    """The response with a file."""
    content = {media: {"schema": {"type": "string"}} for media in media_types}
    return {200: {"description": what, "content": content}}


def _reference(document: type) -> dict[str, str]:
    _documents[document.__name__] = document
    return {"$ref": f"#/components/schemas/{document.__name__}"}


def describe(app: FastAPI) -> None:
    """Makes the description of an application when it is first asked for."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title="CiteWhy",
                version=VERSION,
                openapi_version="3.1.0",
                summary="What to cite, where, and why.",
                description=app.description,
                routes=app.routes,
            )
            parts = schema.setdefault("components", {}).setdefault("schemas", {})
            parts["Problem"] = PROBLEM
            for name, document in _documents.items():
                whole = schema_of(document)
                parts.update(whole.pop("$defs", {}))
                whole.pop("$schema")
                parts[name] = whole
            schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            schema["security"] = [{"token": []}]
            app.openapi_schema = _renamed(schema)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: item.replace("#/$defs/", "#/components/schemas/")
            if name == "$ref" and isinstance(item, str)
            else _renamed(item)
            for name, item in value.items()
        }
    return [_renamed(item) for item in value] if isinstance(value, list) else value


def page_of(schema: dict[str, Any]) -> str:
    """The description as a page for people: every operation, with what it takes and answers."""
    rows = []
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            fields = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            named = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
            taken = ", ".join([*fields, *filter(None, [named])])
            cells = (f"{method.upper()} {path}", operation.get("description", ""), taken)
            rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    parts = "".join(_part(name, part) for name, part in schema["components"]["schemas"].items())
    head = f"<h1>CiteWhy {VERSION}: the API</h1><p>{html.escape(schema['info']['description'])}</p>"
    table = f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    link = "<p><a href='/openapi.json'>openapi.json</a></p>"
    title = "<!doctype html><html lang='en'><meta charset='utf-8'><title>CiteWhy: the API</title>"
    return f"{title}<body>{head}{link}{table}{parts}</body></html>"


def _part(name: str, part: dict[str, Any]) -> str:
    fields = "".join(f"<li><code>{html.escape(field)}</code></li>" for field in part.get("properties", ()))
    what = html.escape(part.get("description", ""))
    return f"<h2 id='{html.escape(name)}'>{html.escape(name)}</h2><p>{what}</p><ul>{fields}</ul>"
