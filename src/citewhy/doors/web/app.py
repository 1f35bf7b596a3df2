"""The application: the page, the API under ``/api/v1``, and what stands before both."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from citewhy.base.config import VERSION
from citewhy.base.errors import CiteWhyError
from citewhy.doors.web import drafts, library, problems, texts
from citewhy.doors.web.access import Access
from citewhy.doors.web.described import describe, page_of
from citewhy.doors.web.described import problems as described_problems
from citewhy.doors.web.guard import API, Guard
from citewhy.doors.web.metrics import Metrics
from citewhy.doors.web.problems import ProblemError
from citewhy.doors.web.served import Served
from citewhy.doors.web.work import Work

PAGE = Path(__file__).parent / "page"

_ABOUT = """Where citations are open in a draft, and which papers fit, from your own library, offline.

Every request but `/health` needs the token that `citewhy serve` prints: `Authorization: Bearer TOKEN`.
Errors are
problem details (RFC 9457). Places are characters (Unicode code points) of a file's text."""


async def _warm(served: Served, work: Work) -> None:
    """Opens what the first answer needs before anybody asks. What goes wrong is told to who asks."""
    with contextlib.suppress(CiteWhyError, ProblemError):
        await work.run(served.session.prepare)


_NONE: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""What FastAPI would record of requests, and send where a variable of the environment says."""


def application(served: Served, access: Access, work: Work | None = None) -> ASGIApp:
    """The application that serves what is open to its user."""
    metrics = Metrics()
    working = work or Work()

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(_warm(served, working))
        yield
        warming.cancel()
        working.close()

    app = FastAPI(
        telemetry=_NONE,
        title="CiteWhy",
        version=VERSION,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    problems.install(app)
    for routes in (
        library.router(served, working, metrics, access),
        drafts.router(served, working),
        texts.router(served, working),
    ):
        app.include_router(routes, prefix=API, responses=described_problems())
    describe(app)

    @app.get("/api", include_in_schema=False)
    async def described() -> Response:
        return Response(page_of(app.openapi()), media_type="text/html")

    app.mount("/", StaticFiles(directory=PAGE, html=True, check_dir=False), name="page")
    return Guard(app, access, metrics)
