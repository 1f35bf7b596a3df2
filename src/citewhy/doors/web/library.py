"""The operations on the library, and those of the server itself."""

from __future__ import annotations

from typing import TypedDict

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from starlette.responses import Response

from citewhy.base.config import VERSION
from citewhy.doors.present import as_json
from citewhy.doors.present.documents import InfoDocument
from citewhy.doors.web.access import Access
from citewhy.doors.web.answers import answer
from citewhy.doors.web.described import returns, sends
from citewhy.doors.web.metrics import MEDIA_TYPE, Metrics
from citewhy.doors.web.served import Served
from citewhy.doors.web.work import Work


class HealthDocument(TypedDict):
    """Whether the server answers; `library` only for its user."""

    status: str
    version: str
    library: str | None


def router(served: Served, work: Work, metrics: Metrics, access: Access) -> APIRouter:
    """The operations under ``/library``, ``/health`` and ``/metrics``."""
    routes = APIRouter(tags=["library"], default_response_class=Response)
    session = served.session

    @routes.get("/health", responses=returns(HealthDocument, "It answers."))
    async def health(request: HttpRequest) -> Response:
        """Whether the server answers. This alone needs no token, and then does not name the library."""
        known = access.knows(request.headers)
        library = str(await work.light(lambda: session.folder)) if known else None
        return answer({"status": "ok", "version": VERSION, "library": library})

    @routes.get("/metrics", responses=sends([MEDIA_TYPE], "Figures of the server."))
    async def figures() -> Response:
        """Figures in Prometheus' text form."""
        gauges: dict[str, tuple[str, float]] = {
            "waiting": ("Requests that wait for their turn.", work.waiting),
            "running": ("Answers that are being computed.", work.running),
            "open_drafts": ("Drafts that are open.", served.open_drafts),
        }
        return Response(metrics.text(gauges), media_type=MEDIA_TYPE)

    @routes.get("/library", responses=returns(InfoDocument, "What the library has."))
    async def info() -> Response:
        """The contents of the library, every row of it checked."""
        return answer(as_json.info_document(await work.run(session.info)))

    return routes
