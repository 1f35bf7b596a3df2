"""The operations on the library, and those of the server itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypedDict

from fastapi import APIRouter, Query
from fastapi import Request as HttpRequest
from starlette.responses import Response, StreamingResponse

from citewhy.base.config import VERSION
from citewhy.base.errors import QueryError
from citewhy.doors.present import as_json
from citewhy.doors.present.documents import FindDocument, InfoDocument, PaperFields, PassagesDocument
from citewhy.doors.present.picture_documents import ShapeDocument, shape_document
from citewhy.doors.web.access import Access
from citewhy.doors.web.answers import EVENTS, answer, event
from citewhy.doors.web.described import returns, sends, streams
from citewhy.doors.web.metrics import MEDIA_TYPE, Metrics
from citewhy.doors.web.problems import ProblemError, fields_of
from citewhy.doors.web.requests import MOST_K, AddFiles, FindPassages
from citewhy.doors.web.served import Served
from citewhy.doors.web.work import Work
from citewhy.session.pictures import shape_of

_MOST_FOUND = 1_000
"""Papers among which a search can be paged."""


class HealthDocument(TypedDict):
    """Whether the server answers; `library` only for its user."""

    status: str
    version: str
    library: str | None


class FoundDocument(FindDocument):
    """The papers that were found; `next` is the offset of those that follow, null where these are the
    last."""

    next: int | None


class PaperDocument(PaperFields):
    """A paper with its abstract; empty if it is not known."""

    abstract: str


def router(served: Served, work: Work, metrics: Metrics, access: Access) -> APIRouter:
    """The operations under ``/library``, ``/find``, ``/papers``, ``/passages``, ``/health`` and
    ``/metrics``."""
    routes = APIRouter(tags=["library"], default_response_class=Response)
    _server(routes, served, work, metrics, access)
    _library(routes, served, work)
    _papers(routes, served, work)
    return routes


def _server(routes: APIRouter, served: Served, work: Work, metrics: Metrics, access: Access) -> None:
    @routes.get("/health", responses=returns(HealthDocument, "It answers."))
    async def health(request: HttpRequest) -> Response:
        """Whether the server answers. This alone needs no token, and then does not name the library."""
        library = None
        if access.knows(request.headers):
            library = str(await work.light(lambda: served.session.folder))
        return answer({"status": "ok", "version": VERSION, "library": library})

    @routes.get("/metrics", responses=sends(["text/plain"], "Figures of the server."))
    async def figures() -> Response:
        """Figures in Prometheus' text form."""
        gauges: dict[str, tuple[str, float]] = {
            "waiting": ("Requests that wait for their turn.", work.waiting),
            "running": ("Answers that are being computed.", work.running),
            "open_drafts": ("Drafts that are open.", served.open_drafts),
        }
        return Response(metrics.text(gauges), media_type=MEDIA_TYPE)


def _library(routes: APIRouter, served: Served, work: Work) -> None:
    @routes.get("/library", responses=returns(InfoDocument, "What the library has."))
    async def info() -> Response:
        """The contents of the library, every row of it checked."""
        return answer(as_json.info_document(await work.run(served.session.info)))

    @routes.get("/library/shape", responses=returns(ShapeDocument, "How it is made up."))
    async def shape() -> Response:
        """The library by years and venues, and how much of it has abstracts, citing sentences and vectors."""
        return answer(shape_document(await work.run(shape_of, served.session)))

    @routes.post("/library/add", responses=streams("Events: progress, then report or problem."))
    async def add(what: AddFiles) -> Response:
        """Adds files and folders under the folder of the server, in one commit. It goes on if nobody
        listens."""
        paths = [str(served.within(path)) for path in what.paths]
        if not adding.acquire(blocking=False):
            raise ProblemError(409, "files are being added already", hint="try again when they are")
        events: asyncio.Queue[bytes | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def tell(name: str, document: Any) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(events.put_nowait, event(name, document))

        def run() -> None:
            try:
                report = served.session.add(
                    paths, progress=lambda what, share: tell("progress", {"what": what, "share": share})
                )
                tell("report", as_json.add_document(report))
            except Exception as error:
                tell("problem", fields_of(error))
            finally:
                adding.release()
                if not loop.is_closed():
                    loop.call_soon_threadsafe(events.put_nowait, None)

        threading.Thread(
            target=run, name="adding"
        ).start()  # ends before the process does: nothing is half added
        return StreamingResponse(_until_none(events), media_type=EVENTS)

    adding = threading.Lock()


async def _until_none(events: asyncio.Queue[bytes | None]) -> AsyncIterator[bytes]:
    while (sent := await events.get()) is not None:
        yield sent


def _papers(routes: APIRouter, served: Served, work: Work) -> None:
    session = served.session

    @routes.get("/find", responses=returns(FoundDocument, "What was found."))
    async def find(
        q: Annotated[str, Query(min_length=1, max_length=2_000)],
        k: Annotated[int, Query(ge=1, le=MOST_K)] = 10,
        offset: Annotated[int, Query(ge=0, lt=_MOST_FOUND)] = 0,
    ) -> Response:
        """Papers by words, author, title, DOI, id, or citation key."""
        finding = await work.run(session.find, q, offset + k + 1)
        document: dict[str, Any] = dict(as_json.find_document(finding, str(session.folder)))
        papers = document["papers"]
        more = len(papers) > offset + k and offset + k < _MOST_FOUND
        return answer(
            {**document, "papers": papers[offset : offset + k], "next": offset + k if more else None}
        )

    @routes.get("/papers/{paper:path}", responses=returns(PaperDocument, "The paper."))
    async def paper(paper: str) -> Response:
        """The paper with an id, an alias, or whatever else names a single one."""
        try:
            found = await work.run(session.paper, paper)
        except QueryError as error:
            raise ProblemError(404, error.problem, hint=error.hint) from error
        return answer({**as_json.paper_values(found), "abstract": found.abstract})

    @routes.post("/passages", responses=returns(PassagesDocument, "The passages."))
    async def passages(what: FindPassages) -> Response:
        """The sentences of a paper that a citing sentence refers to."""
        found = await work.run(session.passages, what.paper, what.text, what.k)
        return answer(as_json.passages_document(found, str(session.folder)))
