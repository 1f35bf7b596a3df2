"""Errors as problem details (RFC 9457)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from citewhy.base.errors import (
    CiteWhyError,
    EditConflictError,
    InputError,
    LibraryError,
    LockedError,
    MissingExtraError,
    ModelError,
    QueryError,
    StorageError,
    TooLargeError,
)
from citewhy.doors.web.answers import to_json

MEDIA_TYPE = "application/problem+json"

STATUSES: tuple[tuple[type[CiteWhyError], int], ...] = (
    (EditConflictError, 409),
    (TooLargeError, 413),
    (InputError, 422),
    (QueryError, 422),
    (LockedError, 503),
    (StorageError, 503),
    (LibraryError, 503),
    (ModelError, 503),
    (MissingExtraError, 503),
)
"""The status for each kind of error, the special ones first."""

RETRY_SECONDS = 2
"""What is told to clients that came when too much was going on."""


class ProblemError(Exception):
    """A problem of a request that is no error of CiteWhy: its status, and a sentence."""

    def __init__(self, status: int, detail: str, *, hint: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.hint = hint


def status_of(error: CiteWhyError) -> int:
    """The status that an error is answered with."""
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 422)


def fields_of(error: Exception) -> dict[str, Any]:
    """The members of the problem details of an error."""
    if isinstance(error, CiteWhyError):
        kind, status = type(error).__name__.removesuffix("Error"), status_of(error)
        return _fields(kind, status, error.problem, hint=error.hint, path=error.path, line=error.line)
    if isinstance(error, ProblemError):
        return _fields("", error.status, error.detail, hint=error.hint)
    return _fields("", 500, "the server met an error that nobody foresaw")


def _fields(
    kind: str,
    status: int,
    detail: str,
    *,
    hint: str | None = None,
    path: str | None = None,
    line: int | None = None,
) -> dict[str, Any]:
    fields = {
        "type": f"urn:citewhy:problem:{kind}" if kind else "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    more = {"hint": hint, "path": path, "line": line}
    return {**fields, **{name: value for name, value in more.items() if value is not None}}


def problem(error: Exception, headers: dict[str, str] | None = None) -> Response:
    """The response to an error."""
    fields = fields_of(error)
    status = fields["status"]
    more = dict(headers or {})
    if status in (429, 503):
        more["Retry-After"] = str(RETRY_SECONDS)
    if status == 401:
        more["WWW-Authenticate"] = "Bearer"
    return Response(to_json(fields), status, more, MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Answers every error of an application as a problem."""

    async def known(_request: Request, error: Exception) -> Response:
        return problem(error)

    async def invalid(_request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem(ProblemError(422, _invalid(error), hint="see /openapi.json for what is expected"))

    async def http(_request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        detail = str(error.detail)
        if error.status_code == 404:
            detail = "there is no such address"
        return problem(ProblemError(error.status_code, detail), dict(error.headers or {}))

    for kind in (CiteWhyError, ProblemError):
        app.add_exception_handler(kind, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, known)


def _invalid(error: RequestValidationError) -> str:
    """Which fields are not as expected, without what they hold."""
    told = []
    for one in error.errors()[:5]:
        where = ".".join(str(part) for part in one["loc"][1:]) or str(one["loc"][0])
        told.append(f"{where}: {one['msg']}")
    return "; ".join(told) or "the request is not as expected"
